"""Predicts what is often needed next: one hop of co-use from the first results.

Predictions are shown only where the log of the space proves them useful. This is judged in the
background, at most once a day, and kept in memory: after a restart the first maintenance judges.

Source: `docs/concepts.md`, "Often needed next".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import co_use, rows
from wellworn.engines.retrieval.co_use import (
    CLOSED,
    MOST_SEEDS,
    GateResult,
    evaluate_gate,
    score_co_uses,
)
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.kit.clock import Clock

MOST_NEEDED = 5
JUDGED_EVERY_S = 24 * 3600.0


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
        self._verdicts: dict[str, GateResult] = {}
        self._judged_at: float | None = None
        self._judged_to = 0

    def update_if_due(self) -> None:
        """Judge every space once a day, if there were uses since; may take seconds.

        Raises:
            StorageUnavailable: the database failed; the verdicts stay as they were.
        """
        now = self._clock.now()
        if self._judged_at is not None and now - self._judged_at < JUDGED_EVERY_S:
            return
        with self._database.read() as transaction:
            newest = co_use.find_newest_use(transaction)
        if newest != self._judged_to:
            self._verdicts = self._judge_spaces()
        self._judged_at, self._judged_to = now, newest

    def _judge_spaces(self) -> dict[str, GateResult]:
        with self._database.read() as transaction:
            spaces = co_use.list_spaces(transaction)
        verdicts: dict[str, GateResult] = {}
        for space in spaces:
            with self._database.read() as transaction:
                sessions = co_use.load_sessions(transaction, space)
            verdicts[space] = evaluate_gate(sessions)
        return verdicts

    def get_verdict(self, access: Access) -> GateResult:
        """Return the last verdict on the space."""
        return self._verdicts.get(access.space, CLOSED)

    def predict(
        self, transaction: Transaction, access: Access, session_id: str, shown: Sequence[int]
    ) -> list[PredictedNeed]:
        """Return what is often needed after the first of the results, strongest first.

        `shown` are seqs, best first. Empty while the verdict on the space is against it. Left out
        are the results, what the session has used before, and what is held or erased.
        """
        if not shown or not self.get_verdict(access).is_open:
            return []
        events = co_use.find_co_uses(transaction, access, shown[:MOST_SEEDS])
        strength = score_co_uses(events, owner=access.owner, now=self._clock.now())
        for seq in {*shown, *co_use.find_used(transaction, access, session_id)}:
            strength.pop(seq, None)
        summaries = rows.load_summaries(transaction, access, list(strength))
        best = sorted(summaries.values(), key=lambda thought: (-strength[thought.seq], thought.seq))
        return [
            PredictedNeed(thought.thought_id, thought.opening, thought.tags, strength[thought.seq])
            for thought in best[:MOST_NEEDED]
        ]
