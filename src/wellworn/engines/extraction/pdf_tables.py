"""Finds tables in a PDF by the positions of words; pure rules.

Lines with wide gaps in the same places form a table. What may be prose in columns, a list, code or
a table of contents does not, because a false table is worse than a missed one.

Source: measured on made PDFs of four programs and on the PDF manuals of two libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from wellworn.engines.extraction.pdf_lines import Cell, PdfLine

_FEWEST_ROWS: Final = 3
_FEWEST_COLUMNS: Final = 2
_MOST_COLUMNS: Final = 40
_LEAST_FILLED: Final = 0.6
_MOST_WORDS: Final = 5
_FARTHEST: Final = 4.0
_NEXT_LINE: Final = 1.6
_SAME_LINE: Final = 0.3
# Else a page made for it would be gone through once for each of its lines.
_MOST_TRIED_AGAIN: Final = 100
_CLOSE: Final = 0.8
_LEAST_BETWEEN: Final = 0.3
_SAME_WIDTH: Final = 1.02
_BOLDER: Final = 150
_LEADER: Final = re.compile(r"(?:[.\u00b7\u2026] ?){4}")
_MARK: Final = re.compile(
    r"[\u2022\u2023\u25e6\u25aa\u25cf\u25cb\u2013\u2014*-]"
    r"|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\]"
)
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class PdfTable:
    """The lines of a page up to `end` as rows, all of one length."""

    end: int
    rows: list[list[str]]
    has_header: bool


@dataclass(slots=True)
class _Row:
    """A growing row, with its first line and the lower edge of its last one."""

    first: PdfLine
    low: float
    cells: list[Cell] = field(default_factory=list[Cell])


def tables(page: Sequence[PdfLine]) -> dict[int, PdfTable]:
    """Return the tables of a page, each by the index of its first line."""
    tables_by_line: dict[int, PdfTable] = {}
    at = 0
    while at < len(page):
        made = _from(page, at)
        if isinstance(made, PdfTable):
            tables_by_line[at] = made
        at = made.end if isinstance(made, PdfTable) else made
    return tables_by_line


def _from(page: Sequence[PdfLine], first: int) -> PdfTable | int:
    """Return the table that begins at a line, or else the line at which to look for the next."""
    columns: list[Cell] = []
    rows: list[_Row] = []
    end = first
    while end < len(page) and _take(columns, rows, page[end]):
        end += 1
    following = first + 1 if end - first < _MOST_TRIED_AGAIN else end
    if len(rows) < _FEWEST_ROWS:
        return following
    rows = _join_rows(rows, columns)
    filled = [_fill_row(columns, row.cells) for row in rows]
    if not _is_table(rows, filled, columns):
        return end if rows else following
    has_header = _has_header(rows, filled)
    # Without a name in front, a first row is the end of one that was not understood.
    return PdfTable(end, filled, has_header) if has_header or filled[0][0] else following


def _take(columns: list[Cell], rows: list[_Row], line: PdfLine) -> bool:
    """Add a line as a row or to the last one; tell whether it is part of the table."""
    cells = list(line.cells)
    if not _fits(columns, cells):
        cells = _without_mark(cells)
    if not 0 < len(cells) <= _MOST_COLUMNS or _LEADER.search(line.text):
        return False
    wider = _widen(columns, cells, line.size * _LEAST_BETWEEN)
    if wider is None or len(wider) > _MOST_COLUMNS:
        return False
    is_unlike = len(rows) == 1 and abs(line.weight - rows[0].first.weight) >= _BOLDER
    if rows and not is_unlike and _goes_on(rows[-1], columns, line, cells):
        rows[-1].cells += cells
        rows[-1].low = min(rows[-1].low, line.low)
    elif len(cells) < _FEWEST_COLUMNS or (rows and not _is_below(rows[-1].low, line)):
        return False
    else:
        rows.append(_Row(line, line.low, cells))
    columns[:] = wider
    return True


def _fits(columns: Sequence[Cell], cells: Sequence[Cell]) -> bool:
    """Tell whether each cell stands in a column of its own that is there already."""
    met = [[at for at, column in enumerate(columns) if _meets(column, cell)] for cell in cells]
    return all(len(each) == 1 for each in met) and len({at for (at,) in met}) == len(cells)


def _meets(column: Cell, cell: Cell) -> bool:
    return cell.left < column.right and cell.right > column.left


def _without_mark(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a line; the mark of a list item is none."""
    if len(cells) > 1 and _MARK.fullmatch(cells[0].text):
        first, second, *others = cells
        return [Cell(first.left, second.right, f"{first.text} {second.text}"), *others]
    return list(cells)


def _widen(columns: Sequence[Cell], cells: Iterable[Cell], between: float) -> list[Cell] | None:
    """Return the columns with a line's cells in them; None when a cell reaches over two."""
    wider = list(columns)
    taken: set[int] = set()
    for cell in cells:
        met = [
            number
            for number, column in enumerate(columns)
            if cell.left < column.right + between and cell.right > column.left - between
        ]
        if len(met) > 1 or not taken.isdisjoint(met):
            return None
        taken.update(met)
        for number in met:
            old = columns[number]
            wider[number] = Cell(min(old.left, cell.left), max(old.right, cell.right), "")
        if not met:
            wider.append(Cell(cell.left, cell.right, ""))
    return sorted(wider)


def _goes_on(row: _Row, columns: Sequence[Cell], line: PdfLine, cells: Sequence[Cell]) -> bool:
    """Tell whether a line continues a row: beside it, or below it right of the first column."""
    below = row.low - line.low
    if below < line.size * _SAME_LINE:
        return line.low - row.first.low < line.size * _FARTHEST
    is_beside = cells[0].left >= columns[0].right
    return len(cells) == 1 and is_beside and below < line.size * _NEXT_LINE


def _join_rows(rows: Sequence[_Row], columns: Sequence[Cell]) -> list[_Row]:
    """Join rows that lack a first cell and stand close to the row above.

    Where rows stand as close as lines, the two cannot be told apart: then there are none.
    """
    steps = [above.low - row.first.low for above, row in pairwise(rows)]
    begun = [row.cells[0].left < columns[0].right for row in rows[1:]]
    usual = median([step for step, begins in zip(steps, begun, strict=True) if begins] or [0.0])
    if not all(begun) and usual < rows[0].first.size * _NEXT_LINE:
        return []
    joined = [*rows[:1]]
    for row, step, begins in zip(rows[1:], steps, begun, strict=True):
        if begins or step > usual * _CLOSE:
            joined.append(row)
        else:
            joined[-1].cells += row.cells
    return joined


def _is_below(low: float, line: PdfLine) -> bool:
    return 0 < low - line.low < line.size * _FARTHEST


def _fill_row(columns: Sequence[Cell], cells: Iterable[Cell]) -> list[str]:
    row = [""] * len(columns)
    for cell in cells:
        number = next(
            number
            for number, column in enumerate(columns)
            if column.left <= cell.left < column.right
        )
        row[number] = f"{row[number]} {cell.text}".lstrip()
    return row


def _is_table(
    rows: Sequence[_Row], filled: Sequence[Sequence[str]], columns: Sequence[Cell]
) -> bool:
    if len(rows) < _FEWEST_ROWS or len(columns) < _FEWEST_COLUMNS:
        return False
    full = sum(bool(cell) for row in filled for cell in row)
    wordy = [
        column
        for column in zip(*filled, strict=True)
        if median(len(cell.split()) for cell in column if cell) > _MOST_WORDS
    ]
    is_dense = full >= _LEAST_FILLED * len(rows) * len(columns)
    return is_dense and len(wordy) < _FEWEST_COLUMNS and not _is_typewritten(rows)


def _is_typewritten(rows: Iterable[_Row]) -> bool:
    """Tell whether all letters are of one width, as in code and in what programs print."""
    widths = [
        (cell.right - cell.left) / len(cell.text)
        for row in rows
        for cell in row.cells
        if len(cell.text) > 1
    ]
    return bool(widths) and max(widths) < min(widths) * _SAME_WIDTH


def _has_header(rows: Sequence[_Row], filled: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the columns: it is bolder, or the only one without digits.

    Of two columns that is not enough: a list of keys and values may begin with any value.
    """
    head, body = rows[0].first, rows[1].first
    if head.weight >= body.weight + _BOLDER or head.size > body.size:
        return True
    has_digits = any(map(_DIGIT.search, filled[0]))
    columns = zip(*filled[1:], strict=True)
    is_counted = any(all(_DIGIT.search(cell) for cell in column if cell) for column in columns)
    return len(filled[0]) > _FEWEST_COLUMNS and not has_digits and is_counted
