"""Sums up some days of a memory on one screen: what to know of it, and what to see to.

Every line names the thoughts that it is about, so that nothing has to be believed. A section says
how many there are; the lines are the first of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.domain.knowledge import UnknownTerm
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import MERGED, CurationReason, FoundThought, GatheredRegion, Thoughts
from wellworn.domain.thoughts.store import (
    list_changing,
    list_disputed,
    list_learned,
    list_unanswered,
)
from wellworn.domain.thoughts.truth import LinkedThought
from wellworn.engines.storage.sql import Database
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock, to_iso
from wellworn.kit.text import shorten, show_name

MOST_LINES: Final = 3
MOST_LEARNED: Final = 5
_LONGEST: Final = 76
"""Characters of a line, beside the ids."""
_OLD: Final = 30
_MANY: Final = 12
"""Thoughts that were learned: of fewer, five lines say more than their topics."""
_MOST_NAMED: Final = 5
"""Thoughts of a topic whose ids are told."""
_LEADING_WORDS: Final = 4
_LOOKED_AT: Final = 200
_DAY_S: Final = 86_400.0
DIGEST_DAYS: Final = 7
"""The days that are told of where nobody says since when."""


class DigestSection(StrEnum):
    """The topic of a digest's lines."""

    LEARNED = "learned"
    CHANGED = "changed"
    CONVERGED = "converged"
    UNANSWERED = "unanswered"
    DISPUTED = "disputed"
    UNNEEDED = "unneeded"


@dataclass(frozen=True, slots=True)
class DigestLine:
    """One thing, in words, with the thoughts that it is about; none of what nothing answers."""

    section: DigestSection
    text: str
    thought_ids: tuple[str, ...] = ()
    contributor: str | None = None


@dataclass(frozen=True, slots=True)
class Digest:
    """The course of a memory from one moment to another, in epoch seconds.

    Attributes:
        counts: how many there are of each section, those that have no line among them.
    """

    since: float
    until: float
    lines: tuple[DigestLine, ...]
    counts: dict[DigestSection, int]


class DigestMaker:
    """Makes digests of one memory."""

    def __init__(self, database: Database, thoughts: Thoughts, clock: Clock) -> None:
        self._database = database
        self._thoughts = thoughts
        self._clock = clock

    def make(
        self, access: Access, unknowns: Sequence[UnknownTerm], since: float | None = None
    ) -> Digest:
        """Return what became of the space since a moment, by default of the last seven days.

        Args:
            access: who reads it.
            unknowns: names that were asked for and that nothing explains, the most wanted first.
            since: in epoch seconds.

        Raises:
            InvalidInput: that is still to come.
        """
        now = self._clock.now()
        since = now - DIGEST_DAYS * _DAY_S if since is None else max(since, 0.0)
        if since >= now:
            raise InvalidInput(f"since must be earlier than now, {to_iso(now)}")
        told = [
            self._tell_learned(access, since),
            self._tell_changed(access, since),
            self._tell_converged(access, since),
            self._tell_unanswered(access, since, unknowns),
            *self._tell_candidates(access),
        ]
        lines = [line for _, _, of_one in told for line in of_one]
        counts = {section: count for section, count, _ in told}
        return Digest(since, now, tuple(lines), counts)

    def _tell_learned(self, access: Access, since: float) -> _Told:
        with self._database.read() as transaction:
            seqs = list_learned(transaction, access, since=since)
        current = [
            each
            for each in self._thoughts.curator.load(access, seqs[:_LOOKED_AT])
            if each.outdated_at is None
        ]
        lines = self._tell_by_topic(access, current)
        # What is beyond those that were looked at counts as it arrived.
        return DigestSection.LEARNED, len(current) + len(seqs[_LOOKED_AT:]), lines

    def _tell_by_topic(self, access: Access, learned: Sequence[FoundThought]) -> list[DigestLine]:
        """Tell what was learned, a line each; if it is much, and mostly in topics, by topic."""
        told: list[DigestLine] = []
        left = {each.seq: each for each in learned}
        if len(left) >= _MANY:
            groups = self._thoughts.topic_browser.group(access, [*left])
            several = [group for group in groups if len(group.seqs) > 1]
            are_most = 2 * sum(len(group.seqs) for group in several) > len(left)
            for group in several[:MOST_LEARNED] if are_most else ():
                members = [left.pop(seq) for seq in group.seqs]
                told.append(_tell_topic(group.topic.title, members))
        told += [_tell(DigestSection.LEARNED, each) for each in left.values()]
        return told[:MOST_LEARNED]

    def _tell_changed(self, access: Access, since: float) -> _Told:
        with self._database.read() as transaction:
            changing = list_changing(transaction, access, since=since)
            judged = list_disputed(transaction, access)
        newer = self._thoughts.curator.load(access, changing[:_LOOKED_AT])
        changes = [
            (thought, link)
            for thought in newer
            if thought.outdated_at is None
            for link in thought.replaces[:1]
            if not link.contested and link.reason != MERGED
        ]
        over = [
            thought
            for thought in self._thoughts.curator.load(access, judged[:_LOOKED_AT])
            if thought.outdated_at is not None
            and since <= thought.outdated_at
            and not any(link.stated for link in thought.replaced_by)
        ]
        lines = [_tell_change(thought, link) for thought, link in changes]
        lines += [_tell(DigestSection.CHANGED, thought, "over: ") for thought in over]
        return DigestSection.CHANGED, len(lines), lines[:MOST_LINES]

    def _tell_converged(self, access: Access, since: float) -> _Told:
        """Tell where more asked than usual, and what somebody found that another had said."""
        gathered = self._thoughts.paths.find_gathered(access).regions
        found = self._thoughts.convergence.find(access, since=since, limit=_LOOKED_AT).converged
        found = [each for each in found if each.independent]
        lines = [
            _tell(
                DigestSection.CONVERGED,
                each.thought,
                f"{1 + each.independent} by themselves: ",
                others=each.others,
            )
            for each in found
        ]
        lines = [*map(_tell_gathered, gathered), *lines]
        return DigestSection.CONVERGED, len(lines), lines[:MOST_LINES]

    def _tell_unanswered(
        self, access: Access, since: float, unknowns: Sequence[UnknownTerm]
    ) -> _Told:
        with self._database.read() as transaction:
            asked = list_unanswered(transaction, access, since=since)
        lines = [
            DigestLine(DigestSection.UNANSWERED, f"{_count(each.times)}: {_shorten(each.text)}")
            for each in asked
        ]
        lines += [
            DigestLine(
                DigestSection.UNANSWERED,
                f"{_count(term.times)}, so far: what is {show_name(term.term)}?",
            )
            for term in unknowns
            if term.times
        ]
        return DigestSection.UNANSWERED, len(lines), lines[:MOST_LINES]

    def _tell_candidates(self, access: Access) -> Iterable[_Told]:
        """Tell what is in dispute, and what nobody needs any more, as curation finds it."""
        disputed = {CurationReason.CONTESTED}
        for section, reasons in (
            (DigestSection.DISPUTED, disputed),
            (DigestSection.UNNEEDED, set(CurationReason) - disputed),
        ):
            found = self._thoughts.curator.list_candidates(
                access, reasons=sorted(reasons), limit=MOST_LINES
            )
            lines = [
                _tell(section, each.thought, others=each.others)
                if section is DigestSection.DISPUTED
                else _tell(section, each.thought, f"{each.reason}: ")
                for each in found.candidates
            ]
            yield section, sum(found.counts.values()), lines[:MOST_LINES]


_Told = tuple[DigestSection, int, list[DigestLine]]


def _tell(
    section: DigestSection,
    thought: FoundThought,
    lead: str = "",
    *,
    others: tuple[str, ...] = (),
) -> DigestLine:
    text = f"{lead}{_shorten(thought.content, len(lead))}"
    return DigestLine(section, text, (thought.thought_id, *others), thought.contributor_name)


def _tell_topic(title: str, members: Sequence[FoundThought]) -> DigestLine:
    """Tell of a topic by how much was learned of it, and by what helped most."""
    lead = f"{len(members)} on {shorten(title, _OLD)}: "
    ids = [each.thought_id for each in members[:_MOST_NAMED]]
    return _tell(DigestSection.LEARNED, members[0], lead, others=tuple(ids[1:]))


def _tell_gathered(region: GatheredRegion) -> DigestLine:
    lead = f"{region.agents} came to one thing in three days: "
    words = [each.opening for each in region.thoughts] or [region.title or "(nothing is known)"]
    ids = tuple(each.thought_id for each in region.thoughts)
    return DigestLine(DigestSection.CONVERGED, f"{lead}{_shorten(words[0], len(lead))}", ids)


def _tell_change(thought: FoundThought, link: LinkedThought) -> DigestLine:
    now, before = contrast(thought.content, link.opening)
    before = f"; before: {shorten(before, _OLD)}"
    return DigestLine(
        DigestSection.CHANGED,
        f"{_shorten(now, len(before))}{before}",
        (thought.thought_id, link.thought_id),
        thought.contributor_name,
    )


def contrast(new: str, old: str) -> tuple[str, str]:
    """Return two texts from where they differ, with the words that lead there in the new one."""
    mine, theirs = new.split(), old.split()
    pairs = zip(mine, theirs, strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), 0)
    begin = max(0, same - _LEADING_WORDS)
    return _begin_at(mine, begin), _begin_at(theirs, same)


def _begin_at(words: Sequence[str], begin: int) -> str:
    return " ".join(["…"] * (begin > 0) + [*words[begin:]])


def _shorten(text: str, taken: int = 12) -> str:
    return shorten(text, _LONGEST - taken)


def _count(times: int) -> str:
    return "once" if times == 1 else f"{times} times"
