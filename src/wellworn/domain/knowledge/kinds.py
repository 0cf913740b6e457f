"""Of which kind things are, where the structure of a document says it.

The head of a column says it of what the rows name, a heading of many of what its list, table or
sections name, and a column such as `Role` of its row. Sentences say it of nothing. A kind is no
name: it is looked up only where nothing is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.knowledge.attributes import NEUTRAL, load_attributes
from wellworn.domain.knowledge.candidates import OF_KIND, TermCandidate
from wellworn.domain.knowledge.claims import find_examples
from wellworn.domain.knowledge.commonness import is_trade
from wellworn.domain.knowledge.entities import Subject, can_be_name, name_key, plain, subjects, term
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.grid_claims import (
    MOST_NAME_WORDS,
    is_history_table,
    is_list_of_pairs,
    names_things,
)
from wellworn.domain.knowledge.grids import Grid, find_grids, name_of
from wellworn.domain.knowledge.nesting import name_item
from wellworn.domain.knowledge.views import Reading
from wellworn.domain.sources import find_identifiers
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.markdown import TableCell, TableRow
from wellworn.kit.words import load_words

_FIELDS: Final = frozenset(load_words(__name__, "kind_fields"))
_NO_KINDS: Final = frozenset(load_words(__name__, "no_kinds"))
#: Types of the values that a column or list may be of, rather than of things.
_VALUES: Final = frozenset({"command", "email", "hostname", "ip", "path", "port", "secret_ref"})
_WORD: Final = re.compile(r"[^\W\d_]{2,30}(?:-[^\W\d_]{1,30})*")
_BETWEEN: Final = re.compile(r"[,;/+&]|\band\b")
_HISSES: Final = ("s", "x", "z", "ch", "sh")
_MOST_WORDS: Final = 3
_MOST_IN_FIELD: Final = 4
_LONGEST_FIELD: Final = 80
_MOST: Final = 1_000
"""What one document says of kinds, at most."""
_LONGEST_QUOTE: Final = 400
_TWO: Final = 2


def find_kinds(reading: Reading, facts: Sequence[Fact]) -> list[TermCandidate]:
    """Return of which kind the things of a document are, each kind of a thing once."""
    about = subjects(reading)
    statements: dict[tuple[str, str], TermCandidate] = {}
    for statement in (
        *_of_tables(reading),
        *_of_items(reading),
        *_of_sections(reading, about, facts),
    ):
        name = name_key(statement.alias_of or "")
        for kind in _list_wider(statement.term):
            if name_key(kind) != name:
                statements.setdefault((name_key(kind), name), replace(statement, term=kind))
    return list(statements.values())[:_MOST]


def _state(
    kind: str, name: str, anchor: str, span: tuple[int, int], roles: str = ""
) -> TermCandidate:
    return TermCandidate(kind, OF_KIND, 1, anchor, roles, *span, alias_of=name)


def list_numbers(kind: str) -> list[str]:
    """Return a kind as it may be written of one thing and of many."""
    before, blank, word = kind.rpartition(" ")
    forms = [word, f"{word}s"]
    if word.endswith(_HISSES):
        forms.append(f"{word}es")
    if word.endswith("y"):
        forms.append(f"{word[:-1]}ies")
    if word.endswith("ies"):
        forms.append(f"{word[:-3]}y")
    if word.endswith("es") and word[:-2].endswith(_HISSES):
        forms.append(word[:-2])
    if _is_of_many(word):
        forms.append(word[:-1])
    return [f"{before}{blank}{form}" for form in forms]


def _is_of_many(word: str) -> bool:
    return len(word) > _TWO and word[-1] == "s" and word[-2:] not in {"ss", "us", "is"}


def _read_kind(text: str, *, of_many: bool = False) -> str:
    """Return a text as a kind, folded; empty for what is none, or not of many things."""
    words = term(plain(text)).split()
    kind = [word for word in words if word not in NEUTRAL]
    if not 0 < len(kind) <= _MOST_WORDS or not all(map(_WORD.fullmatch, kind)):
        return ""
    is_thing = STOP_WORDS.isdisjoint(words) and _NO_KINDS.isdisjoint(list_numbers(kind[-1]))
    named = load_attributes().get(kind[-1])
    is_thing = is_thing and (named is None or _VALUES.isdisjoint(named.types))
    return " ".join(kind) if is_thing and (not of_many or _is_of_many(kind[-1])) else ""


def _read_field(cell: TableCell) -> list[str]:
    """Return the kinds that the value of a field names."""
    pieces = _BETWEEN.split(name_of(cell)) if len(cell.text) <= _LONGEST_FIELD else []
    return [kind for piece in pieces[:_MOST_IN_FIELD] if (kind := _read_kind(piece))]


def _list_wider(kind: str) -> list[str]:
    """Return a kind and the one that its last word names: a DNS server is a server."""
    last = kind.rpartition(" ")[2]
    return list(dict.fromkeys([kind, last] if is_trade(last) else [kind]))


def _of_tables(reading: Reading) -> Iterator[TermCandidate]:
    shown = find_examples(reading.parts)
    for grid in find_grids(reading):
        is_nothing = shown[grid.part] or is_history_table(grid) or is_list_of_pairs(grid)
        for row in grid.rows if names_things(grid) and not is_nothing else ():
            yield from _of_row(reading, grid, row)


def _of_row(reading: Reading, grid: Grid, row: TableRow) -> Iterator[TermCandidate]:
    name = term(name_of(row.cells[0])) if row.cells else ""
    if not can_be_name(name, MOST_NAME_WORDS):
        return
    part = reading.parts[grid.part]
    for kind in (_read_kind(name_of(grid.head[0])), _read_kind(part.title, of_many=True)):
        if kind:
            yield _state(kind, name, part.anchor, row.span)
    for cell, head in zip(row.cells[1:], grid.head[1:], strict=False):
        kinds = _read_field(cell) if term(name_of(head)) in _FIELDS else []
        roles = name_of(cell) if len(kinds) > 1 else ""
        for kind in kinds:
            yield _state(kind, name, part.anchor, row.span, roles)


def _of_items(reading: Reading) -> Iterator[TermCandidate]:
    """Yield what a heading of many says of the items of its list that have an identifier."""
    end = 0
    for item in reading.markdown.items:
        part = reading.parts[reading.part_at(item.start)]
        kind = _read_kind(part.title, of_many=True) if item.start >= end else ""
        end = max(end, item.end)
        if not kind or reading.is_silent(item.start):
            continue
        whole = reading.text[item.words : item.end].rstrip()
        first = whole.partition("\n")[0]
        name = name_item(first)
        if name and find_identifiers(whole):
            quote = whole if len(whole) <= _LONGEST_QUOTE else first
            span = (item.words, item.words + len(quote))
            yield _state(kind, name, part.anchor, span)


def _of_sections(
    reading: Reading, about: Sequence[Subject], facts: Sequence[Fact]
) -> Iterator[TermCandidate]:
    """Yield what a heading of many says of the sections below it that state something."""
    for fact in facts:
        number = reading.part_at(fact.snippet_start)
        while (above := reading.parts[number].parent) is not None:
            if about[number].entity == fact.term != about[above].entity:
                kind = _read_kind(reading.parts[above].title, of_many=True)
                span = (fact.snippet_start, fact.snippet_end)
                if kind:
                    yield _state(kind, fact.term, fact.anchor, span)
                break
            number = above
