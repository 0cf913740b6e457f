"""Tells the kind of a file by what it holds first, by name and declared type after that.

A name is a claim of the file's maker, and so is a media type. They only decide between kinds
that are all plain text. Nothing here parses: a few fixed places are looked at.

Source: PDF 32000-1, annex H (the header within the first 1,024 bytes); APPNOTE 6.3, section 4.3.
"""

from __future__ import annotations

import re
import struct
from pathlib import PurePosixPath
from typing import Final

from wellworn.engines.extraction.models import FileKind, Refused
from wellworn.kit.charset import CONTROLS, has_mark, wide
from wellworn.kit.pointers import describe_pointer

_HEAD: Final = 8192
_PDF: Final = re.compile(rb"%PDF-\d")
_ZIP: Final = b"PK\x03\x04"
_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_BYTES: Final = 22
_ZIP_COMMENT: Final = 65_535
_ARCHIVE: Final = "save what it holds as Markdown, text, HTML, PDF or DOCX"
_PICTURE: Final = "pictures are not read; describe it in a text"
_PROGRAM: Final = "not a kind of file that can be read: application/x-executable"
_OLD_OFFICE: Final = "an old or password-protected Office file; save it as .docx without a password"
_BEGINNINGS: Final = (
    (b"\x7fELF", _PROGRAM),
    (b"\xcf\xfa\xed\xfe", _PROGRAM),
    (b"\xca\xfe\xba\xbe", _PROGRAM),
    (b"\x00asm", _PROGRAM),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _OLD_OFFICE),
    (b"{\\rtf", "not a kind of file that can be read: RTF; save it as .docx or .txt"),
    (b"%!PS", "not a kind of file that can be read: PostScript; save it as PDF"),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"GIF8", _PICTURE),
    (b"\x1f\x8b", f"a packed file (gzip); {_ARCHIVE}"),
    (b"7z\xbc\xaf\x27\x1c", f"a packed file (7z); {_ARCHIVE}"),
    (b"SQLite format 3\x00", "not a kind of file that can be read: a database"),
)
_PACKED: Final = (
    (b"xl/workbook.xml", "a spreadsheet; save its sheets as .csv"),
    (b"ppt/presentation.xml", "a slide show; save it as PDF"),
    (b"content.xml", "an OpenDocument file; save it as .docx or PDF"),
    (b"META-INF/container.xml", "an e-book; save it as PDF or HTML"),
)
_HTML_BEGINS: Final = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_ANY_TAG: Final = re.compile(rb"<[a-z!/][^<>]*>", re.IGNORECASE)
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_HTML_NAMES: Final = frozenset({".html", ".htm", ".xhtml"})
_MARKDOWN_TYPES: Final = frozenset({"text/markdown", "text/x-markdown"})
_MARKDOWN_NAMES: Final = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})
CONFIGURATIONS: Final = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "ini",
    ".properties": "ini",
}
"""Endings of configuration files, and in what they are written."""


def identify(raw: bytes, *, name: str, media_type: str | None = None) -> FileKind | Refused:
    """Return what the bytes are to be read as, or why they cannot be read.

    Args:
        raw: the full file.
        name: its name or path; only what follows the last dot counts.
        media_type: what its server says it is; parameters are ignored.
    """
    if _is_pdf(raw):
        return FileKind.PDF
    if raw.startswith(_ZIP):
        return _in_zip(raw)
    if reason := _unreadable(raw):
        return Refused(reason)
    return _text_kind(raw, name, media_type)


def is_configuration(name: str) -> bool:
    """Tell whether a file is a configuration, by what its name ends with."""
    return find_ending(name) in CONFIGURATIONS


def find_ending(name: str) -> str:
    """Return what a file's name ends with, from the last dot, in small letters."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


def _is_pdf(raw: bytes) -> bool:
    header = _PDF.search(raw[:1024])
    # A text about PDF may name its header too; only a file has objects.
    return header is not None and (header.start() == 0 or b"endobj" in raw)


def _in_zip(raw: bytes) -> FileKind | Refused:
    # Of a file that was cut short only the members themselves tell their names.
    directory = _zip_directory(raw) or raw
    if b"word/document.xml" in directory:
        return FileKind.DOCX
    reasons = (reason for member, reason in _PACKED if member in directory)
    return Refused(next(reasons, f"a packed file (zip); {_ARCHIVE}"))


def _zip_directory(raw: bytes) -> bytes:
    """Return the bytes that list a zip's members; empty when there are none."""
    end = raw.rfind(_ZIP_END, max(0, len(raw) - _ZIP_COMMENT - _ZIP_END_BYTES))
    if end < 0 or len(raw) - end < _ZIP_END_BYTES:
        return b""
    size, _start = struct.unpack_from("<II", raw, end + 12)
    return raw[max(0, end - size) : end]


def _unreadable(raw: bytes) -> str | None:
    head = raw[:_HEAD]
    if reason := next((why for begin, why in _BEGINNINGS if head.startswith(begin)), None):
        return reason
    if reason := describe_pointer(raw):
        return reason
    if has_mark(raw) or wide(raw):
        return None
    if head.startswith(b"MZ") and b"\x00" in head:
        return _PROGRAM
    if b"\x00\x00" in head or _is_noise(head):
        return "not a kind of file that can be read: it is no text; save it as text or PDF"
    return None


def _is_noise(head: bytes) -> bool:
    controls = len(head) - len(head.translate(None, CONTROLS))
    return controls * 20 > len(head) + 40


def _text_kind(raw: bytes, name: str, media_type: str | None) -> FileKind:
    # Without the NULs of UTF-16 its tags look like those of any other text.
    head = raw[: 4 * _HEAD].lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"")
    ending = find_ending(name)
    stated = (media_type or "").partition(";")[0].strip().lower()
    if _HTML_BEGINS.match(head):
        return FileKind.HTML
    if (stated in _HTML_TYPES or ending in _HTML_NAMES) and _ANY_TAG.search(head):
        return FileKind.HTML
    if stated in _MARKDOWN_TYPES or ending in _MARKDOWN_NAMES:
        return FileKind.MARKDOWN
    return FileKind.CONFIGURATION if ending in CONFIGURATIONS else FileKind.TEXT
