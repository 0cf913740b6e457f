"""The heads of the tables of a text, for rows that stand without theirs.

Tables are drawn with pipes, or their columns are parted by tabs or aligned by blanks.

Source: GitHub Flavored Markdown, tables.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from wellworn.kit.markdown.aligned import is_underline, list_aligned

_ROW: Final = re.compile(r"[ \t]{0,64}\|")
_LONGEST_ROW: Final = 20_000
"""Characters; in a longer line nobody looks for the beginning."""
_LINE: Final = re.compile(r"[^\n]*\n?")
_RULE: Final = frozenset("|:- \t\r\n")
_GAP: Final = re.compile(r"\t|  ")
_Table = tuple[int, int, int]
"""Where its head begins, where the rule below it ends, and where its last row does."""


class TableHeads:
    """Finds the head of a table by a row; nothing is read before somebody asks about one."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find(self, at: int) -> tuple[int, int] | None:
        """Return where the head of the table stands, with its rule, that has a row at a place."""
        least = max(0, at - _LONGEST_ROW)
        line = self._text.rfind("\n", least, at) + 1
        if line < least or not may_be_row(self._text, line):
            return None
        number = bisect_right(self._tables, line, key=lambda table: table[0]) - 1
        start, head_end, end = self._tables[number] if number >= 0 else (0, 0, 0)
        return (start, head_end) if head_end <= line < end else None

    @cached_property
    def _tables(self) -> list[_Table]:
        return list(self._list_tables())

    def _list_tables(self) -> Iterator[_Table]:
        rows: list[tuple[int, int]] = []
        aligned: list[tuple[int, int]] = []
        for line in _LINE.finditer(self._text):
            if _ROW.match(line[0]):
                rows.append(line.span())
            else:
                yield from self._read_table(rows)
                rows = []
            if rows or line[0].isspace() or not line[0] or len(line[0]) > _LONGEST_ROW:
                yield from self._read_aligned(aligned)
                aligned = []
            else:
                aligned.append(line.span())

    def _read_table(self, rows: list[tuple[int, int]]) -> Iterator[_Table]:
        """Yield the table that neighbouring rows are, if the second of them is a rule."""
        if len(rows) > 1 and _is_rule(self._text[slice(*rows[1])]):
            rule = self._text[slice(*rows[1])]
            yield rows[0][0], rows[1][0] + len(rule.rstrip()), rows[-1][1]

    def _read_aligned(self, lines: list[tuple[int, int]]) -> Iterator[_Table]:
        """Yield the tables with a head that neighbouring lines are by their tabs or blanks."""
        texts = [self._text[slice(*line)].rstrip() for line in lines]
        at = 0
        for count, has_head in list_aligned(texts):
            if has_head:
                is_ruled = count > 1 and is_underline(texts[at + 1])
                last = at + is_ruled
                yield lines[at][0], lines[last][0] + len(texts[last]), lines[at + count - 1][1]
            at += count


def may_be_row(text: str, line: int = 0) -> bool:
    """Tell whether the line at a place may be a row: it has a pipe in front, or a gap in it."""
    if _ROW.match(text, line):
        return True
    end = text.find("\n", line)
    return (
        _GAP.search(text[line : end if end >= 0 else len(text)][:_LONGEST_ROW].strip()) is not None
    )


def _is_rule(line: str) -> bool:
    return "-" in line and _RULE.issuperset(line)
