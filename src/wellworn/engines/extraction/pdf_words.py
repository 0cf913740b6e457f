"""Joins words that the lines of a PDF break, with the hyphen where it belongs to the word.

A hyphen that ends a line is one of the word's own if the word holds another one, a digit or a sign,
as compounds, models, ranges and addresses do; or if the document writes it so within a line. It
marks the break if the document writes the word without it. Of words that stand there once, it marks
the break where the document breaks words, and else it stays: that is what the page shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_HYPHENS: Final = "-\u2010\u00ad"
_ENDS: Final = "()[]{}<>\"'\u201c\u201d\u2018\u2019\u00ab\u00bb.,;:!?"
_LONGEST: Final = 200
"""Characters of a word that are looked at."""
_SOFT: Final = "\u00ad"
_FOUND_WHOLE: Final = 0.2
_FEWEST_BROKEN: Final = 5
_SHARE_BROKEN: Final = 0.03
"""Of lines: so many end in a hyphen where words are broken; compounds do so in one of a hundred."""
_LETTERS: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a document writes its words, in small letters.

    Attributes:
        compounds: those that it writes with a hyphen within a line.
        words: those that it writes without one.
        breaks_words: whether it breaks words at the ends of lines.
    """

    compounds: frozenset[str]
    words: frozenset[str]
    breaks_words: bool


def find_spelling(texts: Sequence[str]) -> Spelling:
    """Return how the lines of a document write its words."""
    compounds = frozenset(_find_compounds(texts))
    broken = [parts for above, line in pairwise(texts) if (parts := _find_broken(above, line))]
    unsure = [parts for parts in broken if f"{parts[0]}-{parts[1]}" not in compounds]
    words = frozenset(_find_words(texts) if unsure else ())
    whole = sum("".join(parts) in words for parts in unsure)
    is_usual = len(unsure) >= max(_FEWEST_BROKEN, _SHARE_BROKEN * len(texts))
    return Spelling(compounds, words, is_usual or whole > len(unsure) * _FOUND_WHOLE)


def _find_compounds(texts: Iterable[str]) -> Iterable[str]:
    words = (word.strip(_ENDS) for text in texts if "-" in text for word in text.split())
    return (
        word.casefold()
        for word in words
        if len(word) <= _LONGEST and "-" in word.strip("-") and word.replace("-", "").isalpha()
    )


def _find_words(texts: Iterable[str]) -> Iterable[str]:
    return (word.casefold() for text in texts for word in _LETTERS.findall(text))


def _find_broken(line: str, following: str) -> tuple[str, str] | None:
    """Return the parts of a word of letters that goes over a line end; None where none does."""
    if line[-1:] not in _HYPHENS or not line[-2:-1].isalnum() or not following[:1].islower():
        return None
    word = line[-_LONGEST:-1].rsplit(maxsplit=1)[-1].lstrip(_ENDS)
    rest = following[:_LONGEST].split(maxsplit=1)[0].rstrip(_ENDS)
    is_plain = word.isalpha() and rest.isalpha()
    return (word.casefold(), rest.casefold()) if is_plain else None


def join_lines(lines: Sequence[str], spelling: Spelling) -> str:
    """Return the lines of a paragraph, in which no word goes over a line end."""
    pieces: list[str] = []
    end = ""
    for line in lines:
        is_broken = end[-1:] in _HYPHENS and end[-2:-1].isalnum() and line[:1].isalnum()
        if is_broken:
            stem = end[:-1]
            is_own = end[-1] != _SOFT and _is_own(
                stem.split()[-1], line[:_LONGEST].split()[0], spelling
            )
            pieces[-1] = pieces[-1][:-1] + "-" * is_own
            end = stem + "-" * is_own
        elif pieces:
            pieces.append("\n")
            end = ""
        pieces.append(line)
        end = (end + line[-_LONGEST:])[-_LONGEST:]
    return "".join(pieces)


def _is_own(before: str, after: str, spelling: Spelling) -> bool:
    """Tell whether a hyphen at a line end belongs to the word that it parts."""
    word, rest = before.lstrip(_ENDS), after.rstrip(_ENDS)
    is_plain = word.isalpha() and rest.isalpha() and rest.islower()
    if not is_plain or f"{word}-{rest}".casefold() in spelling.compounds:
        return True
    return not spelling.breaks_words and f"{word}{rest}".casefold() not in spelling.words
