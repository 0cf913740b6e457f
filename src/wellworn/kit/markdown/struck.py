"""Finds what a text strikes out, `~~like this~~`: it is still read, and holds no longer.

Source: GitHub Flavored Markdown 0.29, section 6.5.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final

_TILDES: Final = re.compile(r"~+|\n[ \t]*\n")
_MARK: Final = "~~"
_NOT_A_BREAK: Final = re.compile(r"[^\n]")


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
