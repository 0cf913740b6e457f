"""What a file is told by what is in it; names and declared types only choose between texts."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.extraction import FileKind, Refused, identify

PDF = b"%PDF-1.7\n1 0 obj\n<< >>\nendobj\n"


def zipped(*names):
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "name", "media_type", "kind"),
    [
        (b"# a", "README.md", None, FileKind.MARKDOWN),
        (b"# a", "guide.MDX", None, FileKind.MARKDOWN),
        (b"# a", "https://x.example/read?f=1", "text/markdown; charset=utf-8", FileKind.MARKDOWN),
        (b"a: 1", "values.yaml", None, FileKind.CONFIGURATION),
        (b"{}", "package.JSON", None, FileKind.CONFIGURATION),
        (b"", "empty.md", None, FileKind.MARKDOWN),
        (b"<div align=center>\n\n# a", "README.md", None, FileKind.MARKDOWN),
        (b"<p>a</p>", "a.htm", None, FileKind.HTML),
        (b"<p>a</p>", "a", "text/html", FileKind.HTML),
        (b"no tags", "a.html", "text/html", FileKind.TEXT),
        (b"\n<!-- x -->\n<!DOCTYPE html><p>a", "a.txt", "text/plain", FileKind.HTML),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><p>', "a.xml", None, FileKind.HTML),
        (b"<?xml version='1.0'?><project/>", "pom.xml", None, FileKind.TEXT),
        ("<html><p>a".encode("utf-16"), "a.html", None, FileKind.HTML),
        (PDF, "notes.txt", "text/plain", FileKind.PDF),
        (b"\n\n" + PDF, "a", None, FileKind.PDF),
        (b"<html>" + PDF, "a.html", "text/html", FileKind.PDF),
        (b"A PDF begins with %PDF-1.7.", "pdf.md", None, FileKind.MARKDOWN),
        (zipped("[Content_Types].xml", "word/document.xml"), "a.zip", None, FileKind.DOCX),
        (b"\x1b[31mred\x1b[0m", "run.log", None, FileKind.TEXT),
    ],
)
def test_each_file_is_read_as_what_it_holds(raw, name, media_type, kind):
    assert identify(raw, name=name, media_type=media_type) == kind


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"\x7fELF" + bytes(60), "application/x-executable"),
        (b"MZ\x90\x00" + bytes(60), "application/x-executable"),
        (b"\x89PNG\r\n\x1a\n", "pictures are not read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as .docx without a password"),
        (zipped("xl/workbook.xml"), "save its sheets as .csv"),
        (zipped("a.txt"), "a packed file (zip)"),
        (b"PK\x03\x04", "a packed file (zip)"),
        (b"\x1f\x8b\x08", "a packed file (gzip)"),
        (b"{\\rtf1 a}", "save it as .docx or .txt"),
        (b"text\x00\x00\x00then", "it is no text"),
        (bytes(range(1, 32)) * 40, "it is no text"),
    ],
)
@pytest.mark.parametrize("name", ["a.md", "a.pdf", "a.html"])
def test_what_is_no_document_is_refused_whatever_its_name(raw, says, name):
    made = identify(raw, name=name, media_type="application/pdf")
    assert isinstance(made, Refused)
    assert says in made.reason


@given(raw=st.binary(), name=st.text(), media_type=st.none() | st.text())
def test_any_file_is_something_or_refused_with_a_reason(raw, name, media_type):
    kind = identify(raw, name=name, media_type=media_type)
    assert isinstance(kind, FileKind) or kind.reason


@given(st.binary(max_size=40))
def test_an_archive_with_a_forged_end_is_no_error(tail):
    made = identify(b"PK\x03\x04" + b"PK\x05\x06" + tail, name="a.docx")
    assert made is FileKind.DOCX or isinstance(made, Refused)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_text_is_never_refused(text):
    assert isinstance(identify(b"a " + text.encode(), name="a.txt"), FileKind)
