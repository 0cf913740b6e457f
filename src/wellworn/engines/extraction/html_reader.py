"""Web pages as canonical Markdown: headings with their ids, lists, tables and code; no navigation.

Runs in the child process, without recursion. Tags with thousands of attributes and thousands of
nested elements, which cost the parser quadratic time, are refused before parsing.

Source: HTML Living Standard, sections 4.3 and 4.4; measured against two extraction libraries.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wellworn.engines.extraction.blocks import Blocks
from wellworn.engines.extraction.html_comments import read_discussion
from wellworn.engines.extraction.html_inline import Inline, asks_for_text, read_single
from wellworn.engines.extraction.html_numbers import Numbers
from wellworn.engines.extraction.html_styles import write_strikes
from wellworn.engines.extraction.html_tables import caption_of, is_data, rows_of
from wellworn.engines.extraction.html_text import (
    BLOCKS,
    DROPPED,
    HEADINGS,
    OUTSIDE_ONLY,
    PageLinks,
    codes,
    is_hidden,
    is_in_line,
    is_menu,
    is_permalink,
    permalink_id,
    verbatim,
)
from wellworn.engines.extraction.links import format_title
from wellworn.engines.extraction.models import Extracted, FileKind, Refused
from wellworn.engines.extraction.numbering import format_mark
from wellworn.engines.extraction.settings import ExtractionSettings

_DEEPEST: Final = 2000
_MOST_ATTRIBUTES: Final = 1000
_LONG_TAG: Final = re.compile(rb"<[a-zA-Z][^<>]{8000,}")
_ATTRIBUTE: Final = re.compile(rb"[\s\"'/][^\s=\"'/<>]+(?=[\s=/>])")
# Elements that only their own end tag closes.
_NESTING: Final = re.compile(
    rb"<(/?)(?:div|span|section|article|b|i|em|strong|font|a|ul|ol|dl|table|blockquote|main|del|ins|s"
    rb"|strike|sub|sup|u|q|abbr|cite|code|kbd|samp|tt|mark|small|big|label|fieldset|figure|details"
    rb"|header|footer|nav|aside|center|form|ruby|math)\b",
    re.IGNORECASE,
)
_CHARACTERS: Final = b"<![CDATA["
_OF_XML: Final = re.compile(rb"<[a-zA-Z][\w.-]{0,40}:[a-zA-Z][\w.-]{0,40}(?:\s[^<>]{0,200})?>\s*\Z")
_LONGEST_TAG: Final = 400
_LITTLE_TEXT: Final = 200
_LONGER: Final = 100
"""The length of Markdown to its HTML, at most, as a cell can stand for many."""
_MENUS: Final = frozenset({"div", "ul", "ol", "section"})


def read_html(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a complete page, given as UTF-8."""
    raw = write_characters(raw)
    if reason := find_hostile(raw):
        return Refused(reason)
    tree = LexborHTMLParser(raw)
    write_strikes(tree)
    root = _main_part(tree)
    blocks = Blocks()
    walk = _Walk(blocks, inside=root is not None and root.tag in {"main", "article"})
    if root is not None:
        walk.over(root)
    if root is None or blocks.is_empty():
        return Refused("the page has no text of its own; if scripts build it, save it as PDF")
    title = tree.css_first("head > title, body > title")
    built = blocks.build(
        FileKind.HTML,
        title=title.text() if title else None,
        most_characters=settings.most_characters,
    )
    is_form = len(built.text) - walk.in_forms < _LITTLE_TEXT and asks_for_text(root)
    return replace(built, discussion=read_discussion(tree), is_form=is_form)


def write_characters(raw: bytes) -> bytes:
    """Return a page with what XML keeps as characters below an element of its own written out.

    So wikis keep code (`<ac:plain-text-body><![CDATA[…]]>`). Elsewhere a browser shows none of it.
    """
    before, *rest = raw.split(_CHARACTERS)
    pieces = [before]
    for each in rest:
        inside, end, after = each.partition(b"]]>")
        is_of_xml = end and _OF_XML.search(pieces[-1][-_LONGEST_TAG:])
        text = escape(inside.decode("utf-8", "replace"), quote=False).encode()
        pieces.append(b"<pre>%b</pre>%b" % (text, after) if is_of_xml else _CHARACTERS + each)
    return b"".join(pieces)


def read_fragment(html: str) -> str | None:
    """Return a piece of a page as Markdown, as from inside of its text; None for a hostile one."""
    raw = html.encode("utf-8", "replace")
    if find_hostile(raw):
        return None
    blocks = Blocks()
    body = LexborHTMLParser(raw).body
    if body is not None:
        _Walk(blocks, inside=True).over(body)
    return blocks.build(FileKind.HTML, most_characters=len(html) * _LONGER + _LONGER).text


def find_hostile(raw: bytes) -> str | None:
    """Return why a page must not be parsed; None where it may."""
    for tag in _LONG_TAG.finditer(raw):
        if len(_ATTRIBUTE.findall(tag[0])) > _MOST_ATTRIBUTES:
            return (
                f"the page has a tag with more than {_MOST_ATTRIBUTES:,} attributes; save it anew"
            )
    depth = 0
    for tag in _NESTING.finditer(raw):
        depth = max(0, depth + (-1 if tag[1] else 1))
        if depth > _DEEPEST:
            return f"the page nests more than {_DEEPEST:,} elements; save it anew as text or PDF"
    return None


def _main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the element with the main text, or all of the body when none clearly holds it."""
    body = tree.body
    main_parts = tree.css("main, [role=main]") or tree.css("article")
    if len(main_parts) == 1 and len(main_parts[0].text().strip()) >= _LITTLE_TEXT:
        return main_parts[0]
    return body


class _Walk:
    """One pass over a tree that collects inline text until a block begins or ends."""

    def __init__(self, blocks: Blocks, *, inside: bool) -> None:
        self._blocks = blocks
        self._inside = int(inside)
        self._links = PageLinks()
        self._inline = Inline(self._links)
        self._lists: list[Numbers | None] = []
        # What the inline text belongs to: a list item that has no text yet, a definition.
        self._mark: str | None = None
        self._defines = False
        self._heading: int | None = None
        self._anchor: str | None = None
        self._has_own_anchor = False
        # How much of the text stands in forms, and where the one that is open began.
        self.in_forms = 0
        self._form_start = 0

    def over(self, root: LexborNode) -> None:
        waiting: list[tuple[LexborNode, bool]] = [(root, False)]
        while waiting:
            node, is_left = waiting.pop()
            if is_left:
                self._leave(node, node.tag or "")
            elif self._enter(node):
                waiting.append((node, True))
                children = [*node.iter(include_text=True)]
                waiting.extend((child, False) for child in reversed(children))
        self._flush()

    def _enter(self, node: LexborNode) -> bool:
        """Read a node; tell whether its children are to be walked."""
        tag = node.tag or ""
        if tag == "-text":
            # Line ends of the source are blanks; those of <br> are line ends.
            self._inline.add((node.text_content or "").replace("\n", " "))
            return False
        if (
            tag.startswith("-")
            or read_single(self._inline, node, tag)
            or self._is_dropped(node, tag)
        ):
            return False
        if tag in BLOCKS and not is_in_line(node):
            self._flush()
        self._take_anchor(_id(node, tag))
        return self._begin(node, tag)

    def _take_anchor(self, mark: str | None) -> None:
        """Keep an id for the heading around it, or else for the next one if that is near."""
        if not mark or self._has_own_anchor:
            return
        if self._heading is not None:
            self._anchor, self._has_own_anchor = mark, True
        elif not self._inline.has_text():
            self._anchor = mark

    def _begin(self, node: LexborNode, tag: str) -> bool:
        match tag:
            case "br":
                self._inline.add("\n")
            case "pre":
                for text, language in codes(node):
                    self._blocks.code(text, language=language)
                return False
            case "code" | "kbd" | "samp" | "tt" if self._heading is None:
                self._inline.add(_format_code(node))
                return False
            case "table" if is_data(node):
                self._read_table(node)
                return False
            case _:
                self._open(node, tag)
        return True

    def _read_table(self, table: LexborNode) -> None:
        if caption := caption_of(table, self._links):
            self._blocks.paragraph(caption)
        rows, has_header = rows_of(table, self._links)
        self._blocks.table(rows, has_header=has_header)

    def _open(self, node: LexborNode, tag: str) -> None:
        self._inline.begin(node)
        if tag in HEADINGS:
            self._heading, self._has_own_anchor = HEADINGS[tag], bool(node.id)
        elif tag in {"main", "article"}:
            self._inside += 1
        elif tag in {"ul", "ol"}:
            self._lists.append(Numbers(node) if tag == "ol" else None)
        elif tag == "li":
            numbers = self._lists[-1] if self._lists else None
            self._mark = format_mark(numbers.next_label(node)) if numbers else "-"
        elif tag == "dd":
            self._defines = True
        elif tag == "form":
            self._form_start = self._blocks.next_start()
        elif tag in {"td", "th"}:
            self._inline.add(" ")

    def _leave(self, node: LexborNode, tag: str) -> None:
        if tag in BLOCKS and not is_in_line(node):
            self._flush()
        self._inline.end(node)
        if tag in HEADINGS:
            self._heading, self._has_own_anchor = None, False
        elif tag in {"main", "article"}:
            self._inside -= 1
        elif tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._mark = None
        elif tag == "dd":
            self._defines = False
        elif tag == "form":
            self.in_forms += self._blocks.next_start() - self._form_start

    def _is_dropped(self, node: LexborNode, tag: str) -> bool:
        if tag in DROPPED or (tag in OUTSIDE_ONLY and not self._inside):
            return True
        if tag == "a" and is_permalink(node):
            self._take_anchor(permalink_id(node) if self._heading is not None else None)
            return True
        return is_hidden(node) or (tag in _MENUS and is_menu(node))

    def _flush(self) -> None:
        """Turn the inline text into a block of the kind around it."""
        if self._inline.is_empty():
            return
        lines = (" ".join(line.split()) for line in self._inline.take().split("\n"))
        text = "\n".join(line for line in lines if line)
        if not text:
            return
        if self._heading is not None:
            self._blocks.heading(self._heading, format_title(text), anchor=self._anchor)
        elif self._mark is not None:
            self._blocks.item(self._mark, text, depth=max(0, len(self._lists) - 1))
            self._mark = None
        elif self._defines:
            self._blocks.definition(text)
            self._defines = False
        else:
            self._blocks.paragraph(text, indent=min(2 * len(self._lists), 2))
        self._anchor = None


def _id(node: LexborNode, tag: str) -> str | None:
    return node.id or (node.attributes.get("name") if tag == "a" else None)


def _format_code(node: LexborNode) -> str:
    text = " ".join(verbatim(node).split())
    return f"`{text}`" if text and "`" not in text else text
