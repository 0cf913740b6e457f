"""DOCX files as canonical Markdown: headings, lists with their numbers, tables; what is inserted.

Runs in the child process. The archive is judged before anything in it is opened: its size once
unpacked, the names in it, and whether a part declares entities, which Word never writes. Text
boxes, equations, footnotes, comments and what was deleted are left out.

Source: ECMA-376 part 1, sections 17.3 (paragraphs), 17.4 (tables) and 17.9 (numbering).
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final
from zipfile import BadZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError

from wellworn.extraction.blocks import Blocks, span
from wellworn.extraction.docx_package import DAMAGED, suspicious_part
from wellworn.extraction.docx_styles import Styles, tag
from wellworn.extraction.models import Extracted, FileKind, Refused
from wellworn.extraction.settings import ExtractionSettings

_CONTAINERS: Final = {tag(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo")}
_PARAGRAPH: Final = tag("p")
_TABLE: Final = tag("tbl")
_WRITTEN: Final = {
    tag("tab"): "\t",
    tag("br"): "\n",
    tag("cr"): "\n",
    tag("noBreakHyphen"): "-",
}
_WIDEST: Final = 50
_TEXT: Final = tag("t")
_UNREAD: Final = {
    tag("moveFrom"),
    tag("txbxContent"),
    tag("pPr"),
    tag("rPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}


def read_docx(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a DOCX file; refused when its archive is not what Word writes."""
    try:
        if reason := suspicious_part(raw, most_unpacked_bytes=settings.most_unpacked_bytes):
            return Refused(reason)
        document: Any = docx.Document(BytesIO(raw))
    except (BadZipFile, PackageNotFoundError, SyntaxError, KeyError, ValueError):
        return Refused(DAMAGED)
    blocks = Blocks()
    styles = Styles(document)
    for block in _blocks(document.element.body):
        if block.tag == _TABLE:
            blocks.table([*_rows(block)])
        else:
            _paragraph(blocks, styles, block)
    if blocks.is_empty():
        return Refused("the DOCX file has no text that can be read; sync a copy with text")
    return blocks.done(
        FileKind.DOCX,
        title=document.core_properties.title,
        most_characters=settings.most_characters,
    )


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order, those in content controls and insertions too."""
    for child in parent:
        if child.tag in _CONTAINERS:
            yield from _blocks(child)
        elif child.tag in {_PARAGRAPH, _TABLE}:
            yield child


def _paragraph(blocks: Blocks, styles: Styles, paragraph: Any) -> None:
    text = _text(paragraph)
    if not text.strip() or styles.is_contents(paragraph):
        return
    if level := styles.heading_level(paragraph):
        blocks.heading(level, text)
    elif entry := styles.list_entry(paragraph):
        depth, mark = entry
        blocks.item(mark, text.strip(), depth=depth)
    elif styles.is_code(paragraph):
        blocks.code(text)
    else:
        blocks.paragraph(text.strip())


def _text(element: Any) -> str:
    pieces: list[str] = []
    waiting = [element]
    while waiting:
        one = waiting.pop()
        if one.tag == _TEXT:
            pieces.append(one.text or "")
        elif one.tag in _WRITTEN:
            pieces.append(_WRITTEN[one.tag])
        elif one.tag not in _UNREAD:
            # Paragraphs of a cell are parted by a blank.
            pieces.append(" " if one.tag == _PARAGRAPH and pieces else "")
            waiting.extend(reversed(one))
    return "".join(pieces)


def _rows(table: Any) -> Iterator[list[str]]:
    """Yield the rows of a table; a cell merged downwards is repeated in each of its rows."""
    above: list[str] = []
    for row in table.iterchildren(tag("tr")):
        cells: list[str] = []
        for cell in row.iterchildren(tag("tc"), tag("sdt")):
            column = len(cells)
            text = _text(cell).strip()
            if _goes_on(cell) and column < len(above):
                text = above[column]
            cells += [text, *[""] * (_width(cell) - 1)]
        yield cells
        above = cells


def _goes_on(cell: Any) -> bool:
    merged = cell.find(f"{tag('tcPr')}/{tag('vMerge')}")
    return merged is not None and merged.get(tag("val"), "continue") == "continue"


def _width(cell: Any) -> int:
    wide = cell.find(f"{tag('tcPr')}/{tag('gridSpan')}")
    return span(wide.get(tag("val")), most=_WIDEST) if wide is not None else 1
