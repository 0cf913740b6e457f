"""Joins words that the lines of a PDF break, with the hyphen where it belongs to the word.

A hyphen that ends a line is one of the word's own if the word holds another one, a digit or a sign,
as compounds, models, ranges and addresses do; or if the document writes it so within a line. All
others only mark the break.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_HYPHENS: Final = "-\u2010\u00ad"
_ENDS: Final = "()[]{}<>\"'\u201c\u201d\u2018\u2019\u00ab\u00bb.,;:!?"
_LONGEST: Final = 200
"""Characters of a word that are looked at."""


def find_compounds(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that are written with a hyphen within a line, in small letters."""
    words = (word.strip(_ENDS) for text in texts if "-" in text for word in text.split())
    return frozenset(
        word.casefold()
        for word in words
        if len(word) <= _LONGEST and "-" in word.strip("-") and word.replace("-", "").isalpha()
    )


def join_lines(lines: Sequence[str], compounds: frozenset[str]) -> str:
    """Return the lines of a paragraph, in which no word goes over a line end."""
    pieces: list[str] = []
    end = ""
    for line in lines:
        is_broken = end[-1:] in _HYPHENS and end[-2:-1].isalnum() and line[:1].isalnum()
        if is_broken:
            stem = end[:-1]
            is_own = _is_own(stem.split()[-1], line[:_LONGEST].split()[0], compounds)
            pieces[-1] = pieces[-1][:-1] + "-" * is_own
            end = stem + "-" * is_own
        elif pieces:
            pieces.append("\n")
            end = ""
        pieces.append(line)
        end = (end + line[-_LONGEST:])[-_LONGEST:]
    return "".join(pieces)


def _is_own(before: str, after: str, compounds: frozenset[str]) -> bool:
    """Tell whether a hyphen at a line end belongs to the word that it parts."""
    word, rest = before.lstrip(_ENDS), after.rstrip(_ENDS)
    is_plain = word.isalpha() and rest.isalpha() and rest.islower()
    return not is_plain or f"{word}-{rest}".casefold() in compounds
