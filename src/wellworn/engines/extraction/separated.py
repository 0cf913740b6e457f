"""Tables whose cells are parted by commas, semicolons, tabs or bars, as Markdown tables.

Source: RFC 4180; the files of spreadsheets in countries that write decimals with a comma.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import islice
from typing import Final, TypeAlias

from wellworn.engines.extraction.blocks import MOST_CELLS, Blocks, join_lines
from wellworn.engines.extraction.kinds import find_ending
from wellworn.engines.extraction.models import Extracted, FileKind

_SEPARATORS: Final = ",;\t|"
_STATED: Final = re.compile(r"\"?sep=([^\w\"\n\r])\"?\r?\n", re.IGNORECASE)
"""A first line that only tells a spreadsheet what parts the cells."""
_LOOKED_AT: Final = 100
_NEARLY_ALL: Final = 0.9
_TYPES: Final = frozenset({"text/csv", "text/tab-separated-values"})
ENDINGS: Final = frozenset({".csv", ".tsv"})


def is_separated(name: str, media_type: str | None = None) -> bool:
    """Tell whether a file is such a table, by its name or by what its server says."""
    stated = (media_type or "").partition(";")[0].strip().lower()
    return find_ending(name) in ENDINGS or stated in _TYPES


def format_separated(text: str, *, most_characters: int) -> Extracted | None:
    """Return the table as Markdown, its first row as the head; None where the rows are unlike.

    A row may lack cells of the head, and has none beyond it, so that no cell is lost. Where marks
    of quotation stand otherwise than around whole cells, they are characters as any other. One that
    begins a cell and never ends is such a character if every row has as many cells as the head:
    then no cell goes on behind a separator or in the next line.
    """
    stated = _STATED.match(text)
    separators, start = (stated[1], stated.end()) if stated else (_SEPARATORS, 0)
    text = text[start:]
    rows = _list_rows(text, separators, _read_quoted) or _list_rows(text, separators, _read_plain)
    rows = rows or _list_full_rows(text, separators)
    if rows is None:
        return None
    blocks = Blocks()
    blocks.table([rows[0], *([join_lines(cell) for cell in row] for row in rows[1:])])
    made = blocks.build(FileKind.MARKDOWN, most_characters=most_characters)
    return made if made.text else None


_Read: TypeAlias = Callable[[str, str], Iterator[list[str]]]


def _list_rows(text: str, separators: str, read: _Read) -> list[list[str]] | None:
    counts = {each: _count_alike(text, each, read) for each in separators}
    separator, columns = max(counts.items(), key=lambda each: each[1])
    if not 0 < columns <= MOST_CELLS:
        return None
    try:
        rows = [row for row in read(text, separator) if row]
    except csv.Error:
        return None
    return None if any(len(row) > columns for row in rows) else rows


def _list_full_rows(text: str, separators: str) -> list[list[str]] | None:
    rows = _list_rows(text, separators, _read_as_written) or []
    is_full = len(rows) > 1 and len({len(row) for row in rows}) == 1
    return rows if is_full else None


def _count_alike(text: str, separator: str, read: _Read) -> int:
    """Return how many cells the head and nearly all of the first rows have; 0 where they differ."""
    try:
        rows = [len(row) for row in islice(read(text, separator), _LOOKED_AT) if row]
    except csv.Error:
        return 0
    [(cells, count)] = Counter(rows).most_common(1) or [(0, 0)]
    is_table = cells > 1 and rows[0] == cells and count >= _NEARLY_ALL * len(rows)
    return cells if is_table else 0


def _read_quoted(text: str, separator: str) -> Iterator[list[str]]:
    return csv.reader(StringIO(text), delimiter=separator, strict=True)


def _read_plain(text: str, separator: str) -> Iterator[list[str]]:
    for row in _read_as_written(text, separator):
        if any(cell.startswith('"') and cell.count('"') % 2 for cell in row):
            raise csv.Error
        yield row


def _read_as_written(text: str, separator: str) -> Iterator[list[str]]:
    for row in csv.reader(StringIO(text), delimiter=separator, quoting=csv.QUOTE_NONE):
        yield [_unquote(cell) for cell in row]


def _unquote(cell: str) -> str:
    """Return what a cell holds that is quoted as a whole; any other stays as it is."""
    inner = cell[1:-1].replace('""', "")
    is_whole = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner
    return cell[1:-1].replace('""', '"') if is_whole else cell
