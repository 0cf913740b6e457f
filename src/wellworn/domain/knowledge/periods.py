"""Finds documents that are past: by their own word, or as older copies of one with a date.

What is past is history: it gives way to what its place says now, and disagrees with nobody.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from wellworn.domain.knowledge.views import Reading
from wellworn.kit.words import load_phrases, load_words

_FOLDERS: Final = frozenset(load_words(__name__, "withdrawn_folders"))
_WORDS: Final = load_phrases(__name__, "withdrawn")
_TITLE: Final = re.compile(
    rf"[(\[]?(?:{_WORDS})[)\]:]?(?:\s.*)?|.*[(\[](?:{_WORDS})[)\]]", re.IGNORECASE
)
_STATUS: Final = re.compile(rf"(?:{_WORDS})\b", re.IGNORECASE)
_NOTICE: Final = re.compile(rf"\W*(?:status|state)\W+(?:{_WORDS})\b", re.IGNORECASE)
_MOST_LINES: Final = 12
"""Lines of a document in which it says that it holds no longer."""
_DATE: Final = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:[-_./]?(?P<month>0[1-9]|1[0-2])"
    r"(?:[-_./]?(?P<day>0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)


_GAPS: Final = re.compile(r"[^a-z0-9/.]+|[-_ ]+(?=\.)")
_NOW: Final = "now"
"""Stands for the date of a document without one; it comes after all digits."""
_LEAST_NOTES: Final = 3


def is_withdrawn(reading: Reading) -> bool:
    """Tell whether a document says by folder, title or status that it is past."""
    *folders, _ = reading.document.path.casefold().split("/")
    if _FOLDERS & set(folders) or _TITLE.fullmatch(reading.title):
        return True
    front = reading.markdown.front_matter
    if front and _STATUS.match(front.value("status")):
        return True
    first = (line.text for line in reading.lines if line.text.strip())
    opening = (text for text, _ in zip(first, range(_MOST_LINES), strict=False))
    return any(_NOTICE.match(text) for text in opening)


def bears_date(text: str) -> bool:
    """Tell whether there is a date in a text."""
    return _DATE.search(text) is not None


def find_superseded(paths: Iterable[tuple[int, str, str]]) -> set[int]:
    """Return which of some documents have a later copy: their paths differ in the date alone.

    A copy without a date is the one that is kept up to date, and later than any.

    Args:
        paths: of each document its number, its place and its path.
    """
    return {
        number
        for dated in _group_copies(paths).values()
        for date, number in dated
        if date < max(other for other, _ in dated)
    }


def find_records(paths: Iterable[tuple[int, str, str]]) -> set[int]:
    """Return which of some documents tell of a day: notes of a journal, and what is superseded.

    What they say held then, and contradicts nothing that is said now. A journal is a folder of
    several documents with dates that are no copies of one another.
    """
    paths = list(paths)
    copies = _group_copies(paths)
    folder_of = {number: (place, path.rpartition("/")[0]) for number, place, path in paths}
    notes: dict[tuple[str, str], set[int]] = defaultdict(set)
    for dated in copies.values():
        date, number = max(dated)
        if date != _NOW:
            notes[folder_of[number]].add(number)
    journals = (numbers for numbers in notes.values() if len(numbers) >= _LEAST_NOTES)
    return find_superseded(paths).union(*journals)


def _group_copies(
    paths: Iterable[tuple[int, str, str]],
) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return documents by what their paths are without dates, if one of them bears a date."""
    copies: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for number, place, path in paths:
        dates = [_write_date(match) for match in _DATE.finditer(path)]
        bare = _GAPS.sub("", _DATE.sub("", path.casefold()))
        copies[place, bare].append((max(dates, default=_NOW), number))
    return {name: dated for name, dated in copies.items() if any(date != _NOW for date, _ in dated)}


def _write_date(match: re.Match[str]) -> str:
    return "".join(part or "00" for part in match.group("year", "month", "day"))
