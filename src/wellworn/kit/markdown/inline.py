"""Strips the marks from a line, whose words stay, and finds what a text strikes out, `~~so~~`.

What is struck out is still read, and holds no longer.

Source: GitHub Flavored Markdown 0.29, section 6.5.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
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

_TILDES: Final = re.compile(r"~+|\n[ \t]*\n")
_MARK: Final = "~~"
_NOT_A_BREAK: Final = re.compile(r"[^\n]")


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


def find_struck(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans that are struck out, marks included, in order; each within a paragraph."""
    if _MARK not in text:
        return
    opened: int | None = None
    for tildes in _TILDES.finditer(text):
        start, end = tildes.span()
        if tildes[0] != _MARK:
            opened = None if tildes[0][0] == "\n" else opened
        elif opened is not None and not text[start - 1].isspace():
            yield opened, end
            opened = None
        elif end < len(text) and not text[end].isspace():
            opened = start


def blank_struck(text: str) -> str:
    """Return a text with blanks for what it strikes out, so that all else keeps its place."""
    pieces: list[str] = []
    last = 0
    for start, end in find_struck(text):
        pieces += [text[last:start], _NOT_A_BREAK.sub(" ", text[start:end])]
        last = end
    return "".join([*pieces, text[last:]]) if pieces else text


class CurrentText:
    """A text without what it strikes out, which knows where all else stands in the full one."""

    def __init__(self, whole: str) -> None:
        pieces: list[str] = []
        self._cuts: list[int] = []
        self._left_out: list[int] = [0]
        last = 0
        for start, end in find_struck(whole):
            # Of two blanks around it one goes, too.
            is_apart = start == 0 or whole[start - 1].isspace()
            after = end + (is_apart and whole[end : end + 1] == " ")
            pieces.append(whole[last:start])
            self._cuts.append(start - self._left_out[-1])
            self._left_out.append(self._left_out[-1] + after - start)
            last = after
        self.text: Final = "".join([*pieces, whole[last:]]) if pieces else whole

    def find_start(self, place: int) -> int:
        """Return where in the full text a character stands."""
        return place + self._left_out[bisect_right(self._cuts, place)]

    def find_end(self, place: int) -> int:
        """Return where in the full text what ends at a place ends."""
        return place + self._left_out[bisect_left(self._cuts, place)]
