"""Measures the letters of a PDF's page: size, weight and place of some, cells of a line.

Every question is a call into PDFium, of one to two microseconds. So only first and last letters of
lines are looked at, and the gaps between words only where a line is wider than its words.

Source: FPDFText_GetLooseCharBox, FPDFText_GetFontWeight and FPDFText_GetFontInfo of PDFium.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from ctypes import c_double, create_string_buffer
from functools import lru_cache
from itertools import groupby
from math import radians, remainder, tau
from typing import Any, Final, NamedTuple

import pypdfium2.raw

from wellworn.engines.extraction.pdf_fields import Area, turn_area, turn_height
from wellworn.engines.extraction.pdf_lines import Cell
from wellworn.engines.extraction.raised import format_lowered, format_raised, format_struck

# Its names are made when the library is loaded.
_pdfium: Any = pypdfium2.raw
_BLANKS: Final = re.compile(r"\s+")
_LEAST_GAP: Final = 0.7
_DIGIT: Final = re.compile(r"\d")
_WORDS: Final = re.compile(r"\S+")
_RAISED: Final = 0.15
_LOWERED: Final = 0.08
_FARTHEST: Final = 0.8
_ASLANT: Final = 0.05
_LEVEL: Final = 0.02
_TOUCHING: Final = 1.0
_SEVERAL: Final = 2
_MIDDLE: Final = (0.25, 0.7)
_LONGEST_NAME: Final = 128
_REMEMBERED: Final = 1_024
_BOLD: Final = 700
_LIGATURE: Final = re.compile(r"(?:f[fijlt]|st) (?=\w)")
_CLOSE: Final = 0.12
_CAP: Final = 1.8
_CAP_MARGIN: Final = 0.8
_BOLD_NAME: Final = re.compile(rb"bold|black|heavy", re.IGNORECASE)


class Box(NamedTuple):
    """A letter with the room around it, in points from the lower left corner of the page."""

    left: float
    right: float
    bottom: float
    height: float


class Change(NamedTuple):
    """Letters of a line, from its first one, that are written otherwise; within one word."""

    start: int
    end: int
    text: str


NOWHERE: Final = Box(0.0, 0.0, 0.0, 0.0)


class Letters:
    """The letters of one page, by their index in its text.

    Args:
        turn: degrees by which the page is turned clockwise to be read; places are those on it then.
    """

    def __init__(self, page: Any, turn: int = 0) -> None:
        self._page = page
        self._turn = turn
        self._box = _pdfium.FS_RECTF()
        self._origin = c_double(), c_double()
        self._boxes: dict[int, Box] = {}
        last = _pdfium.FPDFText_CountChars(page) - 1
        # Where no letter is without a number or has several, PDFium counts as the text does.
        self._counted = range(last + 1 if self._ask_index(last) == last else 0)
        self._name = create_string_buffer(_LONGEST_NAME)

    def box(self, at: int) -> Box:
        """Return where a letter stands; `NOWHERE` when that is unknown."""
        known = self._boxes.get(at)
        if known is None:
            area = self._area(self._index(at))
            known = self._boxes[at] = (
                Box(area.left, area.right, area.bottom, area.top - area.bottom) if area else NOWHERE
            )
        return known

    def are_alike(self, first: int, last: int) -> bool:
        """Tell whether letters were written at once: of one size, and on one baseline."""
        begin, end = (
            bytes(_pdfium.FPDFText_GetTextObject(self._page, self._index(at)))
            for at in (first, last)
        )
        return begin == end and any(begin)

    def weight(self, at: int) -> int:
        """Return how bold a letter is: 400 is regular, 700 bold, 0 unknown.

        Many programs say it in the name of the font alone.
        """
        index = self._index(at)
        if index < 0:
            return 0
        weight = _pdfium.FPDFText_GetFontWeight(self._page, index)
        _pdfium.FPDFText_GetFontInfo(self._page, index, self._name, len(self._name), None)
        return max(weight, _BOLD if _is_bold(self._name.value) else 0)

    def find_gap(self, begin: int, end: int, after: int) -> float | None:
        """Return the gap after a raised or lowered letter, where a line goes on behind it.

        It is a share of the height; None where the letter is not raised, or the line ends.

        Args:
            begin: index of the line's first letter.
            end: of its last one, the raised one.
            after: of the letter that may go on.
        """
        first, last, following = self.box(begin), self.box(end), self.box(after)
        gap = following.left - last.right
        if not -_TOUCHING < gap < first.height:
            return None
        bases = [self._baseline(self._index(at)) for at in (begin, end, after)]
        is_level = abs(bases[2] - bases[0]) < _LEVEL * first.height
        is_raised = abs(bases[1] - bases[0]) >= _LOWERED * first.height
        return gap / first.height if is_level and is_raised else None

    def find_raised(self, start: int, line: str, size: float) -> list[Change]:
        """Return how the raised and lowered letters of words with digits are written.

        Args:
            start: index of the line's first letter.
            line: as it stands in the text.
            size: its height in points.
        """
        changes: list[Change] = []
        for word in _WORDS.finditer(line):
            length = word.end() - word.start()
            if not _DIGIT.search(word[0]):
                continue
            first, last = (self._index(start + at) for at in (word.start(), word.end() - 1))
            if length < _SEVERAL or last - first != length - 1:
                continue
            heights = [self._baseline(first + at) for at in range(length)]
            if max(heights) - min(heights) > _LOWERED * size and self._is_upright(first):
                changes += _write_levels(word, heights, self._usual_baseline(start, line), size)
        return changes

    def find_joined(self, start: int, line: str) -> list[Change]:
        """Return the blanks after ligatures where nothing parts what is drawn.

        PDFium puts one where a font says that its ligatures are narrower than they are.
        """
        return [
            Change(ligature.end() - 1, ligature.end(), "")
            for ligature in _LIGATURE.finditer(line)
            if self._is_joined(self._index(start + ligature.end() - 1))
        ]

    def _is_joined(self, blank: int) -> bool:
        before, last, after = (self._area(blank + step) for step in (-2, -1, 1))
        if blank < 0 or not before or not last or not after:
            return False
        height = last.top - last.bottom
        is_made = _pdfium.FPDFText_IsGenerated(self._page, blank) == 1
        return is_made and before == last and after.left - last.right < _CLOSE * height

    def is_cap(self, at: int, after: int) -> bool:
        """Tell whether a letter is the large one with which the line behind it begins."""
        cap, following = self.box(at), self.box(after)
        gap = following.left - cap.right
        is_beside = -_TOUCHING < gap < _CAP_MARGIN * following.height
        is_within = cap.bottom < following.bottom < cap.bottom + cap.height
        return cap.height > _CAP * following.height and is_beside and is_within

    def find_struck(self, start: int, line: str, strikes: Sequence[Area]) -> list[Change]:
        """Return the struck letters of a line, word by word, between the marks of Markdown."""
        changes: list[Change] = []
        for word in _WORDS.finditer(line):
            at = word.start()
            marks = [_is_struck(strikes, self.box(start + at)) for at in range(*word.span())]
            for struck, letters in groupby(marks):
                end = at + len(list(letters))
                if struck:
                    changes.append(Change(at, end, format_struck(line[at:end])))
                at = end
        return changes

    def is_upright(self, at: int) -> bool:
        """Tell whether a letter is neither turned nor aslant."""
        return self._is_upright(self._index(at))

    def _usual_baseline(self, start: int, line: str) -> float:
        """Return on which height most words of a line begin."""
        places = [start + word.start() for word in _WORDS.finditer(line)]
        heights = Counter(round(self._baseline(self._index(at)), 1) for at in places)
        return heights.most_common(1)[0][0]

    def _is_upright(self, index: int) -> bool:
        angle = _pdfium.FPDFText_GetCharAngle(self._page, index) + radians(self._turn)
        return abs(remainder(angle, tau)) < _ASLANT

    def _baseline(self, index: int) -> float:
        x, y = self._origin
        if not _pdfium.FPDFText_GetCharOrigin(self._page, index, x, y):
            return 0.0
        return turn_height(x.value, y.value, self._turn) if self._turn else y.value

    def cells(
        self, start: int, line: str, size: float, changes: Sequence[Change] = ()
    ) -> tuple[Cell, ...]:
        """Return the parts of a line between wide gaps; none where its letters cannot be told.

        Args:
            start: index of its first letter, which is no blank.
            line: as it stands in the text, without blanks around.
            size: its height in points.
            changes: letters that are written otherwise.
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
                cells.append(Cell(left, before, rewrite(line, changes, begin, blanks.start())))
                begin, left = blanks.end(), after
        return (*cells, Cell(left, self._sides(last)[1], rewrite(line, changes, begin)))

    def _index(self, at: int) -> int:
        """Return PDFium's number of a letter, which may count otherwise; -1 when it has none."""
        return at if at in self._counted else self._ask_index(at)

    def _ask_index(self, at: int) -> int:
        return _pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, at)

    def _sides(self, index: int) -> tuple[float, float]:
        area = self._area(index)
        return (area.left, area.right) if area else (0.0, 0.0)

    def _area(self, index: int) -> Area | None:
        """Return where a letter stands on the turned page; None when that is unknown."""
        box = self._box
        if index < 0 or not _pdfium.FPDFText_GetLooseCharBox(self._page, index, box):
            return None
        area = Area(box.left, box.bottom, box.right, box.top)
        return turn_area(area, self._turn) if self._turn else area


@lru_cache(maxsize=_REMEMBERED)
def _is_bold(font: bytes) -> bool:
    return _BOLD_NAME.search(font) is not None


def rewrite(line: str, changes: Sequence[Change], start: int = 0, end: int | None = None) -> str:
    """Return a part of a line with its changes, which are in order and do not overlap."""
    end = len(line) if end is None else end
    pieces: list[str] = []
    for change in changes:
        if start <= change.start and change.end <= end:
            pieces += [line[start : change.start], change.text]
            start = change.end
    return "".join([*pieces, line[start:end]])


def _is_struck(strikes: Sequence[Area], box: Box) -> bool:
    """Tell whether a line goes through the middle of a letter; a struck stretch covers it."""
    middle = (box.left + box.right) / 2
    low, high = (box.bottom + share * box.height for share in _MIDDLE)
    return any(
        strike.left <= middle <= strike.right and low <= (strike.bottom + strike.top) / 2 <= high
        for strike in strikes
    )


def _write_levels(
    word: re.Match[str], heights: Sequence[float], base: float, size: float
) -> Iterator[Change]:
    levels = [_find_level(height - base, size) for height in heights]
    at = 0
    for level, letters in groupby(levels):
        end = at + len(list(letters))
        if level:
            write = format_raised if level > 0 else format_lowered
            text = write(word[0][at:end], word[0][:at], after=word[0][end:])
            yield Change(word.start() + at, word.start() + end, text)
        at = end


def _find_level(offset: float, size: float) -> int:
    """Return 1 for raised, -1 for lowered, 0 for neither."""
    if _RAISED * size <= offset <= _FARTHEST * size:
        return 1
    return -1 if -_FARTHEST * size <= offset <= -_LOWERED * size else 0
