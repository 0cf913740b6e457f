"""Secrets taken out of a text before it is stored, embedded or logged.

A memory that keeps a key gives it to whoever asks for something similar, and a vector made from it
cannot be cleaned afterwards. So secrets are replaced at the door by a placeholder that says what
stood there, such as `[redacted:aws-access-key]`; never by anything derived from the secret. Only
what a rule is sure about goes: hashes, UUIDs, placeholders and talk about passwords stay.

Source: shared-memory threat model, secrets in memory.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from wellworn.safety.secret_rules import LONGEST_VALUE, RULES, Rule

_NEEDLES, _NEEDLES_IN_ANY_CASE = (
    tuple(
        (needle, number)
        for number, rule in enumerate(RULES)
        if rule.in_any_case is in_any_case
        for needle in rule.needles
    )
    for in_any_case in (False, True)
)
# Every token with a shape of its own has that many characters in a row; few words do.
_LONG_WORD = re.compile(r"[\w.~+/-]{16}")
# A value longer than its pattern's bound is cut to its end all the same.
_REST = re.compile(r"[^\s\"'`<>|&;,@/\[\]]{0,65536}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of secret and how often it was found; never the secret, never its place."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """The text without secrets, and what they were, each kind once."""

    text: str
    found: tuple[Finding, ...] = ()


def redacted(text: str) -> Redaction:
    """Return the text with placeholders for its secrets; a second time changes nothing."""
    counts: Counter[str] = Counter()
    for number in sorted(_worth_trying(text)):
        text, count = _without(text, RULES[number])
        counts[RULES[number].kind] += count
    found = tuple(Finding(kind, count) for kind, count in counts.items() if count)
    return Redaction(text, found)


def _worth_trying(text: str) -> set[int]:
    """Return the numbers of the rules whose needles are in the text: all that most texts cost."""
    lowered = text.lower()
    numbers: set[int] = set()
    if _LONG_WORD.search(text):
        numbers = {number for needle, number in _NEEDLES if needle in text}
    return numbers | {number for needle, number in _NEEDLES_IN_ANY_CASE if needle in lowered}


def _without(text: str, rule: Rule) -> tuple[str, int]:
    """Return the text after one rule, and how many secrets the rule found."""
    pieces: list[str] = []
    kept, at = 0, 0
    while match := rule.pattern.search(text, at):
        start, end = match.span("secret")
        if not rule.is_secret(match["secret"]):
            # A value may hold the name of the real one, as in `secret: token: …`; a token may not.
            at = max(start, match.start() + 1) if rule.in_any_case else end
            continue
        if end - start == LONGEST_VALUE and (rest := _REST.match(text, end)):
            end = rest.end()
        pieces += [text[kept:start], f"[redacted:{rule.kind}]"]
        kept = at = end
    return "".join([*pieces, text[kept:]]), len(pieces) // 2
