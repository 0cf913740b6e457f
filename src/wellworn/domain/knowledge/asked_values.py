"""Selects the values of a thing that hold, and those of them that a question asks for.

A value is what a question asks for if the document calls it so, in any form of the words; if its
type is called so and the document calls it nothing else; or if the other words of the question
stand where it is stated. What is called otherwise never takes its place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set
from typing import Final

from wellworn.domain.knowledge.answers import BOTH, StoredConflict, Value
from wellworn.domain.knowledge.attributes import (
    NEUTRAL,
    drop_aside,
    list_stems,
    list_telling_words,
)
from wellworn.domain.knowledge.commonness import stem
from wellworn.domain.knowledge.entities import name_key, split_pieces
from wellworn.domain.knowledge.questions import ValueQuestion

_PIECE: Final = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_NEUTRAL: Final = frozenset(map(stem, NEUTRAL))
SETTINGS: Final = frozenset(("value", "default"))
"""Attributes of the one value of a setting."""

TELLING: Final = frozenset({"ip", "hostname", "url", "endpoint", "secret_ref"})
"""Types that a name alone asks for: where something is."""


def find_rejected_values(conflict: StoredConflict) -> set[str]:
    """Return the values that somebody decided against."""
    if conflict.state != "resolved" or conflict.resolution == BOTH:
        return set()
    return {claim.value for claim in conflict.claims} - {conflict.resolution or ""}


def apply_decisions(
    values: Sequence[Value], disputed: Sequence[StoredConflict], asked: str | None
) -> tuple[list[Value], StoredConflict | None]:
    """Return the values that hold, and the first dispute about what is asked."""
    remaining = list(values)
    for conflict in disputed:
        if lost := find_rejected_values(conflict):
            remaining = [
                value
                for value in remaining
                if value.fact_type != conflict.fact_type or value.value not in lost
            ]
    undecided = (
        conflict
        for conflict in select_conflicts(disputed, asked)
        if (conflict.state == "open" or conflict.resolution == BOTH)
        and (asked is not None or conflict.fact_type in TELLING)
    )
    return remaining, next(undecided, None)


def select_values(values: Sequence[Value], question: ValueQuestion) -> list[Value]:
    """Return the values that are what a question asks for: those that are called so most surely."""
    if question.asked is None:
        return list(values)
    wanted = list_stems(question.asked)
    ranks = [(_rank_value(wanted, value), value) for value in values if wanted]
    best = max((rank for rank, _ in ranks), default=0)
    return [value for rank, value in ranks if rank == best > 0]


def select_of_type(values: Sequence[Value], question: ValueQuestion) -> list[Value]:
    """Return the values of one row that are all of the type that is asked for, called otherwise.

    Two ports of one server are both its ports; only the asker can say which is meant.
    """
    wanted = list_stems(question.asked or "") - _NEUTRAL
    rows: dict[tuple[int, int], list[Value]] = defaultdict(list)
    for value in values:
        if wanted == frozenset([stem(value.fact_type)]):
            rows[value.evidence.document_id, value.evidence.start].append(value)
    several = [row for row in rows.values() if len({value.value for value in row}) > 1]
    return several[0] if len(several) == 1 else []


def select_by_context(values: Sequence[Value], context: str) -> tuple[list[Value], str]:
    """Return the values at whose place words of the context stand, and the words that chose."""
    selected, chose = list(values), list[str]()
    for word in list_telling_words(context):
        there = [value for value in selected if name_key(word) in _list_words_at(value)]
        if 0 < len(there) < len(selected):
            selected, chose = there, [*chose, word]
    return selected, " ".join(chose)


def select_conflicts(
    conflicts: Sequence[StoredConflict], asked: str | None
) -> list[StoredConflict]:
    """Return the conflicts that are about what is asked: all, where nothing is."""
    wanted = list_stems(asked or "")
    return [
        conflict
        for conflict in conflicts
        if asked is None
        or _rank(wanted, list_stems(drop_aside(conflict.attribute)), conflict.fact_type)
    ]


def _rank_value(wanted: Set[str], value: Value) -> int:
    """Return how surely a value is what is asked, its thing's name and its place aside.

    What is called "agent version" is no version, whatever else stands there.
    """
    called = list_stems(drop_aside(value.attribute))
    attribute = called - list_stems(value.term) or called
    if rank := _rank(wanted, attribute, value.fact_type):
        return rank
    kind = stem(value.fact_type)
    own = attribute - _NEUTRAL or attribute or {kind}
    others = wanted - own - _NEUTRAL - {kind}
    return 1 if own <= wanted and others <= {stem(word) for word in _list_words_at(value)} else 0


def _rank(wanted: Set[str], attribute: Set[str], fact_type: str) -> int:
    """Return how surely what is called so is what is asked: 4 in the same words, 0 not at all."""
    if attribute == wanted:
        return 4
    bare, called = wanted - _NEUTRAL, attribute - _NEUTRAL
    if bare and bare == called:
        return 3
    return 2 if bare and bare <= {stem(fact_type)} and not called else 0


def _list_words_at(value: Value) -> Set[str]:
    """Return the words of the line and of the citation of a value."""
    words = _PIECE.findall(f"{value.evidence.citation} {value.evidence.text}")
    words += split_pieces(value.evidence.citation)
    return {name_key(piece) for piece in words}
