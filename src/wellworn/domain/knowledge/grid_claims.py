"""Claims of tables: a row is about what its first cell names, a column says which value it is.

A table of two columns such as `Setting | Value` is a list of pairs instead. Columns that describe
the parameters of a program are left alone: they define words of that program, not of the owner.

A column of values that have a form, such as `IP`, states no other, nor does one of names state what
is written small. What stands there instead (n/a, vacant) stands in for a value, and does so in the
other columns of its table, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.claims import (
    HEADED,
    SUMMARY,
    FactSpan,
    IdentifierIndex,
    TypedSpan,
    add_aside,
    build_claims,
    find_named_value,
    is_attribute,
    is_illustrative,
    is_summary_key,
    is_value_name,
    item_subject,
    list_exact_types,
)
from wellworn.domain.knowledge.entities import Subject, can_be_name, is_special, plain, term
from wellworn.domain.knowledge.grids import Grid, find_aside, name_of
from wellworn.domain.knowledge.options import find_option_claims
from wellworn.domain.knowledge.statements import cut, is_said
from wellworn.domain.knowledge.whole_fields import read_field
from wellworn.kit.markdown import TableCell, TableRow
from wellworn.kit.words import load_phrases, load_words

_NAMES: Final = re.compile(
    rf"(?:[a-z]+ )?(?:{load_phrases(__name__, 'named_things')}"
    rf"|{load_phrases(__name__, 'named_people')})s?"
)
_TWO: Final = 2
_JOINING: Final = re.compile(r"(?<=\w) (?:of|for|and) (?=\w)")
_PAIRS: Final = frozenset(load_words(__name__, "pair_headings"))
_PROGRAM: Final = frozenset(load_words(__name__, "program_headings"))
_DESCRIBED: Final = re.compile(r"notes?|used for|comments?")
#: Columns of a history: of each change its version, its day, and who made it.
_VERSIONS: Final = frozenset(load_words(__name__, "version_columns"))
_DAYS: Final = frozenset(load_words(__name__, "day_columns"))
_CHANGERS: Final = frozenset(load_words(__name__, "changer_columns"))
_NO_VALUES: Final = frozenset(load_words(__name__, "no_values"))
_MOST_COLUMNS: Final = 20
MOST_NAME_WORDS: Final = 6
_Columns = Sequence[tuple[str, str]]
"""Names of columns, each with the aside to it."""
_OF_PAIRS: Final = frozenset({"value", "values", "detail", "details", ""})


def extract_claims(grid: Grid, subject: Subject, evidence: IdentifierIndex) -> Iterator[FactSpan]:
    """Yield what the rows of a table say."""
    yield from find_option_claims(grid, evidence.text)
    if is_list_of_pairs(grid):
        pairs = [(term(name_of(row.cells[0])), row.cells[1:2]) for row in grid.rows if row.cells]
        cells = _CellReader(evidence, _find_stand_ins(pairs, evidence))
        for row in grid.rows:
            yield from _of_pair(row, subject, cells)
    elif names_things(grid):
        columns = _read_head(grid)
        cells = _CellReader(evidence, _find_stand_ins(_list_columns(grid, columns), evidence))
        for row, side in _find_sides(grid.rows, columns):
            yield from _of_row(row, columns, subject, cells, side)


def read_rows(
    grid: Grid, evidence: IdentifierIndex, is_head: Callable[[str, int], bool]
) -> Iterator[FactSpan]:
    """Yield what rows say of what heads each, where `is_head` tells that it is one.

    A row of plain words in which no cell states a value is what it says.
    """
    stand_ins = frozenset[str]()
    if is_list_of_pairs(grid):
        columns = [("", ""), ("value", "")]
    elif names_things(grid):
        columns = _read_head(grid)
        stand_ins = _find_stand_ins(_list_columns(grid, columns), evidence)
    else:
        return
    reader = _CellReader(evidence, stand_ins)
    for row, side in _find_sides(grid.rows, columns):
        name = term(name_of(row.cells[0])) if len(row.cells) >= _TWO else ""
        if not is_head(name, row.span[0]):
            continue
        whose = Subject(name, side)
        claims = [*_read_cells(row, columns, reader, whose, is_sided=bool(side))]
        if not claims and not any(map(is_special, whose.entity.split())):
            span = cut(evidence.text, row.cells[1].start, row.cells[-1].end)
            value = TypedSpan(SUMMARY, *span)
            claims = build_claims(whose, "", value, snippet=row.span, confidence=HEADED)
        yield from (replace(claim, confidence=HEADED) for claim in claims)


def _read_head(grid: Grid) -> _Columns:
    return [(term(name_of(cell)), find_aside(cell)) for cell in grid.head[:_MOST_COLUMNS]]


def _list_columns(grid: Grid, columns: _Columns) -> Iterator[tuple[str, Sequence[TableCell]]]:
    """Yield the columns behind the first one, each with its cells."""
    for number, (column, _) in enumerate(columns[1:], 1):
        yield column, [row.cells[number] for row in grid.rows if number < len(row.cells)]


def _find_stand_ins(
    columns: Iterable[tuple[str, Sequence[TableCell]]], evidence: IdentifierIndex
) -> frozenset[str]:
    """Return, folded, what stands for a value where only values of some form can be.

    A column that has no such value at all may be called like one and be of something else.
    """
    stand_ins: set[str] = set()
    for name, cells in columns:
        types = list_exact_types(name)
        has_value = [bool(_find_exact(types, name, cell, evidence)) for cell in cells]
        if types and (any(has_value) or not find_named_value(name, "x", 0, 1, is_column=True)):
            others = (cell for cell, is_value in zip(cells, has_value, strict=True) if not is_value)
            stand_ins |= {_fold(cell) for cell in others}
        elif not types and not _is_described(name):
            stand_ins |= {_fold(cell) for cell in _list_unnamed(cells)}
    return frozenset(stand_ins)


def _list_unnamed(cells: Sequence[TableCell]) -> Sequence[TableCell]:
    """Return the cells in small letters of a column that is one of names: "vacant" below Owner."""
    small = [cell for cell in cells if _first_letter(cell).islower()]
    names = [
        cell
        for cell in cells
        if _first_letter(cell).isupper() and any(map(is_special, plain(cell.text).split()))
    ]
    return small if len(names) > len(small) else ()


def _first_letter(cell: TableCell) -> str:
    return next(filter(str.isalpha, cell.text), "")


def _find_exact(
    types: frozenset[str], name: str, cell: TableCell, evidence: IdentifierIndex
) -> bool:
    """Tell whether a cell has a value of one of some types."""
    if not types:
        return False
    span = (cell.start, cell.end)
    if any(identifier.kind in types for identifier in evidence.find_within(*span)):
        return True
    named = find_named_value(name, evidence.text, *span)
    return named is not None and named.fact_type in types


def _fold(cell: TableCell) -> str:
    return term(cell.text)


def _find_sides(rows: Sequence[TableRow], columns: _Columns) -> Iterator[tuple[TableRow, str]]:
    """Yield rows that are named; of several with one name, each with the side in its second cell.

    Where both cells are those of another row, too, nobody could say which one is meant; and what
    heads values, such as `IP`, names no sides.
    """
    has_sides = len(columns) > _TWO and not is_attribute(columns[1][0])
    names = [tuple(term(name_of(cell)) for cell in row.cells[:_TWO]) for row in rows]
    firsts, pairs = Counter(name[:1] for name in names), Counter(names)
    for row, name in zip(rows, names, strict=True):
        if firsts[name[:1]] == 1 or not has_sides:
            yield row, ""
        elif pairs[name] == 1 and len(name[-1].split()) <= MOST_NAME_WORDS:
            yield row, name[-1]


def is_list_of_pairs(grid: Grid) -> bool:
    """Tell whether each row is the name of a value and the value."""
    first, *others = (term(name_of(cell)) for cell in grid.head)
    is_pairs = first.removesuffix("s") in _PAIRS and len(others) == 1
    return is_pairs and others[0].rpartition(" ")[2] in _OF_PAIRS


def names_things(grid: Grid) -> bool:
    """Tell whether rows may be about what they name, and not about words of a program."""
    first = term(name_of(grid.head[0])).removesuffix("s")
    return first not in _PROGRAM and not is_illustrative(first)


def is_history_table(grid: Grid) -> bool:
    """Tell whether rows are changes of one thing: what held once is no value of who changed it."""
    columns = [term(name_of(cell)) for cell in grid.head]
    has_both = not _VERSIONS.isdisjoint(columns) and not _DAYS.isdisjoint(columns)
    first = re.split(r"\W+", columns[0])
    return has_both and not (_VERSIONS | _DAYS | _CHANGERS).isdisjoint(first)


def _of_pair(row: TableRow, subject: Subject, reader: _CellReader) -> Iterator[FactSpan]:
    cells = row.cells
    name = term(name_of(cells[0])) if cells else ""
    if len(cells) >= _TWO and subject.entity and is_value_name(name):
        yield from reader.read(cells[1], (name, find_aside(cells[0])), row, subject)


def _of_row(
    row: TableRow, columns: _Columns, subject: Subject, reader: _CellReader, side: str
) -> Iterator[FactSpan]:
    """Yield what a row says of what it names, or of the side of it that its second cell names."""
    cells = row.cells
    name = term(name_of(cells[0])) if cells else ""
    if not _is_name(name, subject, columns[0][0]):
        return
    whose = item_subject(name, subject)
    whose = Subject(whose.entity, f"{whose.aspect} {side}".strip())
    yield from _read_cells(row, columns, reader, whose, is_sided=bool(side))


def _read_cells(
    row: TableRow, columns: _Columns, reader: _CellReader, whose: Subject, *, is_sided: bool
) -> Iterator[FactSpan]:
    """Yield what the cells of a row say of a thing, or of a side of it named in the second one."""
    cells, first = row.cells, _TWO if is_sided else 1
    for cell, (column, aside) in zip(cells[first:], columns[first:], strict=False):
        if is_value_name(column) or _is_described(column):
            yield from reader.read(cell, (column, aside), row, whose)


def _is_name(name: str, subject: Subject, column: str) -> bool:
    is_naming = _NAMES.fullmatch(column) is not None
    # "Head of milling" is a role where the column says so, and elsewhere half a sentence.
    checked = _JOINING.sub(" ", name) if is_naming else name
    is_item = is_naming or subject.lists or any(map(is_special, name.split()))
    return can_be_name(checked, MOST_NAME_WORDS) and is_item


@dataclass(frozen=True, slots=True)
class _CellReader:
    """Reads the cells of one table; `stand_ins` are folded texts that state nothing in it."""

    evidence: IdentifierIndex
    stand_ins: frozenset[str]

    def read(
        self, cell: TableCell, called: tuple[str, str], row: TableRow, subject: Subject
    ) -> Iterator[FactSpan]:
        """Yield what a cell says of its row's subject, below what heads it and an aside to that."""
        evidence, snippet, field = self.evidence, row.span, (cell.start, cell.end)
        column, aside = called
        if _is_described(column):
            span = cut(evidence.text, *field)
            if is_said(evidence.text[slice(*span)]) and not subject.aspect:
                whose, value = Subject(subject.entity), TypedSpan(SUMMARY, *span)
                sure = 0.9 if is_summary_key(column) else 0.8
                yield from build_claims(whose, "", value, snippet=snippet, confidence=sure)
            return
        is_nothing = self._is_nothing(cell)
        for name, whole, is_typed in read_field(evidence, field, column, is_column=True):
            if is_typed or not is_nothing:
                sure = 0.95 if is_typed else 0.85
                named = add_aside(name, aside)
                yield from build_claims(subject, named, whole, snippet=snippet, confidence=sure)

    def _is_nothing(self, cell: TableCell) -> bool:
        return _fold(cell) in self.stand_ins or cell.text.strip("`*_ ").casefold() in _NO_VALUES


def _is_described(column: str) -> bool:
    return is_summary_key(column) or _DESCRIBED.fullmatch(column) is not None
