"""DOCX files as canonical Markdown: headings, lists with their numbers, tables; what is inserted.

Runs in the child process. The archive is judged before anything in it is opened: its size once
unpacked, the names in it, and whether a part declares entities, which Word never writes. Headers,
footers, equations, comments and what was deleted are left out.

Source: ECMA-376 part 1, sections 17.3 (paragraphs), 17.4 (tables) and 17.9 (numbering).
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final
from zipfile import BadZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError

from wellworn.engines.extraction.blocks import Blocks, span
from wellworn.engines.extraction.docx_package import DAMAGED, suspicious_part
from wellworn.engines.extraction.docx_styles import Styles, tag
from wellworn.engines.extraction.docx_text import Words
from wellworn.engines.extraction.models import Extracted, FileKind, Refused
from wellworn.engines.extraction.settings import ExtractionSettings

_CONTAINERS: Final = {tag(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo")}
_PARAGRAPH: Final = tag("p")
_TABLE: Final = tag("tbl")
_CELLS: Final = (tag("tc"), tag("sdt"))
_BOX: Final = tag("txbxContent")
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_WIDEST: Final = 50


def read_docx(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a DOCX file; refused when its archive is not what Word writes."""
    try:
        if reason := suspicious_part(raw, most_unpacked_bytes=settings.most_unpacked_bytes):
            return Refused(reason)
        document: Any = docx.Document(BytesIO(raw))
        blocks, styles, words = Blocks(), Styles(document), Words(document)
    except (BadZipFile, PackageNotFoundError, SyntaxError, KeyError, ValueError):
        return Refused(DAMAGED)
    for block in _blocks(document.element.body):
        if block.tag == _TABLE:
            blocks.table([*_rows(block, words)])
        else:
            _paragraph(blocks, styles, words, block)
    _notes(blocks, words)
    if blocks.is_empty():
        return Refused("the DOCX file has no text that can be read; sync a copy with text")
    return blocks.build(
        FileKind.DOCX,
        title=document.core_properties.title,
        most_characters=settings.most_characters,
    )


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order, those in content controls and insertions too.

    A text box comes after the paragraph it hangs on. A table of one cell is a frame around blocks.
    """
    for child in parent:
        if child.tag in _CONTAINERS:
            yield from _blocks(child)
        elif child.tag == _PARAGRAPH:
            yield child
            for box in _boxes(child):
                yield from _blocks(box)
        elif child.tag == _TABLE:
            cell = _only_cell(child)
            yield from [child] if cell is None else _blocks(cell)


def _boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the text boxes of a paragraph, without those in others and copies for old programs."""
    waiting = [paragraph] if paragraph.find(f".//{_BOX}") is not None else []
    while waiting:
        element = waiting.pop()
        if element.tag == _BOX:
            yield element
        elif element.tag != _FALLBACK:
            waiting.extend(reversed(element))


def _only_cell(table: Any) -> Any:
    cells = [cell for row in table.iterchildren(tag("tr")) for cell in row.iterchildren(*_CELLS)]
    return cells[0] if len(cells) == 1 else None


def _paragraph(blocks: Blocks, styles: Styles, words: Words, paragraph: Any) -> None:
    level = styles.heading_level(paragraph)
    if level:
        _notes(blocks, words)
    text = words.of_heading(paragraph) if level else words.of(paragraph)
    if not text.strip() or styles.is_contents(paragraph):
        return
    if level:
        blocks.heading(level, text)
    elif entry := styles.list_entry(paragraph):
        depth, mark = entry
        blocks.item(mark, text.strip(), depth=depth)
    elif styles.is_code(paragraph):
        blocks.code(text)
    else:
        blocks.paragraph(text.strip())


def _notes(blocks: Blocks, words: Words) -> None:
    """Write the notes of a section at its end, so that they are cut and found together."""
    for note in words.notes():
        blocks.paragraph(note)


def _rows(table: Any, words: Words) -> Iterator[list[str]]:
    """Yield the rows of a table; a cell merged downwards is repeated in each of its rows."""
    above: list[str] = []
    for row in table.iterchildren(tag("tr")):
        cells: list[str] = []
        for cell in row.iterchildren(*_CELLS):
            column = len(cells)
            text = words.of(cell).strip()
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
