"""Checks the archive of a DOCX file before anything in it is parsed.

Source: ECMA-376 part 2 (packages); the zip and XML attacks that each check is named after.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Final
from zipfile import ZipFile, ZipInfo

DAMAGED: Final = "the DOCX file is damaged or cut short; save or download it again"
_ENTITIES: Final = (
    "the DOCX file declares XML entities, which Word never does; save it anew in Word"
)
_NAMES: Final = "the DOCX file holds names that point outside of it; save it anew in Word"
_LOCKED: Final = "the DOCX file is protected by a password; sync a copy without one"
_MOST_PARTS: Final = 10_000
_XML: Final = (".xml", ".rels")
_DECLARATION: Final = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def suspicious_part(raw: bytes, *, most_unpacked_bytes: int) -> str | None:
    """Return why the archive is refused; None when it is fine.

    Raises:
        BadZipFile: it is no archive, or a part of it is damaged.
    """
    with ZipFile(BytesIO(raw)) as archive:
        parts = archive.infolist()
        if reason := _too_much(parts, most_unpacked_bytes) or _badly_named(parts):
            return reason
        for part in parts:
            is_xml = part.filename.lower().endswith(_XML)
            if is_xml and (reason := _hostile(archive.read(part))):
                return reason
    return None


def _too_much(parts: list[ZipInfo], most_unpacked_bytes: int) -> str | None:
    if len(parts) > _MOST_PARTS:
        return f"the DOCX file has more than {_MOST_PARTS:,} parts; save it anew in Word"
    if sum(part.file_size for part in parts) > most_unpacked_bytes:
        limit = f"{most_unpacked_bytes // 1_000_000:,} MB"
        return f"the DOCX file unpacks to more than {limit}; split it or take pictures out"
    return None


def _badly_named(parts: list[ZipInfo]) -> str | None:
    if any(part.flag_bits & 1 for part in parts):
        return _LOCKED
    names = [part.filename.replace("\\", "/") for part in parts]
    outside = any(name.startswith("/") or ".." in name.split("/") for name in names)
    return _NAMES if outside or len(set(names)) < len(names) else None


def _hostile(xml: bytes) -> str | None:
    # UTF-16 is ASCII with NULs as far as these words go.
    plain = xml.replace(b"\x00", b"")
    return _ENTITIES if _DECLARATION.search(plain) else None
