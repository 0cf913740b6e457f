"""PDFs as canonical Markdown by PDFium: fast, with the best text of the engines measured.

Runs in the child process, because some hostile files crash PDFium. Pages are read and freed one by
one, so that memory follows the largest page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pypdfium2

from wellworn.engines.extraction.models import Extracted, Refused
from wellworn.engines.extraction.pdf_letters import Letters
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine
from wellworn.engines.extraction.pdf_text import DAMAGED, LOCKED, Outline, assemble
from wellworn.engines.extraction.settings import ExtractionSettings

_MOST_OUTLINE: Final = 5000
# PDFium's character for a hyphen that breaks a word at the end of a line.
_BROKEN_WORD: Final = re.compile("(?<=[a-zà-ÿ])[\ufffe\x02](?=[a-zà-ÿ])")
_BROKEN: Final = re.compile("[\ufffe\x02]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f]")
_GAP: Final = 0.75
# Points that a letter takes at most, on average, as a share of its height.
_LOOSE: Final = 0.6
# Lines without gaps within a table, of words that did not fit in one line.
_MOST_WHOLE: Final = 3


@dataclass(frozen=True, slots=True)
class _PlacedLine:
    """A line with the index of its first letter, and whether it is wider than its words."""

    line: PdfLine
    start: int
    text: str
    is_loose: bool


def read_pdf(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a PDF page by page, with the headings of its outline or else guessed ones."""
    try:
        pdf: Any = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        return Refused(LOCKED if "password" in str(error).lower() else DAMAGED)
    count = len(pdf)
    pages: list[list[PdfLine]] = []
    characters = failed = 0
    for number in range(min(count, settings.most_pages)):
        page = _page(pdf, number)
        failed += page is None
        pages.append(page or [])
        characters += sum(len(line.text) + 1 for line in pages[-1])
        if characters > settings.most_characters:
            break
    title = pdf.get_metadata_value("Title")
    return assemble(
        pages,
        count=count,
        failed=failed,
        outline=_outline(pdf),
        title=title,
        settings=settings,
    )


def _outline(pdf: Any) -> Outline:
    entries: list[tuple[int, int, str]] = []
    for mark in pdf.get_toc():
        to = mark.get_dest()
        page = to.get_index() if to else None
        if page is not None:
            entries.append((mark.level + 1, page, mark.get_title()))
        if len(entries) == _MOST_OUTLINE:
            break
    return entries


def _page(pdf: Any, number: int) -> list[PdfLine] | None:
    """Return the lines of one page; None when it cannot be loaded."""
    try:
        page = pdf[number]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    try:
        return _lines(text)
    finally:
        text.close()
        page.close()


def _lines(page: Any) -> list[PdfLine]:
    letters = Letters(page)
    lines = [*_read_lines(letters, page.get_text_range().split("\r\n"))]
    cells = _find_cells(letters, lines)
    return [
        replace(line.line, cells=cells[at]) if at in cells else line.line
        for at, line in enumerate(lines)
    ]


def _read_lines(letters: Letters, texts: Iterable[str]) -> Iterator[_PlacedLine]:
    start, bottom, before = 0, None, 0.0
    for text in texts:
        stripped = text.strip()
        if line := _clean(text):
            first = start + len(text) - len(text.lstrip())
            begin, end = letters.box(first), letters.box(first + len(stripped) - 1)
            # Half points: the same font comes out a little different on every line.
            size = round(begin.height * 2) / 2
            gap = None if bottom is None else bottom - begin.bottom
            parted = _is_apart(gap, max(size, before))
            made = PdfLine(line, size, letters.weight(first), parted=parted, low=begin.bottom)
            is_loose = end.right - begin.left > _LOOSE * size * len(stripped) and " " in stripped
            yield _PlacedLine(made, first, stripped, is_loose)
            # A line with a broken word goes on on the next line of the page.
            bottom = end.bottom if _BROKEN.search(text) else begin.bottom
            before = size
        start += len(text) + 2


def _find_cells(letters: Letters, page: Sequence[_PlacedLine]) -> dict[int, tuple[Cell, ...]]:
    """Return the cells of lines with gaps and of the lines around them."""
    seen: dict[int, tuple[Cell, ...]] = {}
    for loose, line in enumerate(page):
        if not line.is_loose or loose in seen:
            continue
        for step in (-1, 1):
            at, whole = loose, 0
            while 0 <= at < len(page) and whole <= _MOST_WHOLE:
                if at not in seen:
                    seen[at] = _cells(letters, page[at])
                whole = 0 if len(seen[at]) > 1 else whole + 1
                if at == loose and whole:
                    break
                at += step
    return seen


def _cells(letters: Letters, written: _PlacedLine) -> tuple[Cell, ...]:
    if _BROKEN.search(written.text):
        return ()
    cells = letters.cells(written.start, written.text, written.line.size)
    if written.text == written.line.text:
        return cells
    return tuple(cell._replace(text=_clean(cell.text)) for cell in cells)


def _is_apart(gap: float | None, size: float) -> bool:
    """Tell whether the gap above a line is wider than between lines of a paragraph."""
    return gap is None or gap < -size or gap > size * (1 + _GAP)


def _clean(line: str) -> str:
    joined = _BROKEN.sub("-", _BROKEN_WORD.sub("", line))
    return _CONTROLS.sub("", joined).rstrip()
