"""Texts as files of other kinds: what a word processor and a printer make of them, line by line."""

from __future__ import annotations

from io import BytesIO
from typing import Final
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

import docx

_DOCUMENT: Final = "word/document.xml"
_WIDTH, _LINES = 100, 60
_PAPER: Final = (
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R "
    "/Resources << /Font << /F1 3 0 R >> >> >>"
)
_FONT: Final = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def write_docx(text: str) -> bytes:
    """Return a Word file with a paragraph for each line of a text."""
    empty, out = BytesIO(), BytesIO()
    docx.Document().save(empty)
    shown = "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)
    lines = (f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in shown.split("\n"))
    with ZipFile(empty) as before, ZipFile(out, "w", ZIP_DEFLATED) as after:
        for member in before.infolist():
            content = before.read(member).decode("utf-8", "surrogateescape")
            if member.filename == _DOCUMENT:
                content = content.replace("<w:body>", f"<w:body>{''.join(lines)}")
            after.writestr(member, content.encode("utf-8", "surrogateescape"))
    return out.getvalue()


def write_pdf(text: str) -> bytes:
    """Return a PDF of a text in Helvetica, 60 lines of up to 100 letters on each page."""
    lines = [
        line[at : at + _WIDTH]
        for line in text.split("\n")
        for at in range(0, max(1, len(line)), _WIDTH)
    ]
    objects = ["", "", _FONT]
    pages: list[str] = []
    for first in range(0, len(lines), _LINES):
        drawn = "".join(f"({_escape(line)}) Tj T*\n" for line in lines[first : first + _LINES])
        content = f"BT /F1 6 Tf 10 780 Td 12 TL\n{drawn}ET"
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        objects.append(_PAPER.format(content=len(objects)))
        pages.append(f"{len(objects)} 0 R")
    objects[0] = "<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(pages)}] /Count {len(pages)} >>"
    out = bytearray(b"%PDF-1.4\n")
    places: list[str] = []
    for number, each in enumerate(objects, 1):
        places.append(f"{len(out):010d} 00000 n \n")
        out += f"{number} 0 obj\n{each}\nendobj\n".encode("latin-1", "replace")
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{''.join(places)}"
    ending = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return bytes(out) + table.encode() + ending.encode()


def _escape(line: str) -> str:
    known = line.encode("latin-1", "replace").decode("latin-1")
    return "".join(f"\\{char}" if char in "\\()" else char for char in known)
