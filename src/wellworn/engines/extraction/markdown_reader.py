"""Markdown with HTML in it, as Markdown alone: its tables, figures, raised and struck words.

What stands outside of the HTML is not touched, nor are code, comments and components of programs.
Runs in the child process, as the HTML may be hostile.

Source: CommonMark 0.31, sections 4.6 (HTML blocks) and 6.6 (raw HTML).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from wellworn.engines.extraction.blocks import LINE_END, part_lines
from wellworn.engines.extraction.canonical import canonical
from wellworn.engines.extraction.html_inline import read_raw
from wellworn.engines.extraction.html_reader import find_hostile, read_fragment
from wellworn.engines.extraction.html_text import TAG, PageLinks, is_element
from wellworn.engines.extraction.models import Extracted, FileKind
from wellworn.engines.extraction.settings import ExtractionSettings
from wellworn.kit.markdown import HtmlPiece, Markdown, read_html_pieces

_TABLE: Final = re.compile(r"<(/?)table\b", re.IGNORECASE)
_CELL_FIRST: Final = re.compile(r"\s*</?(?:t[drh]|tbody|thead|tfoot|caption)\b", re.IGNORECASE)
_MOST: Final = 5_000
"""Blocks and stretches of lines; each is parsed by itself."""
_MOST_TAGS: Final = 20_000
_CELLS: Final = frozenset({"td", "th", "tr"})


def read_markdown(raw: bytes, _: ExtractionSettings) -> Extracted:
    """Read a Markdown text, given as UTF-8."""
    text = raw.decode("utf-8", errors="replace")
    front = Markdown(text).front_end
    rest = text[front:]
    found = read_html_pieces(rest) if "<" in rest else []
    html = list(islice(_select_known(found), _MOST_TAGS))
    pieces: list[str] = []
    last = 0
    for start, end, written in islice(_write_all(rest, html), _MOST):
        pieces += [rest[last:start], written]
        last = end
    made = "".join([text[:front], *pieces, rest[last:]])
    is_cut = len(html) == _MOST_TAGS or len(pieces) == 2 * _MOST
    flags = ("some of the HTML in it was left as it is, as there is much",) if is_cut else ()
    return Extracted(canonical(made), FileKind.MARKDOWN, flags=flags)


def _write_all(text: str, html: Sequence[HtmlPiece]) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of what is HTML, in order, and what it becomes."""
    for is_block, some in groupby(html, key=lambda piece: piece.is_block):
        yield from (_write_blocks if is_block else _write_lines)(text, list(some))


def _select_known(pieces: Sequence[HtmlPiece]) -> Iterator[HtmlPiece]:
    for piece in pieces:
        tag = TAG.match(piece.html.lstrip())
        if tag and is_element(tag[1]):
            yield piece


def _write_blocks(text: str, blocks: Sequence[HtmlPiece]) -> Iterator[tuple[int, int, str]]:
    """Yield spans and what stands there instead; a table may go over blank lines."""
    at = 0
    while at < len(blocks):
        first = last = blocks[at]
        html, depth = first.html, _count_open(first.html)
        at += 1
        while depth > 0 and at < len(blocks) and not text[last.end : blocks[at].start].strip():
            last = blocks[at]
            html, depth = f"{html}\n{last.html}", depth + _count_open(last.html)
            at += 1
        if _CELL_FIRST.match(html):
            html = f"<table>{html}"
        if (written := read_fragment(html)) is not None:
            yield first.start, last.end, _fit(text, first.start, last.end, written.rstrip("\n"))


def _count_open(html: str) -> int:
    return sum(-1 if tag[1] else 1 for tag in _TABLE.finditer(html))


def _fit(text: str, start: int, end: int, written: str) -> str:
    """Return a block with what quotes or indents it before each line, and blank lines around."""
    line = text.rfind("\n", 0, start) + 1
    margin = text[line:start]
    below = "\n" if text[end - 1 : end] == "\n" else ""
    if not written:
        return below
    above = text[text.rfind("\n", 0, max(0, line - 1)) + 1 : max(0, line - 1)]
    before = f"\n{margin}" if above.strip() and not margin.strip() else ""
    lines = "\n".join(f"{margin}{line}".rstrip() for line in written.split("\n"))[len(margin) :]
    stop = text.find("\n", end)
    follows = text[end : stop if stop >= 0 else len(text)]
    return f"{before}{lines}{below}{below if follows.strip(' >') else ''}"


def _write_lines(text: str, tags: Sequence[HtmlPiece]) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of lines with tags, those of one paragraph together, and what they become."""
    at = 0
    while at < len(tags):
        end = at + 1
        while end < len(tags) and "\n\n" not in text[tags[end - 1].end : tags[end].start]:
            end += 1
        start = text.rfind("\n", 0, tags[at].start) + 1
        stop = text.find("\n", tags[end - 1].end)
        stop = len(text) if stop < 0 else stop
        yield start, stop, _write_stretch(text, start, stop, tags[at:end])
        at = end


def _write_stretch(text: str, start: int, stop: int, tags: Sequence[HtmlPiece]) -> str:
    """Return lines without their tags; Markdown in them passes through as text of a page."""
    whole = text[start:stop]
    page: list[str] = []
    anchors = 0
    for tag in tags:
        page.append(escape(text[start : tag.start], quote=False))
        start = tag.end
        name = tag.html.strip("</> ").partition(" ")[0].lower()
        if name == "a" and (anchors if tag.html[1] == "/" else "href" not in tag.html):
            # The mark of a place, which links lead to.
            anchors += -1 if tag.html[1] == "/" else 1
            page.append(escape(tag.html, quote=False))
        elif name in _CELLS or (name == "br" and tag.is_in_line):
            page.append(LINE_END if tag.is_in_row and name == "br" else " ")
        else:
            page.append(tag.html)
    page.append(escape(text[start:stop], quote=False))
    html = f"<body><span>{''.join(page)}"
    if find_hostile(html.encode("utf-8", "replace")):
        return whole
    body = LexborHTMLParser(html).body
    return part_lines(read_raw(body, PageLinks())) if body is not None else whole
