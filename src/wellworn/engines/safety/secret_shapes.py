"""Describes a secret: what it begins with, its pattern, and who decides whether it is one.

Every quantifier is bounded and every token starts at the edge of a word, so that no input can make
a pattern slow. Nothing is tried before one of the rule's needles is seen in the text: a token has
one in it, and what the words around give away begins with one, in any case: it is tried there only.

Source: `docs/security.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from wellworn.engines.safety.plausibility import is_token

# Compiled when first needed: most texts need none of them.
_compiled = cache(re.compile)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which a secret shows; the group `secret` of the pattern is what is cut out."""

    kind: str
    needles: tuple[str, ...]
    """One of them is in every token; where `in_any_case` each match begins so, in lower case."""
    spelled: str
    is_secret: Callable[[str], bool]
    in_any_case: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.spelled)


def make_context_rule(
    kind: str, needles: str, pattern: str, is_secret: Callable[[str], bool]
) -> Rule:
    """Return the rule of a value that stands in a certain place."""
    return Rule(kind, tuple(needles.split()), pattern, is_secret, in_any_case=True)


def make_token_rule(
    kind: str, needles: str, pattern: str, is_secret: Callable[[str], bool] = is_token
) -> Rule:
    """Return the rule of a token that its own shape gives away."""
    edged = rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?P<secret>{pattern})(?![A-Za-z0-9])"
    return Rule(kind, tuple(needles.split()), edged, is_secret)


def make_prefix_rule(begins: str, rest: str) -> Rule:
    """Return the rule of a token with a beginning; the engine skips ahead to that."""
    begin = re.escape(begins)
    is_edge = rf"(?:(?<![A-Za-z0-9]{begin})|(?<=\\[nrt]{begin}))"
    pattern = rf"(?P<secret>{begin}{is_edge}(?:{rest}))(?![A-Za-z0-9])"
    return Rule("service-token", (begins,), pattern, is_token)
