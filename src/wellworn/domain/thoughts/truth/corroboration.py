"""Whose word changes what others said: their own, an admin's, or one that somebody else confirms.

What a member only says against another is told beside it and moves nothing. Pure.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.models import Objection, ReplacementLink, ReplacementOrigin

CONTESTED: Final = "another member says so; nobody has confirmed it"
_FEWEST: Final = 2
"""Members who together change what another said: one of them may have said the contrary."""


class Author(NamedTuple):
    """Who stored a thought: a member, or nobody known at the open door (None)."""

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


class Corroboration:
    """Decides which links and objections count.

    Args:
        authors: of all thoughts that are asked about, by seq.
        confirmations: for these thoughts; an author's own count for nothing.
    """

    def __init__(
        self, authors: Mapping[int, Author], confirmations: Iterable[Confirmation] = ()
    ) -> None:
        self._authors = authors
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
        author = self._authors[link.newer].owner
        against = [
            owner
            for owner, at in self._confirmations[link.older].items()
            if at >= link.since and owner != author
        ]
        if len(self._confirmations[link.newer]) >= max(1, len(against)):
            return link
        return link._replace(is_contested=True, reason=CONTESTED)

    def _contradicts(self, link: ReplacementLink) -> bool:
        newer, older = self._authors[link.newer], self._authors[link.older]
        return not (newer.is_admin or newer.owner in {None, older.owner})

    def select_objections(self, objections: Sequence[Objection]) -> list[Objection]:
        """Return those of an author, of an admin, or of more members than confirmed the thought."""
        objectors: defaultdict[int, set[str]] = defaultdict(set)
        for objection in objections:
            if objection.by is not None:
                objectors[objection.seq].add(objection.by)
        return [
            objection
            for objection in objections
            if objection.by in {None, self._authors[objection.seq].owner}
            or objection.is_by_admin
            or len(objectors[objection.seq])
            >= max(_FEWEST, len(self._confirmations[objection.seq]) + 1)
        ]

    def date_restatements(
        self,
        restatements: Sequence[Restatement],
        links: Iterable[ReplacementLink],
        objections: Iterable[Objection],
    ) -> dict[int, float]:
        """Return when thoughts were last said again by somebody whose word makes them true again.

        That is whoever alone spoke against a thought, or at least two members.
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
            if may_speak or len(speakers[seq]) >= _FEWEST:
                moments[seq] = restatement.at
        return moments
