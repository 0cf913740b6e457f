"""The heads of the tables of a text, for rows that stand without theirs.

Tables are drawn with pipes, or their columns are parted by tabs or aligned by blanks. Without any
lines, the first line is the head where a rule of dashes stands below it, or where it holds no digit
and names three columns or more; two may as well be names and values, unless all values are numbers.

Source: GitHub Flavored Markdown, tables.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from wellworn.kit.markdown.document import TableCell, TableRow

_ROW: Final = re.compile(r"[ \t]{0,64}\|")
_LONGEST_ROW: Final = 20_000
"""Characters; in a longer line nobody looks for the beginning."""
_LINE: Final = re.compile(r"[^\n]*\n?")
_RULE: Final = frozenset("|:- \t\r\n")
_MAY_BE_TABLE: Final = re.compile(r"^[ \t]{0,64}\||\t|  ", re.MULTILINE)
_GAP: Final = re.compile(r"\t|  ")
_Table = tuple[int, int, int]
"""The beginning of the head, the end of the rule below it, and the end of the last row."""


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

    def list_aligned_rows(self) -> Iterator[Sequence[TableRow]]:
        """Yield the rows of each table that is aligned by tabs or blanks, its head first."""
        for start, head_end, end in self._tables:
            if not _ROW.match(self._text, start):
                below = self._text.find("\n", head_end, end) + 1
                spans = [(start, self._text.find("\n", start, end))]
                spans += [line.span() for line in _LINE.finditer(self._text, below, end) if line[0]]
                lines = [self._text[slice(*span)].rstrip() for span in spans]
                yield [
                    TableRow(
                        [TableCell(at + begin, cell) for begin, cell in cells], (at, at + len(line))
                    )
                    for (at, _), line, cells in zip(spans, lines, _split_cells(lines), strict=False)
                ]

    @cached_property
    def _tables(self) -> list[_Table]:
        tables: list[_Table] = []
        start = 0
        while start < len(self._text):
            end = self._text.find("\n\n", start) + 1 or len(self._text)
            # Most paragraphs are none, which is told at once.
            if _MAY_BE_TABLE.search(self._text, start, end):
                tables += self._list_tables(start, end)
            start = end
        return tables

    def _list_tables(self, start: int, end: int) -> Iterator[_Table]:
        """Yield the tables of whole paragraphs."""
        rows: list[tuple[int, int]] = []
        aligned: list[tuple[int, int]] = []
        for line in _LINE.finditer(self._text, start, end):
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


_FEWEST_LINES: Final = 3
_FEWEST_COLUMNS: Final = 3
_FEWEST_VALUES: Final = 4
_BLANKS: Final = re.compile(r" {2,}")
_TABS: Final = re.compile(r"\t+")
_TAB: Final = re.compile(r"\t")
_BLANK: Final = re.compile(r" +")
_DIGIT: Final = re.compile(r"\d")
_UNDERLINE: Final = re.compile(r"[-=+\s]*+")
_SHORTEST_RULE: Final = 2
_LONGEST: Final = 2_000
_MOST_COLUMNS: Final = 40
_Gap = tuple[int, int]


def is_underline(line: str) -> bool:
    """Tell whether a line is a rule for several columns; one below a title has no blank in it."""
    is_rule = _UNDERLINE.fullmatch(line) is not None and len(line.split()) > 1
    return is_rule and max(line.count("-"), line.count("=")) >= _SHORTEST_RULE


def list_aligned(lines: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """Yield how many lines go together from the first on, and whether they are a table with a head.

    Args:
        lines: without their ends; none is blank.
    """
    at = 0
    while at < len(lines):
        count, columns = (1, ()) if is_underline(lines[at]) else _measure(lines, at)
        is_table = count >= _FEWEST_LINES
        yield count if is_table else 1, is_table and _has_head(lines, at, count, columns)
        at += count if is_table else 1


def _measure(lines: Sequence[str], first: int) -> tuple[int, Sequence[_Gap]]:
    """Return how many lines have the columns of the first, and the gaps between these.

    Tabs part them by themselves; where there are none, gaps go down through all lines.
    """
    head = lines[first]
    at = first + 1
    if "\t" in head.strip():
        gaps = [match.span() for match in _TABS.finditer(head.strip())]
        while at < len(lines) and _has_tabs(lines[at], head, len(gaps)):
            at += 1
        return at - first, gaps
    gaps = _list_gaps(head)
    while gaps and at < len(lines):
        narrowed = _narrow(gaps, lines[at])
        if narrowed is None:
            break
        gaps, at = narrowed, at + 1
    return at - first, gaps


def _split_cells(lines: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield the cells of each line of a table, each with its place; none where tabs are missing."""
    head, (_, gaps) = lines[0], _measure(lines, 0)
    if "\t" not in head.strip():
        yield from ([*_cut(line, gaps)] for line in lines)
    elif all(len(_TABS.findall(line.strip())) == len(gaps) for line in lines):
        yield from ([*_cut(line, [run.span() for run in _TABS.finditer(line)])] for line in lines)
    elif all(line.count("\t") == head.count("\t") for line in lines):
        yield from ([*_cut(line, [tab.span() for tab in _TAB.finditer(line)])] for line in lines)


def _cut(line: str, gaps: Sequence[_Gap]) -> Iterator[tuple[int, str]]:
    edges = [0, *(at for gap in gaps for at in gap), len(line)]
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        raw = line[begin:end]
        yield begin + len(raw) - len(raw.lstrip()), raw.strip()


def _has_tabs(line: str, head: str, gaps: int) -> bool:
    return line.count("\t") == head.count("\t") or len(_TABS.findall(line.strip())) == gaps


def _list_gaps(line: str) -> list[_Gap]:
    if len(line) > _LONGEST:
        return []
    indent = len(line) - len(line.lstrip())
    gaps = [match.span() for match in _BLANKS.finditer(line.rstrip(), indent)]
    return gaps if len(gaps) < _MOST_COLUMNS else []


def _narrow(gaps: Sequence[_Gap], line: str) -> list[_Gap] | None:
    """Return what a line leaves free of each gap; None where it leaves nothing of one."""
    free = [match.span() for match in _BLANK.finditer(line[:_LONGEST])]
    free.append((len(line), _LONGEST * 2))
    narrowed: list[_Gap] = []
    at = 0
    for start, end in gaps:
        while free[at][1] <= start:
            at += 1
        room = max(start, free[at][0]), min(end, free[at][1])
        if room[0] >= room[1]:
            return None
        narrowed.append(room)
    return narrowed


def _has_head(lines: Sequence[str], first: int, count: int, gaps: Sequence[_Gap]) -> bool:
    if is_underline(lines[first + 1]):
        return True
    if _DIGIT.search(lines[first]) or not gaps:
        return False
    if len(gaps) + 1 >= _FEWEST_COLUMNS:
        return True
    values = [_last_cell(line, gaps[-1]) for line in lines[first + 1 : first + count]]
    return len(values) >= _FEWEST_VALUES and all(map(_DIGIT.search, values))


def _last_cell(line: str, gap: _Gap) -> str:
    return line.rpartition("\t")[2] if "\t" in line else line[gap[1] :]
