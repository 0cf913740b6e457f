"""Lines of PDF pages: which of them are headings or repeat on every page; pure rules.

An outline names the headings; without one they are guessed from size and weight, and flagged.

Source: measured on ten real and two made documents; capped, as author lists mislead it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

Place = tuple[int, int]
"""A page and the index of a line on it."""

_GAP: Final = 0.75
_EDGE_LINES: Final = 2
_LEAST_REPEATED: Final = 3
_REPEATED_SHARE: Final = 0.3
_ONLY_NUMBER: Final = re.compile(r"[\W_]{0,3}(?:\d{1,5}|[ivxlc]{1,7})[\W_]{0,3}")
_INTEGER: Final = re.compile(r"(?<!\d)\d{1,5}(?!\d)", re.ASCII)
_LARGER: Final = 1.15
_BOLDER: Final = 150
_BOLD: Final = 600
_SHORTEST_HEADING: Final = 3
_LONGEST_HEADING: Final = 120
_MOST_TITLE_LINES: Final = 3
_MOST_GUESSED_A_PAGE: Final = 3
_GUESSED_LEVELS: Final = 3
_NUMBERING: Final = re.compile(
    r"^(?:chapter |part |section |appendix )?(?:[\divxlc]++|[a-z])?[\d.]*[.:)]?\s+"
)


class Cell(NamedTuple):
    """Words of a line with their left and right edges, in points."""

    left: float
    right: float
    text: str


class PdfLine(NamedTuple):
    """One line of a page.

    Attributes:
        text: without its line end.
        size: height of its first letter in points; 0 when unknown.
        weight: 400 is regular, 700 bold; 0 when unknown.
        parted: whether it stands apart from the line before it.
        low: its lower edge in points.
        cells: its parts between wide gaps; none when they were not read.
    """

    text: str
    size: float = 0.0
    weight: int = 0
    parted: bool = False
    low: float = 0.0
    cells: tuple[Cell, ...] = ()


Pages = Sequence[Sequence[PdfLine]]


def is_apart(gap: float | None, size: float) -> bool:
    """Tell whether the gap above a line is wider than between lines of a paragraph."""
    return gap is None or gap < -size or gap > size * (1 + _GAP)


def without_repeated(pages: Pages) -> list[list[PdfLine]]:
    """Return the pages without headers and footers: edge lines that stand on 30 % of all pages.

    Lines that differ by a number that grows with the pages count as the same, and three of them are
    enough. Lines larger than the body stay, and a page keeps its lines if all would go.
    """
    body = _body(pages)
    largest = body[0] * _LARGER if body else float("inf")
    keys = [
        {at: _keys(page[at], number) for at in _edges(page) if page[at].size < largest}
        for number, page in enumerate(pages)
    ]
    counts = Counter(
        key for page in keys for key in {key for some in page.values() for key in some}
    )
    often = max(_LEAST_REPEATED, _REPEATED_SHARE * len(pages))
    repeated = {
        key
        for key, count in counts.items()
        if count >= (_LEAST_REPEATED if _is_counted(key) else often)
    }
    return [_without(*both, repeated) for both in zip(pages, keys, strict=True)]


def match_outline(pages: Pages, outline: Iterable[tuple[int, int, str]]) -> dict[Place, int]:
    """Return the level of each line that the outline names.

    Args:
        pages: the lines.
        outline: level from 1, page and title of each entry.
    """
    levels: dict[Place, int] = {}
    for level, page, title in outline:
        if 0 <= page < len(pages) and (wanted := _plain(title)):
            at = next((i for i, line in enumerate(pages[page]) if _names(line.text, wanted)), None)
            if at is not None:
                levels.setdefault((page, at), level)
    return levels


def guess_headings(pages: Pages) -> dict[Place, int]:
    """Return the level of each line that is larger or bolder than the body, the largest first.

    There are at most three levels, and on average three headings a page.
    """
    body = _body(pages)
    places = {
        (number, at): _rank(line)
        for number, page in enumerate(pages)
        for at, line in enumerate(page)
        if body and _looks_like_heading(line, body)
    }
    by_rank = Counter(places.values())
    levels: dict[tuple[float, bool], int] = {}
    room = _MOST_GUESSED_A_PAGE * len(pages)
    for rank in sorted(by_rank, reverse=True)[:_GUESSED_LEVELS]:
        room -= by_rank[rank]
        if room < 0:
            break
        levels[rank] = len(levels) + 1
    return {place: levels[rank] for place, rank in places.items() if rank in levels}


def set_largest(page: Sequence[PdfLine]) -> str | None:
    """Return the largest lines of a page, if they are one title and not all of it."""
    size = max((line.size for line in page), default=0.0)
    largest = [line.text for line in page if line.size == size]
    if not size or len(largest) > _MOST_TITLE_LINES or len(largest) == len(page):
        return None
    return " ".join(largest)


def _edges(page: Sequence[PdfLine]) -> set[int]:
    count = len(page)
    return {*range(min(_EDGE_LINES, count)), *range(max(0, count - _EDGE_LINES), count)}


def _keys(line: PdfLine, page: int) -> set[str]:
    """Return the keys of a line: its words, and these with each number less the page number.

    That number stands after a line end, which no line has. All lines of only a number, also Roman
    or between marks, share one key.
    """
    text = " ".join(line.text.casefold().split())
    if _ONLY_NUMBER.fullmatch(text):
        return {"0"}
    return {text} | {
        f"{text[: integer.start()]}\n{int(integer[0]) - page}{text[integer.end() :]}"
        for integer in _INTEGER.finditer(text)
    }


def _is_counted(key: str) -> bool:
    return "\n" in key and any(map(str.isalpha, key))


def _without(
    page: Sequence[PdfLine], keys: dict[int, set[str]], repeated: set[str]
) -> list[PdfLine]:
    lines = [line for at, line in enumerate(page) if repeated.isdisjoint(keys.get(at, ()))]
    return lines or list(page)


def _plain(title: str) -> str:
    return re.sub(r"\W+", "", _NUMBERING.sub("", " ".join(title.casefold().split()) + " "))


def _names(line: str, wanted: str) -> bool:
    return len(line) <= 2 * _LONGEST_HEADING and _plain(line) == wanted


def _body(pages: Pages) -> tuple[float, int] | None:
    """Return size and weight of most of the text."""
    letters: Counter[tuple[float, int]] = Counter()
    for page in pages:
        for line in page:
            letters[line.size, line.weight] += len(line.text)
    if not letters:
        return None
    (size, weight), _ = letters.most_common(1)[0]
    return (size, weight) if size else None


def _looks_like_heading(line: PdfLine, body: tuple[float, int]) -> bool:
    size, weight = body
    text = line.text.strip()
    if not _SHORTEST_HEADING <= len(text) <= _LONGEST_HEADING or sum(
        map(str.isalpha, text)
    ) * 2 < len(text):
        return False
    if text[-1] in ".,;:" or text[0].islower():
        return False
    if line.size >= size * _LARGER:
        return True
    return line.size >= size and line.weight >= weight + _BOLDER and line.parted


def _rank(line: PdfLine) -> tuple[float, bool]:
    return line.size, line.weight >= _BOLD
