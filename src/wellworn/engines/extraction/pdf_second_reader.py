"""PDFs by pypdf: ten times slower, and used only for a file on which PDFium ended its process.

It is Python throughout, so what hostile files do to it is an exception and not a crash.
"""

from __future__ import annotations

import logging
from io import BytesIO

import pypdf
from pypdf.errors import FileNotDecryptedError, PyPdfError

from wellworn.engines.extraction.models import Extracted, Refused
from wellworn.engines.extraction.pdf_lines import PdfLine
from wellworn.engines.extraction.pdf_text import DAMAGED, HARMFUL, LOCKED, assemble
from wellworn.engines.extraction.settings import ExtractionSettings


def read_pdf_again(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a PDF page by page; without headings."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(BytesIO(raw))
        count = len(reader.pages)
    except FileNotDecryptedError:
        return Refused(LOCKED)
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError):
        return Refused(DAMAGED)
    read = [_page(reader, number) for number in range(min(count, settings.most_pages))]
    failed = sum(page is None for page in read)
    pages = [page or [] for page in read]
    if not any(pages):
        return Refused(HARMFUL)
    flag = "read by the second PDF reader, without headings; the first one failed"
    return assemble(
        pages,
        count=count,
        failed=failed,
        outline=(),
        title=None,
        settings=settings,
        flags=[flag],
    )


def _page(reader: pypdf.PdfReader, number: int) -> list[PdfLine] | None:
    """Return the lines of one page; None when it cannot be read."""
    try:
        text = reader.pages[number].extract_text()
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return [PdfLine(line.rstrip()) for line in text.splitlines() if line.strip()]
