"""Tables of a document, in pipes or in HTML: what their columns are called, and their rows.

A column of pictures before the names is passed over: it names nothing.

Source: GitHub Flavored Markdown, tables; HTML Standard, 4.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from wellworn.domain.knowledge.entities import plain
from wellworn.domain.knowledge.views import Line, Reading

_RULE: Final = re.compile(r"[-:| \t]+")
_BAR: Final = re.compile(r"(?<!\\)\|")
_ASIDE: Final = re.compile(r"\([^()]{0,100}\)")
_TABLE: Final = re.compile(r"<table\b[^>]{0,400}>", re.IGNORECASE)
_TABLE_END: Final = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_ROW: Final = re.compile(r"<(?P<end>/?)tr\b[^>]{0,400}>", re.IGNORECASE)
_CELL: Final = re.compile(r"<(?P<end>/?)t[dh]\b[^>]{0,400}>", re.IGNORECASE)
#: Tags and blanks at either end of a cell.
_AROUND: Final = re.compile(r"(?:\s|<[^<>]{0,400}>)*")
_AFTER: Final = re.compile(r"(?:\s|<[^<>]{0,400}>){1,40}\Z")
_TWO: Final = 2
_MOST_ROWS: Final = 2_000
_LONGEST_ROW: Final = 8_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text, without the blanks around it, and where it begins."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        return _ASIDE.sub("", plain(self.text)).strip("\"' ")

    @property
    def is_picture(self) -> bool:
        return not self.text or self.text.startswith(("![", "[![", "<img"))


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells, and where it stands whole."""

    cells: Sequence[Cell]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table in a part of the document: the cells of its head and its rows."""

    part: int
    head: Sequence[Cell]
    rows: Sequence[Row]


def grids(reading: Reading) -> Iterator[Grid]:
    """Yield the tables of a document."""
    yield from map(_without_pictures, _of_pipes(reading.lines))
    yield from map(_without_pictures, _of_html(reading))


def _without_pictures(grid: Grid) -> Grid:
    first = 0
    while first < len(grid.head) - 1 and _are_pictures(grid.rows, first):
        first += 1
    if not first:
        return grid
    rows = [Row(row.cells[first:], row.span) for row in grid.rows]
    return Grid(grid.part, grid.head[first:], rows)


def _are_pictures(rows: Sequence[Row], column: int) -> bool:
    found = [row.cells[column].is_picture for row in rows if column < len(row.cells)]
    return bool(found) and all(found)


def _of_pipes(lines: Sequence[Line]) -> Iterator[Grid]:
    for number, (head, rule) in enumerate(pairwise(lines)):
        if "|" not in head.text or "-" not in rule.text or head.end + 1 != rule.start:
            continue
        named = _cells(head)
        if not _RULE.fullmatch(rule.text) or len(named) < _TWO:
            continue
        following = lines[number + 2 : number + 2 + _MOST_ROWS]
        yield Grid(head.part, named, [_row(line) for line in _rows(following, rule)])


def _rows(lines: Sequence[Line], rule: Line) -> Iterator[Line]:
    end = rule.end
    for line in lines:
        if line.start != end + 1 or "|" not in line.text:
            return
        yield line
        end = line.end


def _row(line: Line) -> Row:
    bare = line.text.strip()
    start = line.start + line.text.index(bare) if bare else line.start
    return Row(_cells(line), (start, start + len(bare)))


def _cells(line: Line) -> list[Cell]:
    bars = [-1, *(match.start() for match in _BAR.finditer(line.text)), len(line.text)]
    cells: list[Cell] = []
    for before, after in pairwise(bars):
        raw = line.text[before + 1 : after]
        text = raw.strip()
        cells.append(Cell(line.start + before + 1 + len(raw) - len(raw.lstrip()), text))
    first = 1 if line.text.lstrip().startswith("|") else 0
    return cells[first : -1 if line.text.rstrip().endswith("|") else None]


def _of_html(reading: Reading) -> Iterator[Grid]:
    text, end = reading.text, 0
    for table in _TABLE.finditer(text):
        if table.start() < end or reading.is_silent(table.start()):
            continue
        closing = _TABLE_END.search(text, table.end())
        end = closing.start() if closing else len(text)
        head, *rows = [*_html_rows(text, table.end(), end)] or [Row([], (0, 0))]
        if len(head.cells) >= _TWO:
            yield Grid(reading.part_at(table.start()), head.cells, rows[:_MOST_ROWS])


def _html_rows(text: str, start: int, end: int) -> Iterator[Row]:
    for first, last in _elements(_ROW, text, start, end):
        if last - first <= _LONGEST_ROW:
            cells = [_html_cell(text, *span) for span in _elements(_CELL, text, first, last)]
            yield Row(cells, (first, last))


def _elements(tag: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what stands between a tag and the next of its kind, which may leave out its end."""
    begun = -1
    for one in tag.finditer(text, start, end):
        if begun >= 0:
            yield begun, one.start()
        begun = -1 if one["end"] else one.end()


def _html_cell(text: str, start: int, end: int) -> Cell:
    """Return what a cell says; nothing where tags stand in the middle of it."""
    opening = _AROUND.match(text, start, end)
    start = opening.end() if opening else start
    said = _AFTER.sub("", text[start:end])
    return Cell(start, "" if "<" in said else said)
