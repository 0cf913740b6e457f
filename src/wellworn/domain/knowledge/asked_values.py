"""Which values of a thing hold, and which of them a question asks for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from wellworn.domain.knowledge.answers import BOTH, StoredConflict, Value
from wellworn.domain.knowledge.attributes import (
    NEUTRAL,
    Attribute,
    drop_aside,
    list_attributes,
    list_stems,
    list_telling_words,
    load_attributes,
    split_words,
)
from wellworn.domain.knowledge.entities import name_key, split_pieces
from wellworn.domain.knowledge.questions import ValueQuestion

_PIECE: Final = re.compile(r"[^\W_](?:[\w.-]*\w)?")
SETTINGS: Final = frozenset(("value", "default"))
"""What the one value of a setting is called."""

TELLING: Final = frozenset({"ip", "hostname", "url", "endpoint", "secret_ref"})
"""What a name that stands alone is asked for: where something is."""


def find_rejected_values(conflict: StoredConflict) -> set[str]:
    """Return the values that somebody decided against."""
    if conflict.state != "resolved" or conflict.resolution == BOTH:
        return set()
    return {claim.value for claim in conflict.claims} - {conflict.resolution or ""}


def apply_decisions(
    values: Sequence[Value], disputed: Sequence[StoredConflict], asked: Attribute | None
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
    """Return the values that are what a question asks for: those called so, else of its type.

    Words that narrow it down are the attribute's, or stand where the value is stated.
    """
    asked = question.asked
    if asked is None:
        return list(values)
    wanted = {name_key(word) for word in question.qualifiers}
    narrow = [value for value in values if wanted <= _list_keys(value.attribute)]
    if not narrow:
        narrow = [value for value in values if all(_is_at(value, word) for word in wanted)]
    ranks = [(_rank_value(asked, value, wanted), value) for value in narrow]
    best = max((rank for rank, _ in ranks), default=0)
    return [value for rank, value in ranks if rank == best > 0]


def select_kinds(values: Sequence[Value], question: ValueQuestion) -> list[Value]:
    """Return the values of one row that are all of the kind that is asked for, called otherwise.

    Two ports of one server are both its ports; only the asker can say which is meant.
    """
    asked = question.asked
    if asked is None or not asked.types:
        return []
    rows: dict[tuple[int, int], list[Value]] = defaultdict(list)
    for value in values:
        if value.fact_type in asked.types:
            rows[value.evidence.document_id, value.evidence.start].append(value)
    alike = [row for row in rows.values() if len({value.value for value in row}) > 1]
    return alike[0] if len(alike) == 1 else []


def select_by_context(values: Sequence[Value], context: str) -> tuple[list[Value], str]:
    """Return the values at whose place words of the context stand, and the words that chose."""
    selected, chose = list(values), list[str]()
    for word in list_telling_words(context):
        there = [value for value in selected if _is_at(value, name_key(word))]
        if 0 < len(there) < len(selected):
            selected, chose = there, [*chose, word]
    return selected, " ".join(chose)


def is_named_in(attribute: str, context: str) -> bool:
    """Tell whether a context has the words that a value is called by."""
    return list_stems(attribute) <= list_stems(context)


def _rank_value(asked: Attribute, value: Value, wanted: Collection[str]) -> int:
    """Return how well a value fits what is asked, its thing's name and the question's words aside.

    What a question asks for in its own words may be called so below any heading.
    """
    called = drop_aside(value.attribute)
    attribute = _drop_words(called, {name_key(word) for word in value.term.split()})
    words = [word for word in (attribute or called).split() if name_key(word) not in wanted]
    rank = _rank(asked, " ".join(words), value.fact_type)
    if rank or not asked.is_free or not words:
        return rank
    heading = {name_key(piece) for piece in split_pieces(value.evidence.anchor)}
    stems = [list_stems(" ".join(words)), list_stems(_drop_words(" ".join(words), heading))]
    return 3 if list_stems(asked.name) in stems else 0


def _list_keys(attribute: str) -> set[str]:
    return set(map(name_key, split_words(attribute)))


def _drop_words(attribute: str, words: Collection[str]) -> str:
    """Return what a value is called without some words."""
    return " ".join(word for word in attribute.split() if name_key(word) not in words)


def _is_at(value: Value, word: str) -> bool:
    """Tell whether a word stands in the line or in the citation of a value."""
    words = _PIECE.findall(f"{value.evidence.citation} {value.evidence.text}")
    words += split_pieces(value.evidence.citation)
    return word in {name_key(piece) for piece in words}


def select_conflicts(
    conflicts: Sequence[StoredConflict], asked: Attribute | None
) -> list[StoredConflict]:
    """Return the conflicts that are about what is asked: all, where nothing is."""
    return [
        conflict
        for conflict in conflicts
        if asked is None or _rank(asked, conflict.attribute, conflict.fact_type)
    ]


def _rank(asked: Attribute, attribute: str, fact_type: str) -> int:
    """Return how well a value fits what is asked, 0 to 4: best if it is called just so.

    What the document calls otherwise (the gateway's address, an agent's version) is not asked for.
    """
    attribute = drop_aside(attribute)
    if attribute in asked.names:
        return 4
    words = attribute.split()
    named = {other.name: piece for other, piece in list_attributes(words)}
    others = [word for word in words if not any(word in piece for piece in named.values())]
    if not NEUTRAL.issuperset(others):
        return 0
    if asked.name in named and len(named) == 1:
        return 3
    if fact_type not in asked.types or not named.keys() <= asked.through:
        return 0
    return 2 if attribute in load_attributes() else 1
