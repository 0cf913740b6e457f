"""Writes what the style rules of a page strike out to the elements themselves.

Only rules for elements, classes and ids, and for those in others, are followed, of which it is
certain what they are about; those that hold for some screens, or while somebody points at
something, are not.

Source: CSS Syntax Module Level 3, section 5.4; CSS Text Decoration Module Level 3, section 2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_BRACE: Final = re.compile(r"[{}]")
_SIMPLE: Final = r"(?:[a-zA-Z]{0,20}(?:[.#][a-zA-Z_][\w-]{0,100}){1,4}|[a-zA-Z][\w-]{0,20})"
_SELECTOR: Final = re.compile(rf"{_SIMPLE}(?:\s{{1,9}}{_SIMPLE}){{0,3}}")
_DECORATION: Final = re.compile(r"text-decoration(?:-line)?\s{0,9}:([^;]{0,200})", re.IGNORECASE)
_LONGEST: Final = 1_000_000
_MOST_SELECTORS: Final = 50
_STRUCK: Final = "line-through"


def write_strikes(tree: LexborHTMLParser) -> None:
    """Give the elements that a page's own rules strike out a style that says so."""
    struck: dict[int, bool] = {}
    nodes: dict[int, LexborNode] = {}
    for number, (selector, strikes) in enumerate(_list_rules(tree)):
        if number == _MOST_SELECTORS:
            break
        for node in tree.css(selector):
            struck[node.mem_id] = strikes
            nodes[node.mem_id] = node
    for key, strikes in struck.items():
        style = nodes[key].attributes.get("style") or ""
        if strikes and not _DECORATION.search(style):
            attributes: Any = nodes[key].attrs
            attributes["style"] = f"{style};text-decoration:{_STRUCK}".lstrip(";")


def _list_rules(tree: LexborHTMLParser) -> Iterator[tuple[str, bool]]:
    """Yield in order each selector that decorates text, with whether it strikes it."""
    for sheet in tree.css("style"):
        text = sheet.text()[:_LONGEST]
        if _STRUCK not in text.lower():
            continue
        for prelude, declarations in _split_rules(_drop_comments(text)):
            decorations = _DECORATION.findall(declarations)
            for selector in prelude.split(",") if decorations else ():
                if _SELECTOR.fullmatch(selector.strip()):
                    yield selector.strip(), _STRUCK in decorations[-1].lower()


def _drop_comments(text: str) -> str:
    first, *others = text.split("/*")
    return " ".join([first, *(part.partition("*/")[2] for part in others)])


def _split_rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield prelude and content of the rules that hold at all times."""
    depth = start = 0
    prelude = ""
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            if depth == 0:
                prelude = text[start : brace.start()].rpartition(";")[2].strip()
                start = brace.end()
            depth += 1
            continue
        depth = max(0, depth - 1)
        if depth == 0:
            if not prelude.startswith("@"):
                yield prelude, text[start : brace.start()]
            start = brace.end()
    if depth == 1 and not prelude.startswith("@"):
        yield prelude, text[start:]
