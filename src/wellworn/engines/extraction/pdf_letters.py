"""Where the letters of a PDF's page stand: size, weight and place of single ones, cells of a line.

Every question is a call into PDFium, of one to two microseconds. So only first and last letters of
lines are looked at, and the gaps between words only where a line is wider than its words.

Source: FPDFText_GetLooseCharBox, FPDFText_GetFontWeight and FPDFText_GetFontInfo of PDFium.
"""

from __future__ import annotations

import re
from ctypes import create_string_buffer
from typing import Any, Final, NamedTuple

import pypdfium2.raw

from wellworn.engines.extraction.pdf_lines import Cell

# Its names are made when the library is loaded.
_pdfium: Any = pypdfium2.raw
_BLANKS: Final = re.compile(r"\s+")
_LEAST_GAP: Final = 0.7
_LONGEST_NAME: Final = 128
_BOLD: Final = 700
_BOLD_NAME: Final = re.compile(rb"bold|black|heavy", re.IGNORECASE)


class Box(NamedTuple):
    """A letter with the room around it, in points from the lower left corner of the page."""

    left: float
    right: float
    bottom: float
    height: float


NOWHERE: Final = Box(0.0, 0.0, 0.0, 0.0)


class Letters:
    """The letters of one page, by their index in its text."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._box = _pdfium.FS_RECTF()
        self._name = create_string_buffer(_LONGEST_NAME)

    def box(self, at: int) -> Box:
        """Return where a letter stands; `NOWHERE` when that is unknown."""
        index = self._index(at)
        box = self._box
        if index < 0 or not _pdfium.FPDFText_GetLooseCharBox(self._page, index, box):
            return NOWHERE
        return Box(box.left, box.right, box.bottom, box.top - box.bottom)

    def weight(self, at: int) -> int:
        """Return how bold a letter is: 400 is regular, 700 bold, 0 unknown.

        Many programs say it in the name of the font alone.
        """
        index = self._index(at)
        if index < 0:
            return 0
        weight = _pdfium.FPDFText_GetFontWeight(self._page, index)
        _pdfium.FPDFText_GetFontInfo(self._page, index, self._name, len(self._name), None)
        is_bold = _BOLD_NAME.search(self._name.value) is not None
        return max(weight, _BOLD if is_bold else 0)

    def cells(self, start: int, line: str, size: float) -> tuple[Cell, ...]:
        """Return the parts of a line between wide gaps; none where its letters cannot be told.

        Args:
            start: index of its first letter, which is no blank.
            line: as it stands in the text, without blanks around.
            size: its height in points.
        """
        first, last = (self._index(start + at) for at in (0, len(line) - 1))
        # Letters that PDFium made two of, or none, would move all that follow.
        if first < 0 or last - first != len(line) - 1:
            return ()
        cells: list[Cell] = []
        begin, left = 0, self._sides(first)[0]
        for blanks in _BLANKS.finditer(line):
            _, before = self._sides(first + blanks.start() - 1)
            after, _ = self._sides(first + blanks.end())
            if after - before >= size * _LEAST_GAP:
                cells.append(Cell(left, before, line[begin : blanks.start()]))
                begin, left = blanks.end(), after
        return (*cells, Cell(left, self._sides(last)[1], line[begin:]))

    def _index(self, at: int) -> int:
        """Return PDFium's number of a letter, which counts otherwise; -1 when it has none."""
        return _pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, at)

    def _sides(self, index: int) -> tuple[float, float]:
        box = self._box
        if not _pdfium.FPDFText_GetLooseCharBox(self._page, index, box):
            return 0.0, 0.0
        return box.left, box.right
