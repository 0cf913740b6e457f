"""Tables of a page as rows of cells, with spans filled in; layout tables are none.

Source: HTML Living Standard, section 4.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.engines.extraction.blocks import join_heads, span
from wellworn.engines.extraction.html_inline import ROW_GROUPS, read_cell, read_words
from wellworn.engines.extraction.html_text import PageLinks, is_hidden

_WIDEST_SPAN: Final = 50
_OF_PAIR: Final = 2
_TALLEST_SPAN: Final = 1000


def is_data(table: LexborNode) -> bool:
    """Tell whether a table holds values, not a layout or lines of code.

    One with tables in it is a layout unless it names its columns or rows; one with headings in it,
    unless its first row names all columns.
    """
    if table.css_first("pre") is not None:
        return False
    rows = [_cells(row) for group in _groups(table) for row in group]
    is_named = bool(rows) and len(rows[0]) > 1 and all(cell.tag == "th" for cell in rows[0])
    if not is_named and table.css_first("h1, h2, h3, h4, h5, h6") is not None:
        return False
    has_names = any(cell.tag == "th" for row in rows for cell in row)
    return any(len(row) > 1 for row in rows) and (has_names or not _has_tables(table))


def rows_of(table: LexborNode, links: PageLinks) -> tuple[list[list[str]], bool]:
    """Return the rows of a table, and whether the first of them is its header.

    A value that spans rows is repeated in each, so that every row says all it means.
    """
    groups = [*_groups(table)]
    elements = [row for group in groups for row in group]
    heads = _count_heads(elements)
    rows: list[list[str]] = []
    for group in groups:
        # No cell reaches out of its group of rows.
        reaching: dict[int, tuple[int, str]] = {}
        for row in group:
            rows.append(_fill_row(row, reaching, links, is_head=len(rows) < heads))
    if heads > 1:
        return [join_heads(rows[:heads]), *rows[heads:]], True
    return rows, _is_header(elements) and not _is_pair(elements[0], rows[0])


def caption_of(table: LexborNode, links: PageLinks) -> str:
    """Return the caption of a table; empty when it has none."""
    caption = next((each for each in table.iter() if each.tag == "caption"), None)
    return read_words(caption, links) if caption is not None and not is_hidden(caption) else ""


def _count_heads(rows: list[LexborNode]) -> int:
    """Return how many rows at the top hold names of columns alone; 1 where all do."""
    at = (number for number, row in enumerate(rows) if any(c.tag == "td" for c in _cells(row)))
    return next(at, 1)


def _fill_row(
    row: LexborNode, reaching: dict[int, tuple[int, str]], links: PageLinks, *, is_head: bool
) -> list[str]:
    """Return the cells of one row; `reaching` holds the cells that span down into it, by column.

    A name of several columns is repeated in each of them.
    """
    filled: list[str] = []
    for cell in _cells(row):
        _take_down(filled, reaching)
        text, down = (read_words if is_head else read_cell)(cell, links), _reach(cell)
        for column in range(span(cell.attributes.get("colspan"), most=_WIDEST_SPAN)):
            words = text if is_head or not column else ""
            if down > 1:
                reaching[len(filled)] = (down - 1, words)
            filled.append(words)
    _take_down(filled, reaching)
    return filled


def _reach(cell: LexborNode) -> int:
    """Return how many rows a cell spans; 0 is written for all that follow in its group."""
    written = cell.attributes.get("rowspan")
    return _TALLEST_SPAN if written == "0" else span(written, most=_TALLEST_SPAN)


def _take_down(filled: list[str], reaching: dict[int, tuple[int, str]]) -> None:
    while (column := len(filled)) in reaching:
        left, text = reaching.pop(column)
        if left > 1:
            reaching[column] = (left - 1, text)
        filled.append(text)


def _is_header(rows: Sequence[LexborNode]) -> bool:
    """Tell whether the first of rows names the columns.

    One that begins with its own name does not, nor does one without names below which is nothing.
    """
    tags = [cell.tag for cell in _cells(rows[0])] if rows else ["td", "th"]
    return "td" not in tags or ("th" not in tags and len(rows) > 1)


def _is_pair(row: LexborNode, cells: Sequence[str]) -> bool:
    """Tell whether a row that names no columns is something and its number: "Fee", "12 dollars"."""
    is_unnamed = all(cell.tag == "td" for cell in _cells(row))
    return is_unnamed and len(cells) == _OF_PAIR and any(map(str.isdigit, cells[1]))


def _has_tables(table: LexborNode) -> bool:
    return any(each.mem_id != table.mem_id for each in table.css("table"))


def _groups(table: LexborNode) -> Iterator[list[LexborNode]]:
    """Yield the rows of a table as they are shown, by group, without those of tables in it."""
    for part in sorted(table.iter(), key=lambda part: part.tag == "tfoot"):
        if part.tag in ROW_GROUPS:
            yield [row for row in part.iter() if row.tag == "tr"]


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in {"td", "th"} and not is_hidden(cell)]
