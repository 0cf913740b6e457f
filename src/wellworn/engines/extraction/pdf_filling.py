"""Puts what is filled in on a PDF's page beside its label; pure rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wellworn.engines.extraction.pdf_fields import Area
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine

_BLANK_LINE: Final = re.compile(r"_{3,}")
_LEAST_SHARED: Final = 0.5


def fill_in(page: Sequence[PdfLine], fields: Sequence[Area]) -> list[PdfLine]:
    """Return the lines of a page with its fields, each in the line that it stands in.

    A field beside no line is a line of its own.
    """
    lines = list(page)
    for field in sorted(fields, key=lambda each: (-each.bottom, each.left)):
        beside = [at for at, line in enumerate(lines) if _is_beside(line, field)]
        if beside:
            nearest = min(beside, key=lambda at: _distance(lines[at], field))
            lines[nearest] = _fill_line(lines[nearest], field)
        else:
            below = (at for at, line in enumerate(lines) if 0 < line.low < field.bottom)
            alone = PdfLine(field.text, parted=True, low=field.bottom)
            lines.insert(next(below, len(lines)), alone)
    return lines


def _is_beside(line: PdfLine, field: Area) -> bool:
    if not line.size:
        return False
    shared = min(line.low + line.size, field.top) - max(line.low, field.bottom)
    return shared >= _LEAST_SHARED * min(line.size, field.top - field.bottom)


def _distance(line: PdfLine, field: Area) -> float:
    if not line.cells:
        return 0.0
    return max(line.cells[0].left - field.right, field.left - line.cells[-1].right, 0.0)


def _fill_line(line: PdfLine, field: Area) -> PdfLine:
    """Return a line with a field: on the line drawn for it, or between the words beside it."""
    for at, cell in enumerate(line.cells):
        if cell.left <= field.left <= cell.right and _BLANK_LINE.search(cell.text):
            text = _BLANK_LINE.sub(lambda _: field.text, cell.text, count=1)
            cells = (*line.cells[:at], cell._replace(text=text), *line.cells[at + 1 :])
            break
    else:
        own = Cell(field.left, field.right, field.text)
        cells = tuple(sorted([*line.cells, own])) if line.cells else ()
    text = " ".join(cell.text for cell in cells) if cells else f"{line.text} {field.text}"
    return line._replace(text=text, cells=cells)
