"""Puts prose that a PDF draws across two or more columns in the order it is read; pure rules.

Most programs write one column to its end and then the next. Where lines of all columns come one
after the other, a gap goes down through them, and on both sides of it lines fill their column and
go on in small letters. A table's cells do neither.

Lines are also put back as they stand on the page, as PDFium follows the order in which a page is
drawn: a cell of one letter ends its line or goes with the line before, and of columns whose lines
stand at different heights it makes one. What then goes back to the left, or far up or down, is
parted; what stands at one height is a line again.

Source: measured on made PDFs of two and three columns, and on the tables of the reader's tests;
`ProcessInsertObject` of PDFium's `CPDF_TextPage`, and PDFs made for the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from statistics import median
from typing import Final, NamedTuple

from wellworn.engines.extraction.pdf_letters import Box, Letters
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine, is_apart

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
    gaps = _gaps_of(_take_row(page, first)) if page[first].cells else []
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
        above = row._replace(text=text, cells=cells, parted=parted)
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


_WORDS: Final = re.compile(r"\S+")
_FROM_THE_RIGHT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_ANOTHER_HEIGHT: Final = 0.5
_HIGHEST_RAISED: Final = 0.8
_SAME_HEIGHT: Final = 0.35
_LEVEL: Final = 0.2
_RISING: Final = 0.95
_BACK: Final = 1.0
_MOST_IN_ROW: Final = 100
_CLOSE: Final = 0.7


def is_disordered(page: str, lines: Sequence[tuple[Box, Box]]) -> bool:
    """Tell whether lines may not be as they stand: one goes down, or two stand beside each other.

    Args:
        page: its text; where any of it is written from the right, it stays as it is.
        lines: the first and the last letter of each line.
    """
    if _FROM_THE_RIGHT.search(page):
        return False
    goes_down = (abs(begin.bottom - end.bottom) > begin.height * _LEVEL for begin, end in lines)
    return any(goes_down) or any(_is_beside(*both) for both in pairwise(lines))


def _is_beside(above: tuple[Box, Box], line: tuple[Box, Box]) -> bool:
    step = abs(above[0].bottom - line[0].bottom)
    is_apart_from = line[0].left >= above[1].right or line[1].right <= above[0].left
    return is_apart_from and step < above[0].height


def part_rows(letters: Letters, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines with their starts, parted where their words go back, far up or far down."""
    for start, line in lines:
        begin, before = 0, None
        for word in _WORDS.finditer(line):
            if before is None and not letters.is_upright(start + word.start()):
                break
            for at in _list_places(letters, start, word):
                here = letters.box(start + at)
                if before is not None and _is_elsewhere(before, here, in_word=at > word.start()):
                    yield start + begin, line[begin:at]
                    begin = at
                before = here
        yield start + begin, line[begin:]


def _list_places(letters: Letters, start: int, word: re.Match[str]) -> Iterable[int]:
    """Return the letters of a word to look at: the first and the last, or all of one that parts."""
    first, last = word.start(), word.end() - 1
    if _is_elsewhere(letters.box(start + first), letters.box(start + last), in_word=True):
        return range(first, last + 1)
    return {first: None, last: None}


def _is_elsewhere(before: Box, here: Box, *, in_word: bool) -> bool:
    most = _HIGHEST_RAISED if in_word else _ANOTHER_HEIGHT
    is_back = here.left < before.left - _BACK
    return is_back or abs(here.bottom - before.bottom) > most * before.height


def arrange(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return parts of lines as the lines that they are, from above; those without places stay."""
    arranged: list[PdfLine] = []
    block: list[PdfLine] = []
    for line in page:
        if block and (not line.cells or line.low - block[-1].low > block[-1].size * _RISING):
            arranged += _join_rows(block)
            block = []
        block.append(line)
        if not line.cells:
            arranged += block
            block = []
    return [*_part_anew([*arranged, *_join_rows(block)])]


def _join_rows(block: Sequence[PdfLine]) -> list[PdfLine]:
    rows: list[list[PdfLine]] = []
    for line in sorted(block, key=lambda each: -each.low):
        if rows and len(rows[-1]) < _MOST_IN_ROW and _stands_in(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_join(sorted(row, key=lambda each: each.cells[0].left)) for row in rows]


def _stands_in(row: Sequence[PdfLine], line: PdfLine) -> bool:
    left, right = line.cells[0].left, line.cells[-1].right
    return row[0].low - line.low < row[0].size * _SAME_HEIGHT and all(
        right <= each.cells[0].left + _BACK or left >= each.cells[-1].right - _BACK for each in row
    )


def _join(row: Sequence[PdfLine]) -> PdfLine:
    if len(row) == 1:
        return row[0]
    cells: list[Cell] = []
    for cell in (cell for line in row for cell in line.cells):
        if cells and cell.left - cells[-1].right < row[0].size * _CLOSE:
            cells[-1] = Cell(cells[-1].left, cell.right, f"{cells[-1].text} {cell.text}")
        else:
            cells.append(cell)
    return row[0]._replace(text=" ".join(line.text.strip() for line in row), cells=tuple(cells))


def _part_anew(lines: Sequence[PdfLine]) -> Iterator[PdfLine]:
    above: PdfLine | None = None
    for line in lines:
        gap = None if above is None else above.low - line.low
        size = line.size if above is None else max(above.size, line.size)
        yield line._replace(parted=is_apart(gap, size))
        above = line
