"""Computes what links and objections say of thoughts at a moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from itertools import chain
from math import inf
from types import MappingProxyType

from wellworn.domain.thoughts.truth.models import (
    LEAST_CONFIDENCE,
    UNQUESTIONED,
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Standing,
)

SAID_AGAIN = "said again"


class Standings:
    """The links and objections on some thoughts, as they were at a moment.

    What is later than the moment says nothing, nor do links of a thought that was called wrong. A
    thought that is said again, or replaces what replaced it, is true again.

    Args:
        affirmed: when thoughts were last said again, in epoch seconds, by seq.
        doubted: the thoughts that another member called outdated or wrong, which ends nothing.
        expires_at: the ends that thoughts were given, by seq, due or not; those that are due are
            among the objections, too.
        at: the moment, in epoch seconds.
        is_present: whether that is now, when all that was stated counts, though a clock that ran
            back since dates it later.
    """

    def __init__(
        self,
        replacements: Iterable[ReplacementLink] = (),
        objections: Iterable[Objection] = (),
        affirmed: Mapping[int, float] = MappingProxyType({}),
        *,
        doubted: Set[int] = frozenset(),
        expires_at: Mapping[int, float] = MappingProxyType({}),
        at: float,
        is_present: bool = False,
    ) -> None:
        stated_by = inf if is_present else at
        self._objections: defaultdict[int, list[Objection]] = defaultdict(list)
        for objection in objections:
            if objection.given_at <= stated_by:
                self._objections[objection.seq].append(objection)
        self._doubted, self._expires_at = doubted, expires_at
        self._retracted = {
            objection.seq for objection in chain(*self._objections.values()) if objection.is_wrong
        }
        again = {seq: moment for seq, moment in affirmed.items() if moment <= stated_by}
        links = [
            link for link in replacements if link.since <= (stated_by if link.is_stated else at)
        ]
        if again:
            links = [_turn(link, again) for link in links]
        links = [link for link in links if link.newer not in self._retracted]
        self._renewed: defaultdict[int, float] = defaultdict(lambda: -inf, again)
        for link in links:
            if link.is_stated:
                self._renewed[link.newer] = max(self._renewed[link.newer], link.since)
        self.replacements = _sort_pairs(
            link for link in links if link.since >= self._renewed[link.older]
        )
        self._by_newer: defaultdict[int, list[ReplacementLink]] = defaultdict(list)
        self._by_older: defaultdict[int, list[ReplacementLink]] = defaultdict(list)
        self._surely_replaced: defaultdict[int, set[int]] = defaultdict(set)
        for link in self.replacements:
            self._by_newer[link.newer].append(link)
            self._by_older[link.older].append(link)
            if link.is_sure:
                self._surely_replaced[link.newer].add(link.older)
        self._standings: dict[int, Standing] = {}
        self._chains: dict[int, Set[int]] = {}

    def __bool__(self) -> bool:
        return bool(self.replacements or self._objections or self._doubted)

    def find(self, seq: int) -> Standing:
        """Return what is known of a thought."""
        if seq not in self._standings:
            self._standings[seq] = self._combine(seq)
        return self._standings[seq]

    def _combine(self, seq: int) -> Standing:
        replaced_by, objections = self._by_older.get(seq, ()), self._objections.get(seq, ())
        is_doubted, expires_at = seq in self._doubted, self._expires_at.get(seq)
        if not (replaced_by or objections or is_doubted or expires_at or seq in self._by_newer):
            return UNQUESTIONED
        if expires_at is not None and expires_at < self._renewed[seq]:
            expires_at = None
        ends = [link.since for link in replaced_by if link.is_stated]
        ends += [
            objection.given_at
            for objection in objections
            if objection.given_at >= self._renewed[seq]
        ]
        return Standing(
            tuple(self._by_newer.get(seq, ())),
            tuple(replaced_by),
            min(ends, default=None),
            seq in self._retracted,
            is_doubted,
            expires_at,
        )

    def list_companions(self, *, history: bool) -> Set[int]:
        """Return what belongs beside the thoughts: what surely replaces them, or contradicts.

        For their history it is everything that a link names.
        """
        if history:
            sure_enough = (
                link for link in self.replacements if link.confidence >= LEAST_CONFIDENCE
            )
            return {end for link in sure_enough for end in (link.newer, link.older)}
        companions = {link.newer for link in self.replacements if link.is_sure}
        for link in self.replacements:
            if link.is_surely_contested:
                companions |= {link.older, link.newer} if link.contradicts else {link.older}
        return companions

    def find_chain(self, seq: int) -> Set[int]:
        """Return a thought with all that replaced it or was replaced by it, in any number of steps.

        Links that are contested or less than likely do not count.
        """
        if seq not in self._chains:
            chain = self._follow_links(seq)
            self._chains.update(dict.fromkeys(chain, chain))
        return self._chains[seq]

    def _follow_links(self, seq: int) -> Set[int]:
        members, frontier = {seq}, [seq]
        while frontier:
            at = frontier.pop()
            links = (*self._by_newer.get(at, ()), *self._by_older.get(at, ()))
            ends = {end for link in links if link.replaces for end in (link.newer, link.older)}
            frontier += ends - members
            members |= ends
        return members

    def find_replaced(self, seq: int) -> Set[int]:
        """Return what a thought surely replaced, in any number of steps."""
        replaced: set[int] = set()
        frontier = [seq]
        while frontier:
            ends = self._surely_replaced.get(frontier.pop(), set()) - replaced
            frontier += ends
            replaced |= ends
        return replaced


def _sort_pairs(links: Iterable[ReplacementLink]) -> list[ReplacementLink]:
    """Return the surest link of each pair of thoughts, the surest of all first."""
    pairs: dict[tuple[int, int], ReplacementLink] = {}
    for link in sorted(links, key=lambda link: (-link.confidence, -link.since)):
        pairs.setdefault((link.newer, link.older), link)
    return [*pairs.values()]


def _turn(link: ReplacementLink, affirmed: Mapping[int, float]) -> ReplacementLink:
    """Return the link, turned around where the older thought was said again after the newer."""
    again = affirmed.get(link.older, -inf)
    is_last = again > max(link.since, affirmed.get(link.newer, -inf))
    if not is_last or link.contradicts or link.origin is ReplacementOrigin.REFINED:
        return link
    return link._replace(newer=link.older, older=link.newer, since=again, reason=SAID_AGAIN)
