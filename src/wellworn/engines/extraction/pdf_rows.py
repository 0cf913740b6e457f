"""The lines of a PDF's page as they stand on it, where PDFium takes them apart or together.

PDFium follows the order in which a page is drawn. A cell of one letter ends its line or goes with
the line before, and of columns whose lines stand at different heights it makes one. What then goes
back to the left, or far up or down, is parted; what stands at one height is a line again.

Source: `ProcessInsertObject` of PDFium's `CPDF_TextPage`, and PDFs made for the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from wellworn.engines.extraction.pdf_letters import Box, Letters
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine, is_apart

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
    return replace(row[0], text=" ".join(line.text.strip() for line in row), cells=tuple(cells))


def _part_anew(lines: Sequence[PdfLine]) -> Iterator[PdfLine]:
    above: PdfLine | None = None
    for line in lines:
        gap = None if above is None else above.low - line.low
        size = line.size if above is None else max(above.size, line.size)
        yield replace(line, parted=is_apart(gap, size))
        above = line
