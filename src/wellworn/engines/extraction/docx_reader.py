"""Reads DOCX files as canonical Markdown: headings, numbered lists, tables; what is inserted.

Runs in the child process. The archive is judged before anything in it is opened: its size once
unpacked, the names in it, and whether a part declares entities, which Word never writes. What
headers and footers of pages say comes first, each once. Comments and what was deleted are left out.

Source: ECMA-376 part 1, sections 17.3 (paragraphs), 17.4 (tables) and 17.9 (numbering); ECMA-376
part 2 (packages); the zip and XML attacks that each check is named after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml import parse_xml

from wellworn.engines.extraction.blocks import Blocks, join_heads, join_lines, span
from wellworn.engines.extraction.docx_elements import PROPERTIES, child_of, children_of, tag
from wellworn.engines.extraction.docx_styles import Styles
from wellworn.engines.extraction.docx_text import RELATED, Words
from wellworn.engines.extraction.models import Extracted, FileKind, Refused
from wellworn.engines.extraction.numbering import format_mark
from wellworn.engines.extraction.settings import ExtractionSettings

_CONTAINERS: Final = {tag(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo")}
_PARAGRAPH: Final = tag("p")
_TABLE: Final = tag("tbl")
_CELLS: Final = (tag("tc"), tag("sdt"))
_BOX: Final = tag("txbxContent")
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_ROW: Final = tag("tr")
_MARGINS: Final = (tag("headerReference"), tag("footerReference"))
_PAGES: Final = re.compile(r"\s*(?:NUM|SECTION)?PAGES?\b", re.IGNORECASE)
_HEAD_ROW: Final = f"{tag('trPr')}/{tag('tblHeader')}"
_GONE: Final = (tag("del"), tag("moveFrom"))
_WIDEST: Final = 50
_SEVERAL: Final = 2
_MOST_READ: Final = 100_000
_MOST_IN_MARGINS: Final = 1_000
_CHUNK: Final = f".//{tag('altChunk')}"
_CHUNK_LEFT_OUT: Final = (
    "what is put in from a file of another kind was left out; save it anew in Word"
)
_NO_TEXT: Final = "the DOCX file has no text that can be read; sync a copy with text"
_LEFT_OUT: Final = f"the end was left out: limit {_MOST_READ:,} paragraphs and cells"


def read_docx(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a DOCX file; refused when its archive is not what Word writes."""
    try:
        if reason := suspicious_part(raw, most_unpacked_bytes=settings.most_unpacked_bytes):
            return Refused(reason)
        document: Any = docx.Document(BytesIO(raw))
        blocks, styles = Blocks(), Styles(document)
        words = Words(document, styles)
        margins = dict.fromkeys(islice(_margins(document, words), _MOST_IN_MARGINS))
    except (BadZipFile, PackageNotFoundError, SyntaxError, KeyError, ValueError):
        return Refused(DAMAGED)
    for line in margins:
        blocks.paragraph(line)
    for block in _join(_blocks(document.element.body)):
        if words.read >= _MOST_READ:
            break
        if block[0].tag == _TABLE:
            _table(blocks, block[0], words)
        else:
            _paragraph(blocks, styles, words, block)
    _notes(blocks, words)
    flags = _list_left_out(document.element.body, words)
    if blocks.is_empty():
        return Refused((flags or [_NO_TEXT])[0])
    return blocks.build(
        FileKind.DOCX,
        title=_title(document),
        most_characters=settings.most_characters,
        flags=flags,
    )


def _list_left_out(body: Any, words: Words) -> list[str]:
    flags = [_LEFT_OUT] if words.read >= _MOST_READ else []
    return flags if body.find(_CHUNK) is None else [*flags, _CHUNK_LEFT_OUT]


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


def _join(blocks: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield each table, and the paragraphs that are one where the ends between are gone."""
    joined: list[Any] = []
    for block in blocks:
        if block.tag == _PARAGRAPH:
            joined.append(block)
            if _runs_on(block):
                continue
        if joined:
            yield joined
            joined = []
        if block.tag == _TABLE:
            yield [block]
    if joined:
        yield joined


def _boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the text boxes of a paragraph, without those in others and copies for old programs."""
    waiting = [paragraph] if next(paragraph.iter(_BOX), None) is not None else []
    while waiting:
        element = waiting.pop()
        if element.tag == _BOX:
            yield element
        elif element.tag != _FALLBACK:
            waiting.extend(reversed(element))


def _only_cell(table: Any) -> Any:
    cells = [cell for row in _live_rows(table) for cell in _live_cells(row)]
    return cells[0] if len(cells) == 1 else None


def _margins(document: Any, words: Words) -> Iterator[str]:
    """Yield what headers and footers of pages say, without the numbers of pages."""
    parted = children_of(document, RELATIONSHIP_TYPE.SETTINGS, "evenAndOddHeaders")
    usual = {"default", *(["even"] if parted else [])}
    parts: dict[Any, None] = {}
    for section in document.element.body.iter(tag("sectPr")):
        shown = usual | {"first"} if section.find(tag("titlePg")) is not None else usual
        for reference in section.iterchildren(*_MARGINS):
            if reference.get(tag("type"), "default") in shown:
                parts[document.part.related_parts.get(reference.get(RELATED))] = None
    for part in filter(None, parts):
        story: Any = parse_xml(part.blob)
        for paragraph in story.iter(_PARAGRAPH):
            _drop_page_numbers(paragraph)
        for block in _blocks(story):
            yield words.of_margin(block, part.rels)


def _drop_page_numbers(paragraph: Any) -> None:
    """Take out of a paragraph what stands with the number of a page between two tabs."""
    group: list[Any] = []
    for part in (*paragraph, None):
        if part is None or part.find(tag("tab")) is not None:
            if any(map(_counts_pages, group)):
                for each in group:
                    paragraph.remove(each)
            group = []
        group.append(part)


def _counts_pages(element: Any) -> bool:
    instructions = [element.get(tag("instr"), "")]
    instructions += [each.text or "" for each in element.iter(tag("instrText"))]
    return any(map(_PAGES.match, instructions))


def _title(document: Any) -> str | None:
    """Return the title of the properties; python-docx makes some up for a file without any."""
    kinds = {related.reltype for related in document.part.package.rels.values()}
    return document.core_properties.title if RELATIONSHIP_TYPE.CORE_PROPERTIES in kinds else None


def _runs_on(paragraph: Any) -> bool:
    """Tell whether the end of a paragraph is deleted or moved away, so that the next one joins."""
    mark = child_of(child_of(paragraph, PROPERTIES), tag("rPr"))
    return mark is not None and any(mark.find(each) is not None for each in _GONE)


def _paragraph(blocks: Blocks, styles: Styles, words: Words, joined: Sequence[Any]) -> None:
    """Add a paragraph, set as the last of those that it is joined of."""
    properties = child_of(joined[-1], PROPERTIES)
    level = styles.heading_level(properties)
    if level:
        _notes(blocks, words)
    text = "".join(words.of_heading(each) if level else words.of(each) for each in joined)
    if not text.strip() or styles.is_contents(properties):
        return
    entry = styles.list_entry(properties)
    if level:
        label = entry[1] if entry and entry[1] != "-" else ""
        blocks.heading(level, f"{label} {text}")
    elif entry:
        depth, label = entry
        blocks.item("-" if label == "-" else format_mark(label), text.strip(), depth=depth)
    elif styles.is_code(properties):
        blocks.code(text)
    else:
        blocks.paragraph(text.strip())


def _notes(blocks: Blocks, words: Words) -> None:
    """Write the notes of a section at its end, so that they are cut and found together."""
    for note in words.notes():
        blocks.paragraph(note)


def _table(blocks: Blocks, table: Any, words: Words) -> None:
    rows = [*_live_rows(table)]
    heads = 0
    while heads < len(rows) and rows[heads].find(_HEAD_ROW) is not None:
        heads += 1
    head, *below = filled = [*_rows(rows, words, heads)] or [[]]
    if heads >= _SEVERAL:
        head, below = join_heads(filled[:heads]), filled[heads:]
    blocks.table([head, *([join_lines(cell) for cell in row] for row in below)])


def _live_rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table that are not deleted, those in content controls too."""
    for child in table:
        if child.tag in _CONTAINERS:
            yield from _live_rows(child)
        elif child.tag == _ROW and child.find(f"{tag('trPr')}/{tag('del')}") is None:
            yield child


def _live_cells(row: Any) -> Iterator[Any]:
    for cell in row.iterchildren(*_CELLS):
        if cell.find(f"{tag('tcPr')}/{tag('cellDel')}") is None:
            yield cell


def _rows(rows: Sequence[Any], words: Words, heads: int) -> Iterator[list[str]]:
    """Yield the rows of a table; a cell merged downwards is repeated in each of its rows.

    So is one of the head in each of its columns.
    """
    above: list[str] = []
    for number, row in enumerate(rows):
        if words.read >= _MOST_READ:
            return
        cells = [""] * _count_skipped(row)
        for cell in _live_cells(row):
            column = len(cells)
            text = words.of(cell).strip()
            if _goes_on(cell) and column < len(above):
                text = above[column]
            cells += [text, *[text if number < heads else ""] * (_width(cell) - 1)]
        yield cells
        above = cells


def _count_skipped(row: Any) -> int:
    """Return how many columns a row leaves out before its first cell."""
    before = row.find(f"{tag('trPr')}/{tag('gridBefore')}")
    skipped = before.get(tag("val"), "") if before is not None else "0"
    return min(int(skipped), _WIDEST) if skipped.isdecimal() else 0


def _goes_on(cell: Any) -> bool:
    merged = cell.find(f"{tag('tcPr')}/{tag('vMerge')}")
    return merged is not None and merged.get(tag("val"), "continue") == "continue"


def _width(cell: Any) -> int:
    wide = cell.find(f"{tag('tcPr')}/{tag('gridSpan')}")
    return span(wide.get(tag("val")), most=_WIDEST) if wide is not None else 1


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
