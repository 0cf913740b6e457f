"""Conflicts: two places that give different values for the same thing, and what was decided.

A conflict lives as long as both of its quotes do. A decision is kept with the quotes it was made
on and holds again after every sync, until one of them says something else: then it is open anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from wellworn.domain.knowledge.claims import DETAIL, is_detail
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.places import NOTES, group_by_place
from wellworn.domain.sources import normalize_identifier
from wellworn.kit.text import normalise_text

_SINGLE: Final = frozenset(("ip", "hostname", "port", "version", "secret_ref", "endpoint"))
#: One thing may have several of these under one name.
SEVERAL: Final = frozenset(("cidr", "email", "endpoint", "env", "header", "path", "url"))
_SAME_NAMES: Final = {
    "address": "ip",
    "ip address": "ip",
    "ips": "ip",
    "host": "hostname",
    "host name": "hostname",
    "fqdn": "hostname",
    "ports": "port",
    "endpoints": "endpoint",
    "urls": "url",
}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A term for which live documents of one place give different values.

    Attributes:
        place: the source or site; empty for notes.
        attribute: what the documents call the value, folded.
        candidates: one fact for each place that gives a value, in order.
    """

    term: str
    attribute: str
    fact_type: str
    candidates: tuple[Fact, ...]
    place: str = ""

    @property
    def quotes(self) -> frozenset[str]:
        """What the places say, white space folded."""
        return frozenset(normalise_text(fact.snippet) for fact in self.candidates)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the owner decided on a conflict.

    Attributes:
        chosen: the value that holds; None for both, as they are of different things.
        quotes: what the places said when it was decided, white space folded.
    """

    term: str
    attribute: str
    fact_type: str
    chosen: str | None
    quotes: frozenset[str]


def find_conflicts(
    facts: Iterable[Fact], places: Mapping[int, str] | None = None
) -> list[Conflict]:
    """Return the conflicts between live facts, by term; each pair of spans is in one of them.

    Args:
        facts: of documents that are not past.
        places: of each document its place; without, all are of one.
    """
    by_term: dict[str, list[tuple[str, Fact]]] = defaultdict(list)
    for fact in facts:
        by_term[name_key(fact.term)].append(((places or {}).get(fact.document, ""), fact))
    disagreeing: list[Conflict] = []
    seen: set[frozenset[tuple[int, int]]] = set()
    for _, placed in sorted(by_term.items(), key=lambda item: (len(item[0]), item[0])):
        for place, own in sorted(_add_notes(group_by_place(placed)).items()):
            for (attribute, fact_type), group in sorted(_group_by_attribute(own).items()):
                at_odds = _find_disagreeing(group)
                spans = frozenset((fact.document, fact.start) for fact in at_odds)
                if at_odds and spans not in seen:
                    seen.add(spans)
                    term = at_odds[0].term
                    disagreeing.append(Conflict(term, attribute, fact_type, tuple(at_odds), place))
    return sorted(
        disagreeing,
        key=lambda conflict: (
            conflict.term,
            conflict.attribute,
            conflict.fact_type,
            conflict.place,
        ),
    )


def find_decision(conflict: Conflict, decisions: Sequence[Decision]) -> Decision | None:
    """Return the last decision that still holds for a conflict; None when it is open.

    It holds while the places say what they said then, and the chosen value is one of theirs. A
    place that has gone does not open it again; one that is new or says something else does.
    """
    values = {normalize_fact(fact) for fact in conflict.candidates}
    for decision in reversed(decisions):
        name = (name_key(decision.term), decision.attribute, decision.fact_type)
        if name != (name_key(conflict.term), conflict.attribute, conflict.fact_type):
            continue
        is_live = (
            decision.chosen is None
            or normalize_value(decision.chosen, conflict.fact_type) in values
        )
        return decision if conflict.quotes <= decision.quotes and is_live else None
    return None


def normalize_fact(fact: Fact) -> str:
    """Return what is equal for two spellings of one value."""
    return normalize_value(fact.value, fact.fact_type)


def normalize_value(value: str, fact_type: str) -> str:
    """Return what is equal for two spellings of a value of some type."""
    if fact_type in {DETAIL, "version", "hostname"}:
        return normalise_text(value).casefold()
    return normalize_identifier(value).rstrip("/") or value


def _add_notes(groups: Mapping[str, list[Fact]]) -> dict[str, list[Fact]]:
    """Return what places say of a name, each with what notes say that agree with none of them."""
    notes = groups.get(NOTES, [])
    values = set(map(normalize_fact, notes))
    others = {place: own for place, own in groups.items() if place != NOTES}
    if any(values & set(map(normalize_fact, own)) for own in others.values()):
        return dict(groups)
    return {NOTES: notes} | {place: [*own, *notes] for place, own in others.items()}


def _group_by_attribute(facts: Iterable[Fact]) -> dict[tuple[str, str], list[Fact]]:
    groups: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        is_single = fact.fact_type in _SINGLE
        if fact.fact_type == DETAIL:
            is_single = is_detail(fact.attribute)
        if is_single:
            groups[_SAME_NAMES.get(fact.attribute, fact.attribute), fact.fact_type].append(fact)
    return groups


def _find_disagreeing(group: Sequence[Fact]) -> list[Fact]:
    """Return one fact of each place of a group, in order, if any two places disagree."""
    places: dict[tuple[int, int], list[Fact]] = defaultdict(list)
    for fact in group:
        places[fact.document, fact.snippet_start].append(fact)
    if not any(_disagree(some, others) for some, others in combinations(places.values(), 2)):
        return []
    distinct: dict[tuple[int, str], Fact] = {}
    for fact in sorted(group, key=lambda fact: (fact.document, fact.start)):
        distinct.setdefault((fact.document, normalize_fact(fact)), fact)
    return list(distinct.values())


def _disagree(some: Sequence[Fact], others: Sequence[Fact]) -> bool:
    return not {*map(normalize_fact, some)} & {*map(normalize_fact, others)}
