"""Tables of a document, drawn, in HTML or aligned: what their columns are called, and their rows.

A column of pictures, numbers or addresses before the names follows them: it names nothing.

Source: GitHub Flavored Markdown, tables; HTML Standard, 4.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from wellworn.domain.knowledge.entities import plain
from wellworn.domain.knowledge.views import Reading
from wellworn.kit.markdown import TableCell, TableHeads, TableRow

_ASIDE: Final = re.compile(r"\([^()]{0,100}\)")
_LAST_ASIDE: Final = re.compile(r"\(([^()]{1,100})\)$")
_TABLE: Final = re.compile(r"<table\b[^>]{0,400}>", re.IGNORECASE)
_TABLE_END: Final = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_ROW: Final = re.compile(r"<(?P<end>/?)tr\b[^>]{0,400}>", re.IGNORECASE)
_CELL: Final = re.compile(r"<(?P<end>/?)t[dh]\b[^>]{0,400}>", re.IGNORECASE)
#: Tags and blanks at either end of a cell.
_AROUND: Final = re.compile(r"(?:\s|<[^<>]{0,400}>)*")
_AFTER: Final = re.compile(r"(?:\s|<[^<>]{0,400}>){1,40}\Z")
#: What parts the lines of a cell (`engines.extraction`).
_APART: Final = "; "
_TWO: Final = 2
_MOST_ROWS: Final = 2_000
_LONGEST_ROW: Final = 8_000


@dataclass(frozen=True, slots=True)
class Grid:
    """A table in a part of the document: the cells of its head and its rows."""

    part: int
    head: Sequence[TableCell]
    rows: Sequence[TableRow]


def find_grids(reading: Reading) -> list[Grid]:
    """Return the tables of a document, to be found once: `Reading.find`."""
    tables = (*_of_pipes(reading), *_of_html(reading), *_of_aligned(reading))
    return [_part_rows(_put_names_first(grid)) for grid in tables]


def name_of(cell: TableCell) -> str:
    """Return what a cell names, without an aside in brackets."""
    return _ASIDE.sub("", plain(cell.text)).strip("\"' ")


def find_aside(cell: TableCell) -> str:
    """Return what stands in brackets behind a name; empty for none."""
    aside = _LAST_ASIDE.search(plain(cell.text))
    return aside[1] if aside else ""


def is_picture(cell: TableCell) -> bool:
    """Tell whether a cell is empty or only shows a picture."""
    return not cell.text or cell.text.startswith(("![", "[![", "<img"))


def _put_names_first(grid: Grid) -> Grid:
    """Return a table that begins with addresses or numbers with its first column of words first."""
    columns = range(len(grid.head))
    names = next((column for column in columns if not _names_nothing(grid.rows, column)), 0)
    if not names:
        return grid

    def reorder(cells: Sequence[TableCell]) -> Sequence[TableCell]:
        if names >= len(cells):
            return []
        return [cells[names], *cells[:names], *cells[names + 1 :]]

    rows = [TableRow(reorder(row.cells), row.span) for row in grid.rows]
    return Grid(grid.part, reorder(grid.head), rows)


def _part_rows(grid: Grid) -> Grid:
    """Return a table in which a row of several names, line by line, is one row for each."""
    rows = chain.from_iterable(map(_part_row, grid.rows))
    return Grid(grid.part, grid.head, list(islice(rows, _MOST_ROWS)))


def _part_row(row: TableRow) -> Iterator[TableRow]:
    """Yield the rows in one, where as many values as names stand in a cell, or one for all."""
    cells = [_part_cell(cell) for cell in row.cells]
    count = len(cells[0]) if cells else 1
    if count > 1 and {len(parts) for parts in cells[1:]} in ({count}, {1, count}):
        for number in range(count):
            parts = [parts[number if len(parts) > 1 else 0] for parts in cells]
            yield TableRow(parts, row.span)
    else:
        yield row


def _part_cell(cell: TableCell) -> list[TableCell]:
    parts: list[TableCell] = []
    start = cell.start
    for text in cell.text.split(_APART):
        parts.append(TableCell(start, text))
        start += len(text) + len(_APART)
    return parts


def _names_nothing(rows: Sequence[TableRow], column: int) -> bool:
    """Tell whether a column shows pictures, or numbers, addresses and dates alone."""
    cells = [row.cells[column] for row in rows if column < len(row.cells)]
    return bool(cells) and all(
        is_picture(cell) or not any(map(str.isalpha, cell.text)) for cell in cells
    )


def _of_pipes(reading: Reading) -> Iterator[Grid]:
    for table in reading.markdown.tables:
        start = table.head.span[0]
        if len(table.head.cells) >= _TWO and not reading.is_silent(start):
            yield Grid(reading.part_at(start), table.head.cells, table.rows[:_MOST_ROWS])


def _of_aligned(reading: Reading) -> Iterator[Grid]:
    for head, *rows in filter(None, TableHeads(reading.text).list_aligned_rows()):
        start = head.span[0]
        if not reading.is_silent(start):
            yield Grid(reading.part_at(start), head.cells, rows[:_MOST_ROWS])


def _of_html(reading: Reading) -> Iterator[Grid]:
    text, end = reading.text, 0
    for table in _TABLE.finditer(text):
        if table.start() < end or reading.is_silent(table.start()):
            continue
        closing = _TABLE_END.search(text, table.end())
        end = closing.start() if closing else len(text)
        head, *rows = [*_html_rows(text, table.end(), end)] or [TableRow([], (0, 0))]
        if len(head.cells) >= _TWO:
            yield Grid(reading.part_at(table.start()), head.cells, rows[:_MOST_ROWS])


def _html_rows(text: str, start: int, end: int) -> Iterator[TableRow]:
    for first, last in _elements(_ROW, text, start, end):
        if last - first <= _LONGEST_ROW:
            cells = [_html_cell(text, *span) for span in _elements(_CELL, text, first, last)]
            yield TableRow(cells, (first, last))


def _elements(tag: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what stands between a tag and the next of its kind, which may leave out its end."""
    begun = -1
    for mark in tag.finditer(text, start, end):
        if begun >= 0:
            yield begun, mark.start()
        begun = -1 if mark["end"] else mark.end()


def _html_cell(text: str, start: int, end: int) -> TableCell:
    """Return what a cell says; nothing where tags stand in the middle of it."""
    opening = _AROUND.match(text, start, end)
    start = opening.end() if opening else start
    words = _AFTER.sub("", text[start:end])
    return TableCell(start, "" if "<" in words else words)
