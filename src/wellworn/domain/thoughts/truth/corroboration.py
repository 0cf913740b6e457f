"""Decides whose word changes what others said: their own, an admin's, or a confirmed one.

What a member only says against another is told beside it and moves nothing. Pure.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.models import Objection, ReplacementLink, ReplacementOrigin

CONTESTED: Final = "another member says so; nobody has confirmed it"
_FEWEST: Final = 2
"""Members who together change what another said: one of them may have said the contrary."""


class Author(NamedTuple):
    """The one who stored a thought: a member, or nobody known at the open door (None)."""

    owner: str | None
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A member who said a thought again or found it useful, and when last (epoch seconds)."""

    seq: int
    owner: str
    at: float


@dataclass(frozen=True, slots=True)
class Restatement:
    """Somebody said a thought again, at a time in epoch seconds; a member, or None."""

    seq: int
    owner: str | None
    at: float


class FoundDispute(NamedTuple):
    """The contradictions and confirmations of thoughts in answers to one question, and by whom."""

    links: Sequence[ReplacementLink] = ()
    confirmations: Sequence[Confirmation] = ()
    authors: Mapping[int, Author] = MappingProxyType({})


NO_DISPUTE: Final = FoundDispute()


class Corroboration:
    """Decides which links and objections count.

    Args:
        authors: of all thoughts that are asked about, by seq.
        confirmations: for these thoughts; an author's own count for nothing.
        allies: of members who only ever confirm each other all of them; against anybody else they
            have one voice.
    """

    def __init__(
        self,
        authors: Mapping[int, Author],
        confirmations: Iterable[Confirmation] = (),
        allies: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        self._authors = authors
        self._allies = allies
        self._confirmations: defaultdict[int, dict[str, float]] = defaultdict(dict)
        for confirmation in confirmations:
            if confirmation.owner != authors[confirmation.seq].owner:
                self._confirmations[confirmation.seq][confirmation.owner] = confirmation.at

    def mark_contested(self, link: ReplacementLink) -> ReplacementLink:
        """Return the link, contested where one member alone contradicts another.

        A confirmation by anybody but the newer's author is enough, unless more members stood by
        the older since.
        """
        if link.origin is ReplacementOrigin.REFINED or not self._contradicts(link):
            return link
        newer, older = self._authors[link.newer], self._authors[link.older]
        confirming = self._count(self._confirmations[link.newer], newer.owner, [older.owner])
        confirmed = self._confirmations[link.older]
        standing_by = self._count(confirmed, older.owner, [newer.owner])
        if link.contradicts:
            is_contested = confirming <= standing_by and not newer.is_admin
            is_older_contested = standing_by <= confirming and not older.is_admin
        else:
            since = [owner for owner, at in confirmed.items() if at >= link.since]
            against = self._count({*since} - {newer.owner}, older.owner, [newer.owner])
            is_contested = confirming < max(1, against)
            is_older_contested = is_contested and not (standing_by or older.is_admin)
        return link._replace(
            is_contested=is_contested,
            is_older_contested=is_older_contested,
            reason=CONTESTED if is_contested else link.reason,
        )

    def _count(
        self, members: Iterable[str], author: str | None, rivals: Collection[str | None]
    ) -> int:
        """Return how many voices members have for an author's thought, against rivals.

        Allies have one, and that of the author's is the author's own; but not against each other.
        """
        voices: set[str] = set()
        for member in members:
            allies = self._allies.get(member, frozenset[str]())
            if not allies.isdisjoint(rivals):
                voices.add(member)
            elif author not in allies:
                voices.add(min(allies, default=member))
        return len(voices)

    def _contradicts(self, link: ReplacementLink) -> bool:
        newer, older = self._authors[link.newer], self._authors[link.older]
        is_rival = newer.owner not in {None, older.owner}
        return is_rival and (link.contradicts or not (newer.is_admin or link.is_by_admin))

    def select_objections(self, objections: Sequence[Objection]) -> list[Objection]:
        """Return those of an author, of an admin, or of more voices than confirm the thought."""
        return [
            objection
            for seq, those in _group(objections).items()
            for objection in those
            if objection.by in {None, self._authors[seq].owner}
            or objection.is_by_admin
            or self._measure(seq, those) >= max(_FEWEST, self._stand_by(seq, those) + 1)
        ]

    def find_doubted(self, objections: Sequence[Objection]) -> set[int]:
        """Return the thoughts to which others object, and by which nobody else stands."""
        return {
            seq
            for seq, those in _group(objections).items()
            if any(objection.by not in {None, self._authors[seq].owner} for objection in those)
            and not (self._authors[seq].is_admin or self._stand_by(seq, those))
        }

    def _measure(self, seq: int, objections: Sequence[Objection]) -> int:
        """Return by how many voices a thought is objected to."""
        objectors = {objection.by for objection in objections if objection.by is not None}
        return self._count(objectors, None, [self._authors[seq].owner])

    def _stand_by(self, seq: int, objections: Sequence[Objection]) -> int:
        """Return how many voices confirm a thought that others object to."""
        rivals = {objection.by for objection in objections}
        return self._count(self._confirmations[seq], self._authors[seq].owner, rivals)

    def date_restatements(
        self,
        restatements: Sequence[Restatement],
        links: Iterable[ReplacementLink],
        objections: Iterable[Objection],
    ) -> dict[int, float]:
        """Return when thoughts were last said again by somebody whose word makes them true again.

        That is the one who alone spoke against a thought, or at least two members.
        """
        if not restatements:
            return {}
        opponents: defaultdict[int, set[str | None]] = defaultdict(set)
        for link in links:
            opponents[link.older].add(self._authors[link.newer].owner)
        for objection in objections:
            opponents[objection.seq].add(objection.by)
        moments: dict[int, float] = {}
        speakers: defaultdict[int, set[str]] = defaultdict(set)
        for restatement in sorted(restatements, key=lambda restatement: restatement.at):
            owner, seq = restatement.owner, restatement.seq
            if owner is not None and owner != self._authors[seq].owner:
                speakers[seq].add(owner)
            may_speak = owner is None or opponents[seq] <= {owner}
            author = self._authors[seq].owner
            if may_speak or self._count(speakers[seq], author, opponents[seq]) >= _FEWEST:
                moments[seq] = restatement.at
        return moments


def _group(objections: Iterable[Objection]) -> Mapping[int, list[Objection]]:
    grouped: defaultdict[int, list[Objection]] = defaultdict(list)
    for objection in objections:
        grouped[objection.seq].append(objection)
    return grouped
