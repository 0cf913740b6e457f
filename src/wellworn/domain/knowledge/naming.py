"""Holds what somebody said of names: that two are of one thing, or one is of several.

It comes before what documents suggest, holds after every sync, and says whose word it is. A name
and itself are its namesakes in several places: these are one thing, or each document's is its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeVar

from wellworn.domain.knowledge.conflicts import Conflict, find_conflicts, find_titled
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.places import NOTES, group_by_place

Item = TypeVar("Item")
_ONE_PLACE: Final = NOTES
"""The place of a thing that somebody said to be one wherever it is spoken of."""


_ARTICLE: Final = re.compile(r"^(?:the|our|my|an?)\s+(?=\S)", re.IGNORECASE)


def strip_article(name: str) -> str:
    """Return a name without an article before it."""
    return _ARTICLE.sub("", name)


def bare_key(name: str) -> str:
    """Return what is equal for spellings of a name, with an article before it or without."""
    return name_key(strip_article(name))


class NameVerdict(StrEnum):
    ONE = "one"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class NameRuling:
    """A ruling on two names, or on a name and its namesakes, and by whom.

    Attributes:
        term, other: the names as they were written; equal for namesakes.
        said_by: the member; None at the open door.
        said_at: seconds since the Unix epoch, UTC.
    """

    id: int
    term: str
    other: str
    verdict: NameVerdict
    reason: str | None
    said_by: str | None
    said_at: float

    @property
    def keys(self) -> frozenset[str]:
        """Keys to compare the names by: one for namesakes, else two."""
        return frozenset(map(bare_key, (self.term, self.other)))


class NameRulings:
    """All that was said of names in a space, as it is asked for."""

    def __init__(self, rulings: Iterable[NameRuling]) -> None:
        by_verdict: dict[NameVerdict, list[NameRuling]] = {verdict: [] for verdict in NameVerdict}
        for ruling in rulings:
            by_verdict[ruling.verdict].append(ruling)
        self._joined = _list_namesakes(by_verdict[NameVerdict.ONE])
        self._parted = _list_namesakes(by_verdict[NameVerdict.SEVERAL])
        self._names: dict[str, list[str]] = {}
        for ruling in by_verdict[NameVerdict.ONE]:
            self._join(ruling.term, ruling.other)

    def _join(self, term: str, other: str) -> None:
        names = [
            *self._names.get(bare_key(term), [term]),
            *self._names.get(bare_key(other), [other]),
        ]
        group = list({bare_key(name): name for name in reversed(names)}.values())[::-1]
        self._names |= dict.fromkeys(map(bare_key, group), group)

    def list_names(self, names: Iterable[str]) -> list[str]:
        """Return some names and all others of the same things."""
        every = [other for name in names for other in [name, *self._names.get(bare_key(name), [])]]
        return list(dict.fromkeys(every))

    def is_ruled(self, name: str) -> bool:
        """Tell whether anything was said of a name."""
        return bare_key(name) in self._names or bare_key(name) in self._parted

    def are_parted(self, names: Iterable[str]) -> bool:
        """Tell whether somebody said that the namesakes of a name are several things."""
        return not self._parted.isdisjoint(map(bare_key, names))

    def call(self, name: str) -> str:
        """Return the name by which a thing of several names is known."""
        return self._names.get(bare_key(name), [name])[0]

    def group(
        self, items: Sequence[tuple[str, str, Item]], cite: Callable[[Item], str]
    ) -> dict[str, list[Item]]:
        """Return what is said of one name, or of names that are one, by the place of each thing.

        Args:
            items: name, place and what is said.
            cite: returns the document in which it is said, as it is cited.
        """
        if self.are_parted(name for name, _, _ in items):
            parted: dict[str, list[Item]] = defaultdict(list)
            for _, _, item in items:
                parted[cite(item)].append(item)
            return dict(parted)
        if self._is_in_one_place([(name, place) for name, place, _ in items]):
            return {_ONE_PLACE: [item for _, _, item in items]}
        return group_by_place((place, item) for _, place, item in items)

    def _is_in_one_place(self, spoken: Sequence[tuple[str, str]]) -> bool:
        """Tell whether names that are one are of one thing: each of them is, as far as is known."""
        keys = {bare_key(name) for name, _ in spoken}
        if not keys.isdisjoint(self._joined):
            return True
        places: dict[str, set[str]] = defaultdict(set)
        for name, place in spoken:
            places[bare_key(name)].add(place)
        return len(keys) > 1 and all(len(own - {NOTES}) <= 1 for own in places.values())

    def find_conflicts(
        self,
        facts: Iterable[Fact],
        places: Mapping[int, str],
        citations: Mapping[int, str],
        paths: Mapping[int, str],
    ) -> list[Conflict]:
        """Return where documents disagree about one thing, as things were told apart.

        Args:
            facts: of documents that are not past.
            places: of each document its place.
            citations: of each document how it is cited.
            paths: of each document its path.
        """
        facts = list(facts)
        titled = find_titled(facts, paths)
        plain: list[Fact] = []
        ruled: dict[str, list[Fact]] = defaultdict(list)
        for fact in facts:
            if self.is_ruled(fact.term):
                ruled[bare_key(self.call(fact.term))].append(fact)
            else:
                plain.append(fact)
        conflicts = find_conflicts(plain, places, paths, titled)
        for own in ruled.values():
            spoken = [(fact.term, places[fact.document], fact) for fact in own]
            for place, group in self.group(spoken, lambda fact: citations[fact.document]).items():
                facts_of_thing = [replace(fact, term=self.call(fact.term)) for fact in group]
                conflicts += [
                    replace(conflict, place=place)
                    for conflict in find_conflicts(facts_of_thing, paths=paths, titled=titled)
                ]
        return conflicts


def _list_namesakes(rulings: Iterable[NameRuling]) -> set[str]:
    return {key for ruling in rulings if len(ruling.keys) == 1 for key in ruling.keys}
