"""PDFs as canonical Markdown by PDFium: quick, and the best text of the engines measured.

Runs in the child process, because PDFium ends its process on some hostile files. The pages are
read one by one and let go of, so that memory follows the largest page and not the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pypdfium2
import pypdfium2.raw

from wellworn.extraction.models import Extracted, Refused
from wellworn.extraction.pdf_lines import Line
from wellworn.extraction.pdf_text import DAMAGED, LOCKED, Outline, assembled
from wellworn.extraction.settings import ExtractionSettings

# Its names are made when the library is loaded.
_pdfium: Any = pypdfium2.raw
_MOST_OUTLINE: Final = 5000
# What PDFium writes for a hyphen that only breaks a word at the end of a line.
_BROKEN_WORD: Final = re.compile("(?<=[a-zà-ÿ])[\ufffe\x02](?=[a-zà-ÿ])")
_BROKEN: Final = re.compile("[\ufffe\x02]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f]")
_GAP: Final = 0.75


def read_pdf(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a PDF: its text page by page, with headings of its outline or else guessed ones."""
    try:
        pdf: Any = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        return Refused(LOCKED if "password" in str(error).lower() else DAMAGED)
    count = len(pdf)
    pages: list[list[Line]] = []
    characters = failed = 0
    for number in range(min(count, settings.most_pages)):
        page = _page(pdf, number)
        failed += page is None
        pages.append(page or [])
        characters += sum(len(line.text) + 1 for line in pages[-1])
        if characters > settings.most_characters:
            break
    title = pdf.get_metadata_value("Title")
    return assembled(
        pages,
        count=count,
        failed=failed,
        outline=_outline(pdf),
        title=title,
        settings=settings,
    )


def _outline(pdf: Any) -> Outline:
    found: list[tuple[int, int, str]] = []
    for mark in pdf.get_toc():
        to = mark.get_dest()
        page = to.get_index() if to else None
        if page is not None:
            found.append((mark.level + 1, page, mark.get_title()))
        if len(found) == _MOST_OUTLINE:
            break
    return found


def _page(pdf: Any, number: int) -> list[Line] | None:
    """Return the lines of one page; None when it cannot be loaded."""
    try:
        page = pdf[number]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    try:
        return list(_lines(text))
    finally:
        text.close()
        page.close()


def _lines(page: Any) -> Iterator[Line]:
    start, bottom, before = 0, None, 0.0
    for written in page.get_text_range().split("\r\n"):
        line = _clean(written)
        if line.strip():
            first = start + len(written) - len(written.lstrip())
            size, weight, low = _set_in(page, first)
            gap = None if bottom is None else bottom - low
            yield Line(line, size, weight, parted=_is_apart(gap, max(size, before)))
            # A line with a broken word goes on on the next line of the page.
            last = start + len(written.rstrip()) - 1
            bottom = _set_in(page, last)[2] if _BROKEN.search(written) else low
            before = size
        start += len(written) + 2


def _is_apart(gap: float | None, size: float) -> bool:
    """Tell whether a line stands further below the one before than the next of its paragraph."""
    return gap is None or gap < -size or gap > size * (1 + _GAP)


def _set_in(page: Any, at: int) -> tuple[float, int, float]:
    """Return height, weight and lower edge of the letter at an index of the text, in points."""
    index = _pdfium.FPDFText_GetCharIndexFromTextIndex(page, at)
    box = _pdfium.FS_RECTF()
    if index < 0 or not _pdfium.FPDFText_GetLooseCharBox(page, index, box):
        return 0.0, 0, 0.0
    # Half points: the same font comes out a little different on every line.
    height = round((box.top - box.bottom) * 2) / 2
    return height, max(0, _pdfium.FPDFText_GetFontWeight(page, index)), box.bottom


def _clean(line: str) -> str:
    joined = _BROKEN.sub("-", _BROKEN_WORD.sub("", line))
    return _CONTROLS.sub("", joined).rstrip()
