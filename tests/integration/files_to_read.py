"""Files made for the tests of reading: whole ones, and those that mean harm."""

from __future__ import annotations

import zlib
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pypdf

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(objects: dict[int, bytes], root: int = 1) -> bytes:
    """Put numbered objects together to a PDF with a cross-reference table."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number]
    trailer = b"trailer\n<< /Size %d /Root %d 0 R /Info 3 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(out + trailer % (size, root, start))


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


Page = list[tuple[str, int, int, bool]]
"""Text, size in points, height on the page, whether bold, for each line."""


def written(page: Page) -> bytes:
    lines = []
    for text, size, height, bold in page:
        safe = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        font = b"/F2" if bold else b"/F1"
        shown = safe.encode("latin-1")
        lines.append(b"BT %s %d Tf 72 %d Td (%s) Tj ET" % (font, size, height, shown))
    return b"\n".join(lines)


def pdf_of(
    pages: list[Page], *, title: str = "", outline: tuple[tuple[str, int], ...] = ()
) -> bytes:
    """Make a PDF of lines; `outline` names titles and their pages."""
    first = 10
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>",
        2: b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids),
        3: b"<< /Title (%s) >>" % title.encode("latin-1"),
        4: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
        7: b"null",
        8: b"null",
        9: b"null",
    }
    fonts = b"/Resources << /Font << /F1 4 0 R /F2 5 0 R >> >>"
    for number, page in enumerate(pages):
        at = first + 2 * number
        box = b"/MediaBox [0 0 595 842] /Parent 2 0 R"
        objects[at] = b"<< /Type /Page %s %s /Contents %d 0 R >>" % (box, fonts, at + 1)
        objects[at + 1] = stream(written(page))
    marks = first + 2 * len(pages)
    last = marks + len(outline) - 1
    objects[6] = b"<< /Type /Outlines >>"
    if outline:
        objects[6] = b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (marks, last)
    for number, (name, page) in enumerate(outline):
        following = b"/Next %d 0 R" % (marks + number + 1) if marks + number < last else b""
        target = b"/Dest [%d 0 R /Fit] /Parent 6 0 R" % (first + 2 * page)
        text = name.encode("latin-1")
        objects[marks + number] = b"<< /Title (%s) %s %s >>" % (text, target, following)
    return pdf(objects)


def page_of(*lines: str) -> Page:
    return [(line, 11, 760 - 14 * number, False) for number, line in enumerate(lines)]


def manual() -> bytes:
    """Make a PDF with headings set larger, and a header and page number on each page."""
    pages = []
    for number in range(1, 6):
        body = [
            ("Operations manual of the plant", 8, 810, False),
            (f"Chapter {number} about pumps", 18, 760, True),
        ]
        body += [
            (
                f"Pump {number}{row} runs at {row}00 bar and is checked daily",
                11,
                730 - 14 * row,
                False,
            )
            for row in range(1, 8)
        ]
        pages.append([*body, (f"Page {number} of 5", 8, 40, False)])
    return pdf_of(pages)


def scanned(pages: int = 3) -> bytes:
    """Make a PDF whose pages are pictures only."""
    picture = stream(
        b"\xff" * 16,
        b"/Type /XObject /Subtype /Image /Width 4 /Height 4"
        b" /ColorSpace /DeviceGray /BitsPerComponent 8",
    )
    kids = b" ".join(b"%d 0 R" % (6 + number) for number in range(pages))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        b" /Resources << /XObject << /I 4 0 R >> >> >>"
    )
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, kids),
            3: b"<< >>",
            4: picture,
            5: stream(b"q 500 0 0 700 40 40 cm /I Do Q"),
            **{6 + number: page for number in range(pages)},
        }
    )


def recursive_pdf() -> bytes:
    """Make a PDF whose drawing draws itself."""
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>"
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
            3: b"<< >>",
            4: stream(b"/X Do /X Do", form),
            5: stream(b"/X Do"),
            6: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R"
            b" /Resources << /XObject << /X 4 0 R >> >> >>",
        }
    )


@cache
def flate_bomb() -> bytes:
    """Make a PDF whose content, packed twice, is a gigabyte of blanks."""
    # The quickest packing: all that counts is what comes of it.
    packer = zlib.compressobj(1)
    block = b" " * (1 << 20)
    once = b"".join(packer.compress(block) for _ in range(1 << 10)) + packer.flush()
    twice = zlib.compress(once, 9)
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
            3: b"<< >>",
            4: stream(twice, b"/Filter [/FlateDecode /FlateDecode]"),
            5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        }
    )


def endless_pdf(pages: int = 200_000) -> bytes:
    """Make a small PDF that lists one page very often."""
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, b"5 0 R " * pages),
            3: b"<< >>",
            4: stream(b"BT /F1 11 Tf 72 700 Td (One page among very many) Tj ET"),
            5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            b" /Resources << /Font << /F1 6 0 R >> >> >>",
            6: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        }
    )


def locked(raw: bytes) -> bytes:
    writer = pypdf.PdfWriter(clone_from=BytesIO(raw))
    writer.encrypt("secret", algorithm="AES-256")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def docx_of(fill) -> bytes:
    """Make a DOCX file; `fill` is given the document."""
    document = docx.Document()
    fill(document)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def runbook(document) -> None:
    document.core_properties.title = "Runbook of the cube"
    document.add_heading("Restarting", level=1)
    document.add_paragraph("Call the operator first.")
    document.add_paragraph("Stop the pump", style="List Number")
    document.add_paragraph("Open the valve", style="List Number")
    document.add_paragraph("Slowly", style="List Bullet 2")
    document.add_heading("Addresses", level=2)
    table = document.add_table(rows=0, cols=2)
    for name, address in (("Host", "Address"), ("cube", "10.0.0.7"), ("a|b", "10.0.0.8")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = name, address


def changed(raw: bytes, changes: dict[str, bytes]) -> bytes:
    """Replace or add members of an archive."""
    out = BytesIO()
    with ZipFile(BytesIO(raw)) as before, ZipFile(out, "w", ZIP_DEFLATED) as after:
        for member in before.infolist():
            if member.filename not in changes:
                after.writestr(member.filename, before.read(member))
        for name, content in changes.items():
            after.writestr(name, content)
    return out.getvalue()


def document_xml(body: bytes, declaration: bytes = b"") -> bytes:
    opening = b'<w:document xmlns:w="%s"><w:body><w:p><w:r><w:t>' % WORD.encode()
    return (
        b'<?xml version="1.0"?>'
        + declaration
        + opening
        + body
        + (b"</w:t></w:r></w:p></w:body></w:document>")
    )
