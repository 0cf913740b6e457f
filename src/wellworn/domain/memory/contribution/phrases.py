"""Folded text, and patterns that find in it the phrases of this package's file of words.

Folded text is what `wellworn.kit.words.fold` returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def match_start(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of a text that begins with one of the phrases, the longest first."""
    return re.compile(rf"(?:{join_phrases(phrases)})(?!\w)")


def match_anywhere(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of a phrase that stands in a text as words of its own."""
    return re.compile(rf"(?<![^\W_])(?:{join_phrases(phrases)})(?![^\W_])")


def join_phrases(phrases: Iterable[str]) -> str:
    """Return the phrases as alternatives of a pattern, the longest first."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
