"""Puts prose that a PDF draws across two or more columns in the order it is read; pure rules.

Most programs write one column to its end and then the next. Where lines of all columns come one
after the other, a gap goes down through them, and on both sides of it lines fill their column and
go on in small letters. A table's cells do neither.

Source: measured on made PDFs of two and three columns, and on the tables of the reader's tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from statistics import median
from typing import Final, NamedTuple

from wellworn.engines.extraction.pdf_lines import Cell, PdfLine

_FEWEST_ROWS: Final = 4
_LEAST_GUTTER: Final = 0.7
_LEAST_FILLED: Final = 0.75
_LEAST_GOING_ON: Final = 0.4
_LEAST_WORDS: Final = 2
_NEXT_LINE: Final = 2.5
_APART: Final = 1.75
_BESIDE: Final = 1.15
_MOST_BESIDE: Final = 12
_WIDEST: Final = 1e6


class _Gap(NamedTuple):
    left: float
    right: float


def order_columns(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page, those across columns of prose parted and put in order."""
    ordered: list[PdfLine] = []
    at = 0
    while at < len(page):
        end, gaps = _find_region(page, at)
        columns = _part(page[at:end], gaps) if gaps else []
        ordered += [line for column in columns for line in column] if columns else page[at:end]
        at = end
    return ordered


def _find_region(page: Sequence[PdfLine], first: int) -> tuple[int, list[_Gap]]:
    """Return where the lines end through which gaps go down from a line on, and these gaps."""
    gaps = _gaps_of(_take_row(page, first))
    end = first + 1
    while gaps and end < len(page) and _is_next(page[end - 1], page[end]):
        left = _narrow(gaps, page[end])
        if not left:
            break
        gaps, end = left, end + 1
    return end, gaps if end - first >= _FEWEST_ROWS else []


def _take_row(page: Sequence[PdfLine], first: int) -> list[Cell]:
    """Return what stands beside a line, at most a line below it, as cells that do not overlap."""
    lowest = page[first].low - page[first].size * _BESIDE
    below = (page[at] for at in range(first, min(first + _MOST_BESIDE, len(page))))
    beside = takewhile(lambda line: line.cells and line.low > lowest, below)
    row: list[Cell] = []
    for cell in sorted(cell for line in beside for cell in line.cells):
        if row and cell.left <= row[-1].right:
            row[-1] = row[-1]._replace(right=max(row[-1].right, cell.right))
        else:
            row.append(cell)
    return row


def _gaps_of(cells: Sequence[Cell]) -> list[_Gap]:
    return [_Gap(before.right, after.left) for before, after in pairwise(cells)]


def _narrow(gaps: Sequence[_Gap], line: PdfLine) -> list[_Gap]:
    """Return what a line leaves free of each gap; none for a line whose places are not known."""
    free = [_Gap(-_WIDEST, line.cells[0].left), *_gaps_of(line.cells)] if line.cells else []
    free += [_Gap(line.cells[-1].right, _WIDEST)] if line.cells else []
    met = (
        _Gap(max(gap.left, room.left), min(gap.right, room.right)) for gap in gaps for room in free
    )
    return [gap for gap in met if gap.right - gap.left >= line.size * _LEAST_GUTTER]


def _is_next(above: PdfLine, line: PdfLine) -> bool:
    return 0 < above.low - line.low < max(above.size, line.size) * _NEXT_LINE


def _part(rows: Sequence[PdfLine], gaps: Sequence[_Gap]) -> list[list[PdfLine]]:
    """Return the columns between the gaps; none when they are not all prose."""
    borders = [-_WIDEST, *((gap.left + gap.right) / 2 for gap in gaps), _WIDEST]
    columns = [[*_take_column(rows, left, right)] for left, right in pairwise(borders)]
    return columns if all(map(_is_prose, columns)) else []


def _take_column(rows: Sequence[PdfLine], left: float, right: float) -> Iterator[PdfLine]:
    """Yield the parts of rows within a column, each a line of its own."""
    above: PdfLine | None = None
    for row in rows:
        cells = tuple(cell for cell in row.cells if left <= cell.left and cell.right <= right)
        if not cells:
            continue
        text = " ".join(cell.text for cell in cells)
        parted = above is None or above.low - row.low > row.size * _APART
        above = replace(row, text=text, cells=cells, parted=parted)
        yield above


def _is_prose(column: Sequence[PdfLine]) -> bool:
    """Tell whether the lines of a column fill it and go on from one to the next."""
    if len(column) < _FEWEST_ROWS:
        return False
    sides = [(line.cells[0].left, line.cells[-1].right) for line in column]
    width = max(right for _, right in sides) - min(left for left, _ in sides)
    filled = median(right - left for left, right in sides)
    goes_on = sum(line.text[:1].islower() for line in column[1:])
    words = median(len(line.text.split()) for line in column)
    return (
        filled >= _LEAST_FILLED * width
        and goes_on >= _LEAST_GOING_ON * (len(column) - 1)
        and words >= _LEAST_WORDS
    )


def may_have_columns(cells: Sequence[tuple[Cell, ...]]) -> bool:
    """Tell from the cells of some lines of a page whether its other lines are worth a look."""
    return sum(len(line) > 1 for line in cells) * 2 >= len(cells) > 0
