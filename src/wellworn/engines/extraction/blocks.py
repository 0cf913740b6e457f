"""Builds canonical Markdown block by block, and records where each block begins.

A line of prose that happens to begin like a heading, a fence or an underline gets a backslash, so
that it does not become one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wellworn.engines.extraction.canonical import canonical, choose_title, shorten
from wellworn.engines.extraction.links import remove_links
from wellworn.engines.extraction.models import Anchor, Extracted, FileKind
from wellworn.kit.text import is_blank

# What a line of prose must not begin with.
_STRUCTURE: Final = re.compile(
    r"^[ \t]{0,3}(?=#{1,6}(?:[ \t]|$)|`{3}|~{3}|(?:=+|-+)[ \t]*$|\+{3}[ \t]*$)", re.MULTILINE
)
_TICKS: Final = re.compile(r"`{3,}")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
MOST_CELLS: Final = 200
LINE_END: Final = "\ufdd1"
"""Stands for the end of a line in a cell; no character, so that no text has it."""
_LINE_ENDS: Final = re.compile(rf"(?<![^\S\n])[^\S\n]*+(?:{LINE_END}[^\S\n]*+)++")
_CLOSING: Final = ")]`*_\"'%"
_NOTHING_APART: Final = ("", "(", "|", "\n")


def escape(text: str) -> str:
    """Return prose in which no line begins like a heading, a fence, an underline or a rule."""
    return _STRUCTURE.sub(lambda margin: f"{margin[0]}\\", text)


def span(written: str | None, *, most: int) -> int:
    """Return the number of rows or columns that a cell declares; 1 when it is not sensible."""
    number = int(written) if written and _NUMBER.fullmatch(written) else 1
    return min(max(number, 1), most)


def part_lines(cell: str) -> str:
    """Return a text of cells in which `LINE_END` stands, each told apart where no mark ends it.

    Example:
        >>> part_lines(f"Ana Lopez{LINE_END}Ben Kim")
        'Ana Lopez; Ben Kim'
    """

    def part(match: re.Match[str]) -> str:
        start, end = match.span()
        before, after = cell[max(start - 1, 0) : start], cell[end : end + 1]
        is_open = before.isalnum() or before in _CLOSING
        return "; " if before and is_open and after not in _NOTHING_APART else " "

    return _LINE_ENDS.sub(part, cell)


def join_lines(cell: str) -> str:
    """Return a cell of several lines on one, as `part_lines` does."""
    lines = cell.splitlines()
    return part_lines(LINE_END.join(lines)).strip() if len(lines) > 1 else cell


def join_heads(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of columns from several rows, the wider ones before those below them."""
    width = max(map(len, rows))
    columns = zip(*([*row, *[""] * (width - len(row))] for row in rows), strict=True)
    return [" ".join(dict.fromkeys(name for name in column if name)) for column in columns]


class Blocks:
    """A growing text; a blank line separates blocks, none separates list items."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._anchors: list[Anchor] = []
        self._in_list = False
        self.first_heading: str | None = None

    def is_empty(self) -> bool:
        """Tell whether nothing that can be seen was added."""
        return all(map(is_blank, self._pieces))

    def next_start(self) -> int:
        """Return where the next block will begin, unless it is a list item."""
        return self._length + 2 if self._pieces else 0

    def heading(self, level: int, text: str, *, anchor: str | None = None) -> None:
        """Add a heading of level 1 to 6; nothing when it has no text."""
        if not (title := " ".join(canonical(text).split())):
            return
        start = self._add(f"{'#' * min(max(level, 1), 6)} {title}")
        self.first_heading = self.first_heading or remove_links(title)
        if anchor and not anchor.isspace():
            self._anchors.append(Anchor(start, canonical(anchor)))

    def paragraph(self, text: str, *, indent: int = 0) -> None:
        """Add prose; its line breaks stay."""
        if text := canonical(text).strip("\n"):
            margin = " " * indent
            self._add("\n".join(margin + line for line in escape(text).split("\n")))

    def item(self, mark: str, text: str, *, depth: int = 0) -> None:
        """Add one list item below `depth` others; `mark` is `-` or a number with a dot."""
        if text := canonical(text).strip():
            margin = "  " * depth
            first, *others = escape(text).split("\n")
            rest = [f"{margin}  {line}" for line in others]
            self._add("\n".join([f"{margin}{mark} {first}", *rest]), is_item=True)

    def definition(self, text: str) -> None:
        """Add the definition of the term just before."""
        if text := canonical(text).strip():
            self._in_list = bool(self._pieces)
            self._add(f": {escape(text)}", is_item=True)
            self._in_list = False

    def code(self, text: str, *, language: str = "") -> None:
        """Add verbatim text, in a fence longer than any in it."""
        text = canonical(text).strip("\n")
        if text.strip():
            longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
            fence = "`" * (longest + 1)
            self._add(f"{fence}{language}\n{text}\n{fence}")

    def table(self, rows: Sequence[Sequence[str]], *, has_header: bool = True) -> None:
        """Add a table, its rows padded to the longest; the first is its header if it has one."""
        rows = [row[:MOST_CELLS] for row in rows if any(cell.strip() for cell in row)]
        if not rows:
            return
        rows = rows if has_header else [[], *rows]
        width = max(len(row) for row in rows)
        lines = [_row([*row, *[""] * (width - len(row))]) for row in rows]
        self._add("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]))

    def build(
        self,
        kind: FileKind,
        *,
        title: str | None = None,
        most_characters: int,
        flags: Sequence[str] = (),
    ) -> Extracted:
        """Return the text built so far, with its anchors."""
        whole = "".join(self._pieces) + ("\n" if self._pieces else "")
        text, cut = shorten(whole, most_characters=most_characters)
        return Extracted(
            text,
            kind,
            title=choose_title(title, self.first_heading),
            anchors=tuple(anchor for anchor in self._anchors if anchor.start < len(text)),
            flags=(*flags, *cut),
        )

    def _add(self, block: str, *, is_item: bool = False) -> int:
        """Append a block and return where it begins."""
        if self._pieces:
            between = "\n" if is_item and self._in_list else "\n\n"
            self._pieces.append(between)
            self._length += len(between)
        start = self._length
        self._pieces.append(block)
        self._length += len(block)
        self._in_list = is_item
        return start


def _row(cells: Sequence[str]) -> str:
    inner = (" ".join(canonical(cell).split()).replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(inner) + " |"
