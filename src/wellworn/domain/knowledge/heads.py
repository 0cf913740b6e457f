"""Reads what stands below the head of a row, item, field or setting, whatever words head it.

"Line I", "Tank A" and "Gate port" are names to who asks for just them, and to nobody else: in other
questions they are words. So what is stated of them is stored apart from facts, and makes no hot
terms, no conflicts and no suggestions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from wellworn.domain.knowledge.attributes import drop_aside, load_attributes
from wellworn.domain.knowledge.claims import (
    HEADED,
    SUMMARY,
    FactSpan,
    IdentifierIndex,
    TypedSpan,
    add_aside,
    build_claims,
    find_examples,
    index_identifiers,
    is_illustrative,
    is_placeholder,
)
from wellworn.domain.knowledge.configurations import list_headed_settings
from wellworn.domain.knowledge.entities import LONGEST_TERM, Subject, name_key
from wellworn.domain.knowledge.facts import LONGEST_SNIPPET, Fact, build_fact, is_supported
from wellworn.domain.knowledge.grid_claims import is_history_table, read_rows
from wellworn.domain.knowledge.grids import find_grids
from wellworn.domain.knowledge.nesting import assign_subjects
from wellworn.domain.knowledge.statements import cut, split_statements
from wellworn.domain.knowledge.views import Reading
from wellworn.domain.knowledge.whole_fields import read_field
from wellworn.kit.words import load_words

_VALUE: Final = "value"
_MOST: Final = 2_000
"""Values of one document."""
_MOST_WORDS: Final = 6
#: Names of what tells of the page.
_PASSING: Final = frozenset(load_words(__name__, "page_fields"))


def extract_headed(reading: Reading, facts: Sequence[Fact]) -> list[Fact]:
    """Return what a document states below heads that are no names of `facts`, at most 2,000."""
    known = {(name_key(fact.term), fact.snippet_start) for fact in facts}

    def is_head(name: str, start: int) -> bool:
        return _may_head(name) and (name_key(name), start) not in known

    headed: dict[tuple[str, str, int], Fact] = {}
    for claim in _extract(reading.current, is_head):
        fact = build_fact(reading, claim)
        if is_supported(fact, reading.text):
            headed.setdefault((fact.term, fact.fact_type, fact.start), fact)
        if len(headed) == _MOST:
            break
    return list(headed.values())


def _may_head(name: str) -> bool:
    """Tell whether words may be a name: no attribute by itself, and no remark."""
    is_short = 1 < len(name) <= LONGEST_TERM and len(name.split()) <= _MOST_WORDS
    is_other = name in load_attributes() or name in _PASSING or is_illustrative(name)
    return is_short and any(map(str.isalpha, name)) and not is_other


def _extract(reading: Reading, is_head: Callable[[str, int], bool]) -> Iterator[FactSpan]:
    evidence = reading.find(index_identifiers)
    shown = reading.find(find_examples)
    for grid in reading.find(find_grids):
        reading.go_on()
        if not shown[grid.part] and not is_history_table(grid):
            yield from read_rows(grid, evidence, is_head)
    stated: list[tuple[dict[str, str], tuple[int, int], tuple[int, int]]] = []
    nobody = [Subject("", lists=True) for _ in reading.parts]
    statements = reading.find(split_statements)
    for line, item in assign_subjects(reading, nobody, by_any_words=True):
        statement = statements.get(line.start)
        if shown[line.part] or len(line.text) > LONGEST_SNIPPET or statement is None:
            continue
        aside, name = reading.text[slice(*statement.aside)], statement.called
        called = {name: add_aside(_VALUE, aside), item.entity: add_aside(name, aside)}
        stated.append((called, statement.value_span, statement.snippet))
    for keys, span, snippet in list_headed_settings(reading):
        stated.append((dict.fromkeys(keys, _VALUE), span, snippet))
    for called, span, snippet in stated:
        names = {head: each for head, each in called.items() if is_head(head, snippet[0])}
        yield from _state(names, span, snippet, evidence)


def _state(
    names: Mapping[str, str],
    span: tuple[int, int],
    snippet: tuple[int, int],
    evidence: IdentifierIndex,
) -> Iterator[FactSpan]:
    """Yield what is stated of names, each called as it is of it.

    That is values, a few words, or how a sentence begins.
    """
    text = evidence.text
    for name, called in names.items():
        kind = name if drop_aside(called) == _VALUE else drop_aside(called)
        stated = [each.span for each in read_field(evidence, span, kind, is_free=True)]
        for value in stated or [TypedSpan(SUMMARY, *cut(text, *span))]:
            if value.start < value.end and not is_placeholder(text[value.start : value.end]):
                attribute = "" if value.fact_type == SUMMARY else called
                yield from build_claims(
                    Subject(name), attribute, value, snippet=snippet, confidence=HEADED
                )
