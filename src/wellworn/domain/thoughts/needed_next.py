"""Predicts what is often needed next: one hop of co-use from the first results.

Predictions are shown only where the log of the space proves them useful. This is judged in the
background, and again when the log has grown by a fifth, or shrank by as much. Every verdict
is stored, so that a restart loses none; the last one holds.

Source: `docs/concepts.md`, "Often needed next".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from typing import Final

from wellworn.domain.spaces import Access, upkeep_access
from wellworn.domain.thoughts.store import co_use, rows
from wellworn.domain.thoughts.store.co_use import CoUseVerdict
from wellworn.engines.retrieval.co_use import (
    LEAST_SESSIONS,
    MOST_SEEDS,
    evaluate_gate,
    score_co_uses,
    weigh_pairs,
)
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import DiskFull
from wellworn.kit.clock import Clock

MOST_NEEDED = 5
GROWTH: Final = 1.2
"""Factor by which a log is longer or shorter when it is judged again."""
_LOOKED_EVERY_S: Final = 600.0
_VERDICTS: Final = "verdicts"


class ExperimentAnswer(StrEnum):
    """Whether what was used together tells more than what lies together."""

    YES = "yes"
    NO = "no"
    NOT_ENOUGH = "not_enough"


@dataclass(frozen=True, slots=True)
class Experiment:
    """The verdict of a space's log on co-use.

    Attributes:
        sessions: of the log that tell of it, the newest 3,000: when it was judged, or until then
            now.
        needed: how many it takes.
        verdicts: the newest first, which holds.
    """

    answer: ExperimentAnswer
    sessions: int
    needed: int
    verdicts: tuple[CoUseVerdict, ...]

    @property
    def verdict(self) -> CoUseVerdict | None:
        """The verdict that holds."""
        return self.verdicts[0] if self.verdicts else None


@dataclass(frozen=True, slots=True)
class PredictedNeed:
    """A thought often used after the results.

    Attributes:
        opening: its first 80 characters.
        strength: co-uses, halved every 14 days; uses by others count by the number of users.
    """

    thought_id: str
    opening: str
    tags: tuple[str, ...]
    strength: float


class NeedPredictor:
    """Judges the spaces of one database and predicts for those that pass."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._is_open: dict[str, bool] = {}
        # Counted outside of every write, as it takes long, from the sessions that the gate judges.
        self._chances: dict[str, Mapping[tuple[int, int], float]] = {}
        self._looked_at: float | None = None
        self._looked_to = -1
        self._judging, self._counting = Lock(), Lock()
        self._taken_back = 0
        database.follow(_VERDICTS, lambda _, spaces: self._drop(spaces), lambda _: self._drop())

    def update_if_due(self) -> None:
        """Judge the spaces whose logs have grown by a fifth; may take seconds.

        Raises:
            StorageUnavailable: the database failed; the verdicts stay as they were.
        """
        now = self._clock.now()
        if self._looked_at is not None and 0.0 <= now - self._looked_at < _LOOKED_EVERY_S:
            return
        with self._database.read() as transaction:
            newest = co_use.find_newest_use(transaction)
            spaces = co_use.list_spaces(transaction) if newest != self._looked_to else []
        self._looked_at = now
        for space in sorted({*spaces, *self._is_open} if spaces else ()):
            self._judge_if_due(space)
            self._chances.pop(space, None)
            self.prepare(upkeep_access(space))
        self._looked_to = newest

    def run_experiment(self, access: Access) -> Experiment:
        """Return what the log of the space says, judged now where that is due.

        Raises:
            StorageUnavailable: the database failed.
        """
        telling = self._judge_if_due(access.space)
        with self._database.read() as transaction:
            verdicts = tuple(co_use.list_verdicts(transaction, access.space))
        holds = verdicts[0] if verdicts else None
        sessions = telling if holds is None else holds.sessions
        answer = ExperimentAnswer.YES if holds and holds.is_open else ExperimentAnswer.NO
        if sessions < LEAST_SESSIONS or holds is None:
            answer = ExperimentAnswer.NOT_ENOUGH
        return Experiment(answer, sessions, LEAST_SESSIONS, verdicts)

    def _judge_if_due(self, space: str) -> int:
        """Judge a space if it is due; return how many sessions were read to do so, or else 0."""
        with self._judging:
            since = self._taken_back
            with self._database.read() as transaction:
                uses = co_use.count_uses(transaction, space)
                last = _find_last(transaction, space)
                if last is not None and not _is_far(uses, last.uses):
                    return 0
                sessions = co_use.load_sessions(transaction, space)
            telling = [session for session in sessions if len(session.steps) > 1]
            if last is None and len(telling) < LEAST_SESSIONS:
                self._is_open[space] = False
            else:
                # Where there is too little now, the last verdict holds no more.
                found = evaluate_gate(telling)
                numbers = (found.is_open, found.gain, found.low, found.high)
                self._keep(
                    space, CoUseVerdict(*numbers, len(telling), uses, self._clock.now()), since
                )
            return len(telling)

    def _keep(self, space: str, verdict: CoUseVerdict, since: int) -> None:
        """Store a verdict, unless its log was rolled back, its space moved, or the disk is full."""
        with suppress(DiskFull), self._database.write() as transaction:
            is_there = not verdict.uses or co_use.count_uses(transaction, space)
            if self._taken_back == since and is_there:
                co_use.add_verdict(transaction, space, verdict)
                self._is_open[space] = verdict.is_open
                self._database.note_change(_VERDICTS, [space])
                self._chances.pop(space, None)

    def forget(self, transaction: Transaction, access: Access) -> None:
        """Drop the verdicts on a space in the caller's transaction, as its log was rolled back."""
        co_use.forget_verdicts(transaction, access)
        self._database.note_change(_VERDICTS, [access.space])
        self._drop([access.space])

    def _drop(self, spaces: Sequence[str] | None = None) -> None:
        """Read verdicts again that were dropped, or that another server stored."""
        for space in [*self._is_open] if spaces is None else spaces:
            self._is_open.pop(space, None)
            self._chances.pop(space, None)
        self._taken_back += 1
        self._looked_at, self._looked_to = None, -1

    def prepare(self, access: Access) -> None:
        """Count what predictions in the space are weighed by, before a write; may take a second.

        Raises:
            StorageUnavailable: the database failed.
        """
        if access.space in self._chances or self._is_open.get(access.space) is False:
            return
        with self._counting:
            since = self._taken_back
            with self._database.read() as transaction:
                if access.space in self._chances or not self._passes(transaction, access):
                    return
                sessions = co_use.load_sessions(transaction, access.space)
            chances = weigh_pairs([session for session in sessions if len(session.steps) > 1])
            if self._taken_back == since:
                self._chances[access.space] = chances

    def _passes(self, transaction: Transaction, access: Access) -> bool:
        is_open = self._is_open.get(access.space)
        if is_open is None:
            last = _find_last(transaction, access.space)
            is_open = last is not None and last.is_open
        return is_open

    def predict(
        self, transaction: Transaction, access: Access, session_id: str, shown: Sequence[int]
    ) -> list[PredictedNeed]:
        """Return what is often needed after the first of the results, strongest first.

        `shown` are seqs, best first. Empty while the verdict on the space is against it, or where
        `prepare` did not find what it is weighed by. Left out
        are the results, what the session has used before, and what is held or erased.
        """
        if not shown:
            return []
        # Kept by writers alone: a read may tell what a write under way has dropped.
        is_open = self._is_open[access.space] = self._passes(transaction, access)
        if not is_open:
            return []
        strength = self._score(transaction, access, shown[:MOST_SEEDS])
        for seq in {*shown, *co_use.find_used(transaction, access, session_id)}:
            strength.pop(seq, None)
        summaries = rows.load_summaries(transaction, access, list(strength))
        best = sorted(summaries.values(), key=lambda thought: (-strength[thought.seq], thought.seq))
        return [
            PredictedNeed(thought.thought_id, thought.opening, thought.tags, strength[thought.seq])
            for thought in best[:MOST_NEEDED]
        ]

    def _score(
        self, transaction: Transaction, access: Access, seeds: Sequence[int]
    ) -> dict[int, float]:
        """Return how strongly others are needed beside some thoughts, as the gate judged it."""
        chances = self._chances.get(access.space)
        if not chances:
            return {}
        events = (
            event
            for seed in seeds
            for event, _ in co_use.find_with_sessions(transaction, access, seed)
        )
        now = self._clock.now()
        return score_co_uses(events, owner=access.owner, now=now, chances=chances)


def _find_last(transaction: Transaction, space: str) -> CoUseVerdict | None:
    return next(iter(co_use.list_verdicts(transaction, space, limit=1)), None)


def _is_far(uses: int, judged: int) -> bool:
    """Tell whether a log is a fifth longer, or shorter, than when it was judged."""
    return uses != judged and max(uses, judged) >= GROWTH * min(uses, judged)
