"""Strips the marks from a line: its words stay, as a reader sees them."""

from __future__ import annotations

import re
from typing import Final

_MARKUP: Final = (
    (re.compile(r"!?\[([^\[\]]{0,200})\](?:\([^()\n]{0,200}\)|\[[^\[\]\n]{0,100}\])"), r"\1"),
    (re.compile(r"<(?:br|/?p)\b[^<>]{0,200}>", re.IGNORECASE), " "),
    (re.compile(r"</?[A-Za-z][^<>]{0,200}>"), ""),
    (re.compile(r"(?<!\\)(?:`{1,3}|\*{1,3}|~~)"), ""),
    (re.compile(r"(?<!\w)_{1,2}(?=\w)([^_]{1,200})(?<=\w)_{1,2}(?!\w)"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
#: A sign that each kind of markup has.
_MARKED: Final = re.compile(r"[\[<`*~_\\]")
#: Placeholders that the maker of a page fills in: `<%= title %>`, `{{ page.title }}`.
_FILLED_IN: Final = re.compile(
    r"<%(?:(?!<%|%>).)*+%>|\{\{(?:(?!\{\{|\}\}).)*+\}\}|\{%(?:(?!\{%|%\}).)*+%\}"
)


def strip_markup(line: str) -> str:
    """Return a line as a reader sees it: links by their words, no tags and no marks."""
    if _MARKED.search(line):
        for markup, words in _MARKUP:
            line = markup.sub(words, line)
    return " ".join(line.split())


def is_filled_in(title: str) -> bool:
    """Tell whether a title has no words but those that a template says it by; code is words."""
    rest = _FILLED_IN.sub("", title)
    return rest != title and not any(char.isalnum() or char == "`" for char in rest)
