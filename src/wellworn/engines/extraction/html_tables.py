"""Tables of a page as rows of cells, with spans filled in; layout tables are none.

Source: HTML Living Standard, section 4.9.
"""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.engines.extraction.blocks import span
from wellworn.engines.extraction.html_links import PageLinks
from wellworn.engines.extraction.html_text import is_hidden
from wellworn.engines.extraction.links import format_link

_WIDEST_SPAN: Final = 50
_TALLEST_SPAN: Final = 1000
_PARTED: Final = frozenset({"br", "p", "li", "div"})
_UNREAD: Final = frozenset({"script", "style", "svg", "template", "button"})


def is_data(table: LexborNode) -> bool:
    """Tell whether a table holds values, not a layout or lines of code."""
    if table.css_first("table table, pre, h1, h2, h3, h4, h5, h6") is not None:
        return False
    return any(len(_cells(row)) > 1 for row in table.css("tr"))


def rows_of(table: LexborNode, links: PageLinks) -> tuple[list[list[str]], bool]:
    """Return the rows of a table, and whether the first of them is its header.

    A value that spans rows is repeated in each, so that every row says all it means.
    """
    reaching: dict[int, tuple[int, str]] = {}
    rows = [_fill_row(row, reaching, links) for row in table.css("tr")]
    first = table.css_first("tr")
    return rows, first is not None and _is_header(first)


def _fill_row(row: LexborNode, reaching: dict[int, tuple[int, str]], links: PageLinks) -> list[str]:
    """Return the cells of one row; `reaching` holds the cells that span down into it, by column."""
    filled: list[str] = []
    for cell in _cells(row):
        _take_down(filled, reaching)
        text, down = _text(cell, links), span(cell.attributes.get("rowspan"), most=_TALLEST_SPAN)
        for column in range(span(cell.attributes.get("colspan"), most=_WIDEST_SPAN)):
            if down > 1:
                reaching[len(filled)] = (down - 1, text if not column else "")
            filled.append(text if not column else "")
    _take_down(filled, reaching)
    return filled


def _take_down(filled: list[str], reaching: dict[int, tuple[int, str]]) -> None:
    while (column := len(filled)) in reaching:
        left, text = reaching.pop(column)
        if left > 1:
            reaching[column] = (left - 1, text)
        filled.append(text)


def _is_header(row: LexborNode) -> bool:
    """Tell whether a first row names the columns; one that begins with its own name does not."""
    tags = [cell.tag for cell in _cells(row)]
    return "td" not in tags or "th" not in tags


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in {"td", "th"} and not is_hidden(cell)]


def _text(cell: LexborNode, links: PageLinks) -> str:
    pieces: list[str] = []
    waiting: list[tuple[LexborNode, tuple[int, str] | None]] = [(cell, None)]
    while waiting:
        part, ended_link = waiting.pop()
        if ended_link is not None:
            start, to = ended_link
            pieces[start:] = [format_link("".join(pieces[start:]), to)]
        elif part.tag == "-text":
            pieces.append(part.text_content or "")
        elif part.tag not in _UNREAD:
            pieces.append(" " if part.tag in _PARTED else "")
            if part.tag == "a" and (to := links.to(part)):
                waiting.append((part, (len(pieces), to)))
            inside = [*part.iter(include_text=True)]
            waiting.extend((child, None) for child in reversed(inside))
    return " ".join("".join(pieces).split())
