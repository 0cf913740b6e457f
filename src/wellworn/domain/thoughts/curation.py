"""Lists thoughts that may have had their day, each with its evidence, and tidies them.

Nothing is done by itself. What is listed is chosen from, and ended, merged into another or erased;
all but an erasure can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import neg
from typing import Final

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.alike import AlikeFinder
from wellworn.domain.thoughts.models import FoundThought
from wellworn.domain.thoughts.results import RankedThought
from wellworn.domain.thoughts.search import ThoughtSearcher
from wellworn.domain.thoughts.store import curation as store
from wellworn.domain.thoughts.store import rows, sayings
from wellworn.domain.thoughts.store.replacements import (
    find_last_words,
    insert_replacements,
    load_standings,
)
from wellworn.domain.thoughts.truth import (
    ReplacementLink,
    ReplacementOrigin,
    Standings,
    require_after,
)
from wellworn.domain.thoughts.writing import date_after
from wellworn.engines.retrieval import RankedResult
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import Forbidden, InvalidInput, ThoughtNotFound
from wellworn.kit.clock import Clock, format_day

FEWEST_QUESTIONS: Final = 20
"""Questions that showed a thought to nobody, before that says something of the thought."""
MERGED: Final = "says the same, and was merged into it"
UNNEEDED_DAYS: Final = 90
_DAY_S: Final = 86_400.0
_BEFORE_S: Final = 1e-5


class CurationReason(StrEnum):
    """Why a thought may have had its day."""

    EXPIRED = "expired"
    CONTESTED = "contested"
    DUPLICATE = "duplicate"
    UNNEEDED = "unneeded"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thought that may have had its day.

    Attributes:
        evidence: how that is known, in words.
        others: ids of the thoughts that it is held against.
        into: the one to merge it into; None where it says what no other does.
    """

    thought: FoundThought
    reason: CurationReason
    evidence: str
    others: tuple[str, ...] = ()
    into: str | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Thoughts that a memory could be tidied of.

    Attributes:
        counts: how many there are for each reason, those beyond the limit among them.
        questions: how many were asked in the time in which what is `unneeded` was shown to nobody;
            of fewer than twenty nothing is listed for that.
    """

    candidates: tuple[Candidate, ...]
    counts: Mapping[CurationReason, int]
    questions: int


class Curator:
    """Lists candidates, and ends and merges thoughts; every method needs an Access."""

    def __init__(self, database: Database, searcher: ThoughtSearcher, clock: Clock) -> None:
        self._database = database
        self._searcher = searcher
        self._clock = clock
        self.alike = AlikeFinder()

    def list_candidates(
        self,
        access: Access,
        *,
        older_than_days: int = UNNEEDED_DAYS,
        reasons: Iterable[CurationReason] = tuple(CurationReason),
        limit: int = 20,
    ) -> Candidates:
        """Return what may have had its day, at most `limit` for each reason, the oldest first.

        Unneeded is a note that was there for so many days, in which at least twenty questions were
        asked, and was never shown, used or built upon.
        """
        before = self._clock.now() - older_than_days * _DAY_S
        with self._database.read() as transaction:
            questions = store.count_questions(transaction, access, since=before)
            found = {
                reason: self._find(transaction, access, reason, before, questions)
                for reason in dict.fromkeys(reasons)
            }
        candidates = [
            candidate
            for reason, findings in found.items()
            for candidate in self._describe(access, reason, findings[:limit])
        ]
        counts = {reason: len(findings) for reason, findings in found.items()}
        return Candidates(tuple(candidates), counts, questions)

    def _find(
        self,
        transaction: Transaction,
        access: Access,
        reason: CurationReason,
        before: float,
        questions: int,
    ) -> list[_Finding]:
        now = self._clock.now()
        match reason:
            case CurationReason.EXPIRED:
                return self._find_expired(transaction, access, now)
            case CurationReason.CONTESTED:
                return self._find_contested(transaction, access, now)
            case CurationReason.DUPLICATE:
                return self._find_duplicates(transaction, access, now)
            case CurationReason.UNNEEDED:
                if questions < FEWEST_QUESTIONS:
                    return []
                evidence = f"none of the {questions} questions since {format_day(before)}"
                evidence += " showed it, and nothing was built upon it"
                seqs = _list_unneeded(transaction, access, before, now)
                return [_Finding(seq, evidence) for seq in seqs]

    def find_seqs(
        self, transaction: Transaction, access: Access, reason: CurationReason
    ) -> list[int]:
        """Return the thoughts that may have had their day for a reason."""
        before = self._clock.now() - UNNEEDED_DAYS * _DAY_S
        questions = store.count_questions(transaction, access, since=before)
        found = self._find(transaction, access, reason, before, questions)
        return [finding.seq for finding in found]

    def _describe(
        self, access: Access, reason: CurationReason, findings: Sequence[_Finding]
    ) -> list[Candidate]:
        seqs = {seq for each in findings for seq in (each.seq, *each.others)}
        known = {each.seq: each for each in self.load(access, sorted(seqs))}
        return [
            Candidate(
                known[each.seq],
                reason,
                each.evidence,
                tuple(known[seq].thought_id for seq in each.others if seq in known),
                known[each.into].thought_id if each.into in known else None,
            )
            for each in findings
            if each.seq in known
        ]

    def load(self, access: Access, seqs: Sequence[int]) -> list[FoundThought]:
        """Return thoughts with what is known of their truth, in the order of their seqs given."""
        with self._database.read() as transaction:
            summaries = rows.load_summaries(transaction, access, seqs)
            standings = load_standings(transaction, seqs, at=self._clock.now())
        return self._searcher.load(
            access,
            [
                RankedThought(
                    RankedResult(seq, 0.0, 0.0, {}), summaries[seq], standing=standings.find(seq)
                )
                for seq in seqs
                if seq in summaries
            ],
        )

    def _find_expired(self, transaction: Transaction, access: Access, now: float) -> list[_Finding]:
        seqs = store.list_ended(transaction, access)
        standings = load_standings(transaction, seqs, at=now)
        ended = {seq: standings.find(seq).expires_at for seq in seqs}
        over = {seq: at for seq, at in ended.items() if at is not None and at <= now}
        return [
            _Finding(seq, f"true until {format_day(at)}, as it was said")
            for seq, at in sorted(over.items(), key=lambda item: (item[1], item[0]))
        ]

    def _find_contested(
        self, transaction: Transaction, access: Access, now: float
    ) -> list[_Finding]:
        seqs = store.list_disputed(transaction, access)
        standings = load_standings(transaction, seqs, at=now)
        contested = [seq for seq in sorted(seqs) if is_contested(standings, seq)]
        shown = rows.load_summaries(transaction, access, contested)
        return [
            _Finding(
                seq,
                "another member says otherwise, and nobody has confirmed it"
                if (others := _list_rivals(standings, seq))
                else "another member says that it is not true, and nobody stands by it",
                others,
            )
            for seq in shown
        ]

    def _find_duplicates(
        self, transaction: Transaction, access: Access, now: float
    ) -> list[_Finding]:
        groups = self.alike.find(transaction, access)
        standings = load_standings(
            transaction, [each.seq for group in groups for each in group], at=now
        )
        findings: list[_Finding] = []
        for group in groups:
            current = [each for each in group if _lasts(standings, each.seq)]
            if len(current) < 2:  # noqa: PLR2004 - one alone repeats nothing
                continue
            # What was used most stays, or else what was said first.
            kept, *others = sorted(current, key=lambda each: (*map(neg, each.wear), each.seq))
            evidence = "says the same in the same words as a note that was used more or said before"
            findings += [_Finding(each.seq, evidence, (kept.seq,), kept.seq) for each in others]
        return sorted(findings, key=lambda finding: finding.seq)

    def require_own(self, access: Access, thought_ids: Sequence[str]) -> None:
        """Refuse what the caller may not change, before anything is.

        Raises:
            Forbidden, ThoughtNotFound: as `end`.
        """
        with self._database.read() as transaction:
            _find_own(transaction, access, thought_ids)

    def end(
        self,
        access: Access,
        thought_ids: Sequence[str],
        expires_at: float | None,
        *,
        agent_id: str,
        dry_run: bool = False,
    ) -> float:
        """Say until when thoughts are true; with None, that they have no end.

        Returns when that was said, by which `take_back` knows it.

        Raises:
            Forbidden: the caller did not contribute one of them, and is no admin of the space.
            InvalidInput: that is before one of them was said.
            ThoughtNotFound: one of them is not of the space, or is erased; nothing was changed.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            said_at = _find_own(transaction, access, thought_ids)
            require_after(expires_at, max(said_at.values()), "when it was said")
            if not dry_run:
                self._end_all(transaction, access, said_at, expires_at, now, agent_id=agent_id)
        return now

    def outdate(
        self, access: Access, thought_ids: Sequence[str], *, agent_id: str, dry_run: bool = False
    ) -> float:
        """Say that thoughts are not true any more; return since when, in epoch seconds.

        Raises:
            Forbidden, ThoughtNotFound: as `end`.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            found = _find_own(transaction, access, thought_ids)
            if not dry_run:
                self._end_all(transaction, access, found, now, now, agent_id=agent_id)
        return now

    def take_back(
        self, access: Access, moment: float, *, agent_id: str, dry_run: bool = False
    ) -> list[str]:
        """Take back the ends that the caller gave at a moment, if they are the last ones given.

        Each thought has again the end that it had before, or none. Returns the thoughts.
        """
        agent_id, now = redact(agent_id).text, self._clock.now()
        with self._database.write() as transaction:
            seqs = sayings.list_ended_at(transaction, access, moment)
            known = rows.load_summaries(transaction, access, seqs, with_held=True)
            if not access.role.allows(Role.ADMIN):
                known = {seq: each for seq, each in known.items() if each.owner == access.owner}
            before = load_standings(transaction, known, at=moment - _BEFORE_S, is_present=False)
            for seq in known if not dry_run else ():
                sayings.give_end(
                    transaction,
                    access,
                    seq,
                    agent_id=agent_id,
                    expires_at=before.find(seq).expires_at,
                    now=now,
                )
        return [known[seq].thought_id for seq in known]

    def _end_all(
        self,
        transaction: Transaction,
        access: Access,
        seqs: Iterable[int],
        expires_at: float | None,
        now: float,
        *,
        agent_id: str,
    ) -> None:
        agent_id = redact(agent_id).text
        for seq in seqs:
            sayings.give_end(
                transaction, access, seq, agent_id=agent_id, expires_at=expires_at, now=now
            )

    def merge(
        self,
        access: Access,
        thought_ids: Sequence[str],
        into: str,
        *,
        agent_id: str,
        dry_run: bool = False,
    ) -> None:
        """Let one thought take the place of others, which stay as what it replaced.

        Raises:
            Forbidden, ThoughtNotFound: as `end`, of all of them.
            InvalidInput: it would be merged into itself, or into what is not true any more.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            kept, *_ = _find_own(transaction, access, [into])
            older = _find_own(transaction, access, thought_ids)
            if kept in older:
                raise InvalidInput(
                    "a thought cannot be merged into itself; leave it out of the ids"
                )
            if not load_standings(transaction, [kept], at=now).find(kept).is_current:
                raise InvalidInput("what is merged into is not true any more; choose another")
            last = find_last_words(transaction, older)
            links = [
                ReplacementLink(
                    kept,
                    seq,
                    ReplacementOrigin.STATED,
                    MERGED,
                    1.0,
                    date_after(last.get(seq), now),
                    is_by_admin=access.is_admin_member,
                )
                for seq in older
            ]
            if not dry_run:
                made_by = access.resolve_user(redact(agent_id).text)
                insert_replacements(transaction, links, made_by=made_by)


@dataclass(frozen=True, slots=True)
class _Finding:
    seq: int
    evidence: str
    others: tuple[int, ...] = ()
    into: int | None = None


def is_contested(standings: Standings, seq: int) -> bool:
    """Tell whether a thought is in dispute, and still held by anybody."""
    standing = standings.find(seq)
    return standing.is_contested and standing.is_current


def _lasts(standings: Standings, seq: int) -> bool:
    """Tell whether a thought is true, and without an end: what has one goes by itself."""
    standing = standings.find(seq)
    return standing.is_current and standing.expires_at is None


def _list_rivals(standings: Standings, seq: int) -> tuple[int, ...]:
    """Return what contradicts a thought, or is contradicted by it."""
    standing = standings.find(seq)
    links = [link for link in standing.links if link.is_contested and link.is_told]
    return tuple({end for link in links for end in link[:2]} - {seq})


def _list_unneeded(
    transaction: Transaction, access: Access, before: float, now: float
) -> list[int]:
    """Return what nobody needed, without what is over and what another's truth hangs on."""
    seqs = store.list_unneeded(transaction, access, before=before)
    standings = load_standings(transaction, seqs, at=now)
    return [seq for seq in seqs if standings.find(seq).is_current and not standings.find(seq).links]


def _find_own(
    transaction: Transaction, access: Access, thought_ids: Sequence[str]
) -> dict[int, float]:
    """Return by seq when thoughts were said that the caller may change.

    Raises:
        Forbidden, ThoughtNotFound: one is of another, or not there.
    """
    seqs = rows.find_seqs(transaction, access, thought_ids)
    known = rows.load_summaries(transaction, access, [*seqs.values()], with_held=True)
    for place, thought_id in enumerate(thought_ids, 1):
        which = f"number {place} of the thoughts: " if len(thought_ids) > 1 else ""
        if seqs.get(thought_id) not in known:
            raise ThoughtNotFound(f"{which}no thought has this thought_id, or it is erased")
        if access.role.allows(Role.ADMIN):
            continue
        if access.owner is None or known[seqs[thought_id]].owner != access.owner:
            message = (
                f"{which}only who said it, or an admin of the space, may end, merge or erase it;"
                " what is outdated can be called so by feedback"
            )
            raise Forbidden(message)
    return {seqs[thought_id]: known[seqs[thought_id]].created_at for thought_id in thought_ids}
