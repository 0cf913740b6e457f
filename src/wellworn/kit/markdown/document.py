"""A Markdown text and what stands where in it, each found once and only if somebody asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

from wellworn.kit.markdown.front_matter import FrontMatter, read_front_matter
from wellworn.kit.markdown.inline import is_filled_in
from wellworn.kit.markdown.parsing import Block, BlockKind, read_blocks
from wellworn.kit.markdown.sections import LONGEST_TITLE, Heading, Section, build_sections

_DEEPEST_HEADING: Final = 3
"""Blanks before a heading; deeper in a list it is part of an item, and often a comment in code."""
_MOST_HEADINGS: Final = 20_000
_LEAST_CHARACTERS: Final = 50
"""Of a heading and what is below it, on average, in a text of more headings than that."""
_CLOSING_MARKS: Final = re.compile(r"(?:^|[ \t])#+$")
_ITEM_MARK: Final = re.compile(
    r"\s*([-*+\u2022]|[0-9]{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?", re.MULTILINE
)


class Item(NamedTuple):
    """An item of a list; its words begin at `words`, after the mark and the box of a task."""

    start: int
    words: int
    end: int


class TableCell(NamedTuple):
    """A cell's text, without the blanks around it, and where it begins."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class TableRow(NamedTuple):
    """A row's cells, and the span of all of it."""

    cells: Sequence[TableCell]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Table:
    head: TableRow
    rows: Sequence[TableRow]


@dataclass(frozen=True)
class Markdown:
    """A Markdown text; every span counts its characters."""

    text: str

    @cached_property
    def front_matter(self) -> FrontMatter | None:
        return read_front_matter(self.text)

    @property
    def front_end(self) -> int:
        """The end of the front matter; 0 where there is none."""
        return self.front_matter.end if self.front_matter else 0

    @cached_property
    def headings(self) -> list[Heading]:
        """The headings that begin a section, in order: not those of quotes or deep in lists.

        What only says which title a template puts there is none. Of very many short ones the first
        are, so that reading them section by section ends.
        """
        return self._first_headings[: self._most_headings]

    @property
    def has_more_headings(self) -> bool:
        """Whether headings are left out."""
        return len(self._first_headings) > self._most_headings

    @property
    def _most_headings(self) -> int:
        return max(_MOST_HEADINGS, len(self.text) // _LEAST_CHARACTERS)

    @cached_property
    def _first_headings(self) -> list[Heading]:
        """As many headings as are read, and the next one."""
        found = (
            Heading(block.level, title, start - indent, block.end)
            for block in self._of(BlockKind.HEADING)
            for start, _ in [self._trim(block)]
            if (indent := self._indent(start)) is not None
            and indent <= _DEEPEST_HEADING
            and not self._is_paragraph(block)
            and not is_filled_in(title := self._title(block))
        )
        return list(islice(found, self._most_headings + 1))

    @cached_property
    def sections(self) -> list[Section]:
        """The sections in order; together they are the full text."""
        return build_sections(self.headings, len(self.text))

    @cached_property
    def fences(self) -> list[tuple[int, int]]:
        """The spans of fenced code blocks; one that is never closed ends the text."""
        return [
            (start - (self._indent(start) or 0), end)
            for start, end in map(self._trim, self._of(BlockKind.FENCE))
        ]

    @cached_property
    def items(self) -> list[Item]:
        """The items of lists, in order: one of an inner list comes after the one it is in."""
        return [
            Item(mark.start(1), mark.end(), block.end)
            for block in self._of(BlockKind.ITEM)
            if (mark := _ITEM_MARK.match(self.text, block.start, block.end))
        ]

    @cached_property
    def tables(self) -> list[Table]:
        """The tables drawn with pipes, in order."""
        tables: list[list[tuple[Block, list[TableCell]]]] = []
        for block in self._blocks:
            if block.kind is BlockKind.TABLE:
                tables.append([])
            elif block.kind is BlockKind.ROW:
                tables[-1].append((block, []))
            elif block.kind is BlockKind.CELL:
                tables[-1][-1][1].append(self._cell(block))
        rows = [[TableRow(cells, self._trim(row)) for row, cells in table] for table in tables]
        return [Table(head, below) for head, *below in rows]

    def _cell(self, block: Block) -> TableCell:
        raw = self.text[block.start : block.end]
        return TableCell(block.start + len(raw) - len(raw.lstrip()), raw.strip())

    def _title(self, block: Block) -> str:
        """Return a heading's text with its markup, on one line and not too long."""
        raw = self.text[block.start : block.end].strip()
        if raw.startswith("#"):
            title = _CLOSING_MARKS.sub("", raw.lstrip("#").strip())
        else:
            title = raw.rpartition("\n")[0]
        return " ".join(title.split())[:LONGEST_TITLE].rstrip()

    def _is_paragraph(self, block: Block) -> bool:
        """Tell whether a heading is a paragraph of several lines above what is meant as a rule."""
        raw = self.text[block.start : block.end].strip()
        return not raw.startswith("#") and raw.count("\n") > 1

    def _indent(self, start: int) -> int | None:
        """Return how many blanks stand before a block in its line; None if anything else does."""
        before = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        return None if before.strip(" \t") else len(before)

    def _trim(self, block: Block) -> tuple[int, int]:
        """Return a block's span without the blanks around it, which the parser may count."""
        raw = self.text[block.start : block.end]
        return block.end - len(raw.lstrip()), block.start + len(raw.rstrip())

    @cached_property
    def _blocks(self) -> list[Block]:
        return read_blocks(self.text, self.front_end)

    def _of(self, kind: BlockKind) -> Iterator[Block]:
        return (block for block in self._blocks if block.kind is kind)
