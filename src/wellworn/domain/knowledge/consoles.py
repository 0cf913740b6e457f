"""What a console printed, pasted into a document without a fence: it says nothing of anything.

Told by form alone: a prompt and what follows it, lines of a log, and columns that blanks hold in
line, as programs print tables. A sentence or a list is never one, nor a single line of a table.

Source: what a document shows is not what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_PROMPT: Final = re.compile(
    r"[ \t>]{0,12}(?:\$|\u276f|\u279c|PS [A-Z]:\\[^>\n]{0,100}>|\[?[\w.-]{1,40}@[\w.-]{1,60}[ :]"
    r"[^$#%\n]{0,80}[$#%])[ \t]+[A-Za-z./~\"'-]"
)
_LOGGED: Final = re.compile(
    r"[ \t>]{0,12}(?:\[?[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"|[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} |[IWEF][0-9]{4} [0-9]{2}:[0-9]{2}:"
    r"|(?:level|time|ts|lvl)=\S|\[(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]"
    r"|(?:[0-9]{1,3}\.){3}[0-9]{1,3} - \S{1,40} \[)"
)
_GAP: Final = re.compile(r"(?<![.!?:\s])(?: {2,}|[ \t]*\t[ \t]*)(?=\S)")
_LISTED: Final = re.compile(r"[ \t]*(?:[-*+\u2022|#]|[0-9]{1,3}[.)][ \t])")
_LEAST_IN_LINE: Final = 2
_LONGEST: Final = 400


def detect_output(lines: Sequence[str]) -> Iterator[bool]:
    """Tell of each line whether a console printed it."""
    columns = [*map(_columns, lines), _Columns()]
    is_output = False
    for line, (here, below) in zip(lines, pairwise(columns), strict=True):
        if not line or line.isspace():
            is_output = False
        elif here.are_in_line(below) or _PROMPT.match(line):
            is_output = True
        yield is_output or _LOGGED.match(line) is not None


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the columns of a line begin, but the first, and where they end."""

    starts: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()

    def are_in_line(self, other: _Columns) -> bool:
        in_line = len(self.starts & other.starts), len(self.ends & other.ends)
        return max(in_line) >= _LEAST_IN_LINE


def _columns(line: str) -> _Columns:
    if ("  " not in line and "\t" not in line) or len(line) > _LONGEST or _LISTED.match(line):
        return _Columns()
    indent = len(line) - len(line.lstrip())
    gaps = list(_GAP.finditer(line, indent))
    if not gaps:
        return _Columns()
    if all("\t" in gap.group() for gap in gaps):
        return _Columns(frozenset(range(len(gaps))))  # tabs are told by their number
    ends = {len(line.rstrip()), *(gap.start() for gap in gaps)}
    return _Columns(frozenset(gap.end() for gap in gaps), frozenset(ends))
