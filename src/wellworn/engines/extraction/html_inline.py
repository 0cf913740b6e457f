"""The words within a block or a cell of a page, with the marks that carry meaning.

Marks tell what a reader sees beside the bare letters: raised, lowered, struck, linked, filled in.

Source: HTML Living Standard, sections 4.5 (text), 4.7 (edits), 4.10 (forms); MathML Core, 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.engines.extraction.blocks import LINE_END, part_lines
from wellworn.engines.extraction.html_numbers import Numbers
from wellworn.engines.extraction.html_text import BLOCKS, DROPPED, PageLinks, is_hidden, is_in_line
from wellworn.engines.extraction.links import format_link
from wellworn.engines.extraction.raised import (
    LOOK_BACK,
    format_lowered,
    format_raised,
    format_struck,
)

ROW_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})
_MARKED: Final = "\ufdd0"
"""Stands before a mark that no blank comes before; no character, so that no page has it."""
_BEFORE_MARK: Final = re.compile(rf"(?<!\s)\s++{_MARKED}|{_MARKED}")
_ROWS: Final = ROW_GROUPS | {"tr"}
_CELLS: Final = frozenset({"td", "th"})
CODE: Final = frozenset({"code", "kbd", "samp", "tt"})
"""Elements whose words are code."""
_STRETCHES: Final = BLOCKS - _ROWS - _CELLS - {"li"}
"""Blocks that are parted from the words behind them as well."""
_STRUCK: Final = frozenset({"del", "s", "strike"})
_STRIKING: Final = re.compile(r"text-decoration(?:-line)?\s*:[^;]{0,80}line-through", re.IGNORECASE)
_ALIGNED: Final = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_UNSTATED: Final = frozenset(
    {"button", "color", "file", "hidden", "image", "password", "range", "reset", "search", "submit"}
)
_WRITTEN: Final = frozenset({"", "email", "password", "tel", "text", "url"})
"""Types of fields that a reader writes in."""
_BARS: Final = ("/", "\u2044")
_POWERS: Final = {"msup": "sup", "msub": "sub"}

Mark = Callable[[str, str], str]
"""Returns words as they are written, from them and from the text before them."""


class Inline:
    """The words of a block as they are met, with the elements around them that are still open."""

    def __init__(self, links: PageLinks) -> None:
        self._links = links
        self._pieces: list[str] = []
        # Of each open mark: its element, where it began, and what it does to the words in it.
        self._open: list[tuple[int, int, Mark]] = []

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def is_empty(self) -> bool:
        return not self._pieces

    def has_text(self) -> bool:
        return any(not piece.isspace() for piece in self._pieces)

    def begin(self, node: LexborNode) -> None:
        """Open what an element does to the words in it."""
        if mark := self._find_mark(node):
            self._open.append((node.mem_id, len(self._pieces), mark))

    def end(self, node: LexborNode) -> None:
        """Close an element; nothing when it does nothing."""
        if self._open and self._open[-1][0] == node.mem_id:
            _, start, mark = self._open.pop()
            self._apply(start, mark)

    def take(self) -> str:
        """Return the words so far and begin again; what is still open goes on."""
        for _, start, mark in reversed(self._open):
            self._apply(start, mark)
        text = "".join(self._pieces)
        self._pieces.clear()
        self._open = [(node, 0, mark) for node, _, mark in self._open]
        return text

    def _apply(self, start: int, mark: Mark) -> None:
        inside = "".join(self._pieces[start:])
        if inside and not inside.isspace():
            self._pieces[start:] = [mark(inside, self._before(start))]

    def _before(self, start: int) -> str:
        end = ""
        while start > 0 and len(end) < LOOK_BACK:
            start -= 1
            end = self._pieces[start] + end
        return end

    def _find_mark(self, node: LexborNode) -> Mark | None:
        tag, attributes = node.tag or "", node.attributes
        style = attributes.get("style") or ""
        if tag in _STRUCK or (style and _STRIKING.search(style)):
            return lambda words, _: format_struck(words)
        aligned = _ALIGNED.search(style) if style else None
        level = aligned[1].lower().removesuffix("er") if aligned else _find_level(node, tag)
        if level in {"sup", "sub"}:
            return _find_raising(node, is_raised=level == "sup")
        if tag == "a" and (to := self._links.to(node)):
            return _make_link(to)
        return _find_wrap(node, tag)


def _make_link(to: str) -> Mark:
    """Return what makes words a link: of several blocks, the first."""
    used: list[str] = []

    def link(words: str, _: str) -> str:
        if used:
            return words
        used.append(to)
        return format_link(words, to)

    return link


def _find_level(node: LexborNode, tag: str) -> str:
    """Return `sup` or `sub` for an element above or below the line; in formulas the second one."""
    around = node.parent
    level = _POWERS.get(around.tag or "") if around is not None else None
    return level if level and _has_before(node) else tag


def _has_before(node: LexborNode) -> bool:
    """Tell whether an element stands before it, in the same one."""
    before = node.prev
    while before is not None and before.tag == "-text":
        before = before.prev
    return before is not None


def _find_raising(node: LexborNode, *, is_raised: bool) -> Mark:
    follows = node.next
    after = (follows.text_content or "")[:2] if follows and follows.tag == "-text" else ""
    above = node.prev
    if is_raised and after[:1] in _BARS and follows and follows.next and follows.next.tag == "sub":
        # A fraction: five and a half, not the root of five.
        return lambda words, before: f"{' ' * before[-1:].isalnum()}{words}"
    if not is_raised and above and (above.text_content or "")[-1:] in _BARS:
        return lambda words, _: words
    if not is_raised:
        return lambda words, before: format_lowered(words, before, after=after)
    is_note = _is_note(node)
    return lambda words, before: format_raised(words, before, after=after, is_note=is_note)


def _is_note(node: LexborNode) -> bool:
    """Tell whether a raised element leads to a note of the page."""
    around = [node, *node.iter(), *([node.parent] if node.parent is not None else [])]
    return any(
        (each.tag == "a" and (each.attributes.get("href") or "").startswith("#"))
        or each.attributes.get("role") == "doc-noteref"
        for each in around
    )


def _find_wrap(node: LexborNode, tag: str) -> Mark | None:
    if tag == "q":
        return lambda words, _: f'"{words}"'
    if tag == "rt":
        return lambda words, _: f"({words})"
    if tag == "msqrt":
        return lambda words, _: f"\u221a({words.strip()})"
    if node.parent is not None and node.parent.tag == "mfrac":
        return lambda words, _: (
            f"/({words.strip()})" if _has_before(node) else f" ({words.strip()})"
        )
    title = " ".join((node.attributes.get("title") or "").split()) if tag == "abbr" else ""
    if title:
        return lambda words, _: words if words.strip() == title else f"{words} ({title})"
    return None


def field_value(node: LexborNode, tag: str) -> str | None:
    """Return what is filled in a field of a form: a text, `[x]`, the chosen option; else None."""
    attributes = node.attributes
    if tag == "select":
        chosen = [each.text() for each in node.css("option[selected]")]
        return " ".join(", ".join(chosen).split())
    if tag == "textarea":
        return node.text()
    kind = (attributes.get("type") or "text").lower()
    if kind in {"checkbox", "radio"}:
        return "[x]" if "checked" in attributes else "[ ]"
    return None if kind in _UNSTATED else attributes.get("value")


def asks_for_text(root: LexborNode) -> bool:
    """Tell whether a page has a field that its reader writes in; one to search it is none."""
    return any(
        (field.attributes.get("type") or "").lower() in _WRITTEN and not is_hidden(field)
        for field in root.css("input")
    )


FIELDS: Final = frozenset({"input", "select", "textarea"})
"""Elements that a reader fills in."""


def read_words(root: LexborNode, links: PageLinks) -> str:
    """Return the words of the head of a column or a caption, on one line."""
    return " ".join(read_raw(root, links, code="").split())


def read_cell(root: LexborNode, links: PageLinks) -> str:
    """Return the words of a cell on one line; those that <br> parts are told apart."""
    return part_lines(" ".join(read_raw(root, links, code="", line=LINE_END).split())).strip()


def read_raw(root: LexborNode, links: PageLinks, *, code: str = "`", line: str = "\n") -> str:
    """Return the words in an element with their white space, and code between marks.

    `line` stands for each <br>.
    """
    inline = Inline(links)
    numbers: dict[int, Numbers] = {}
    waiting: list[tuple[LexborNode, bool]] = [(root, False)]
    while waiting:
        part, is_left = waiting.pop()
        tag = part.tag or ""
        if is_left:
            inline.end(part)
            is_stretch = part is not root and tag in _STRETCHES
            inline.add(code if tag in CODE else _find_gap(part, tag, line) if is_stretch else "")
        elif tag == "-text":
            inline.add(part.text_content or "")
        elif not read_single(inline, part, tag):
            if part is not root and (tag in DROPPED or is_hidden(part)):
                continue
            if part is not root:
                gap = _part_items(part, numbers) if tag == "li" else _find_gap(part, tag, line)
                inline.add(gap)
            inline.begin(part)
            inline.add(code if tag in CODE else "")
            waiting.append((part, True))
            waiting.extend((each, False) for each in reversed([*part.iter(include_text=True)]))
    return _BEFORE_MARK.sub("", inline.take())


def _find_gap(part: LexborNode, tag: str, line: str) -> str:
    """Return what stands between an element and the words before it: a blank before a block."""
    if tag == "br":
        return line
    return _part_cells(part, tag) or (" " if tag in BLOCKS and not is_in_line(part) else "")


def _part_items(item: LexborNode, numbers: dict[int, Numbers]) -> str:
    """Return what stands before an item of a list within words: its number, if it has one."""
    around = item.parent
    if around is not None and around.tag == "ol" and around.mem_id not in numbers:
        numbers[around.mem_id] = Numbers(around)
    counted = numbers.get(around.mem_id) if around is not None else None
    before = item.prev
    while before is not None and before.tag != "li":
        before = before.prev
    label = f"{counted.next_label(item)} " if counted else ""
    return f"{f'{_MARKED}; ' if before is not None else ' '}{label}"


def _part_cells(part: LexborNode, tag: str) -> str:
    """Return what stands before a row or a cell of a table within words; empty for all else."""
    alike = _ROWS if tag in _ROWS else _CELLS if tag in _CELLS else None
    if alike is None:
        return ""
    before = part.prev
    while before is not None and before.tag not in alike:
        before = before.prev
    mark = "" if before is None else "; " if tag in _ROWS else ", "
    return f"{_MARKED}{mark}" if mark else " "


def read_single(inline: Inline, node: LexborNode, tag: str) -> bool:
    """Read an element whose words are no text between tags; tell whether it was one."""
    if tag in FIELDS:
        if not is_hidden(node) and (value := field_value(node, tag)):
            inline.add(f" {value} ")
        return True
    if tag == "img":
        words = " ".join((node.attributes.get("alt") or "").split())
        if words and not is_hidden(node):
            inline.add(f" {words} ")
        return True
    return tag == "rp"
