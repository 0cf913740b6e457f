"""What is often needed next: one hop of co-use from the first results, where the gate is open.

Each space is judged by its own log, in the background and at most once a day. Verdicts are kept in
memory: after a restart the first maintenance makes them anew.

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
class NeededNext:
    """A thought often used after those found.

    Attributes:
        opening: its first 80 characters.
        strength: co-uses, halved every 14 days; what others did counts by how many did it.
    """

    thought_id: str
    opening: str
    tags: tuple[str, ...]
    strength: float


class Needs:
    """Judges the spaces of one database, and answers for those whose gate is open."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._verdicts: dict[str, GateResult] = {}
        self._judged_at: float | None = None
        self._judged_to = 0

    def judge_if_due(self) -> None:
        """Judge every space anew once a day, if anything was used since; may take seconds.

        Raises:
            StorageUnavailable: the database failed; the verdicts stay as they were.
        """
        now = self._clock.now()
        if self._judged_at is not None and now - self._judged_at < JUDGED_EVERY_S:
            return
        with self._database.read() as transaction:
            newest = co_use.find_newest_use(transaction)
        if newest != self._judged_to:
            self._verdicts = self._judged()
        self._judged_at, self._judged_to = now, newest

    def _judged(self) -> dict[str, GateResult]:
        with self._database.read() as transaction:
            spaces = co_use.list_spaces(transaction)
        verdicts: dict[str, GateResult] = {}
        for space in spaces:
            with self._database.read() as transaction:
                sessions = co_use.load_sessions(transaction, space)
            verdicts[space] = evaluate_gate(sessions)
        return verdicts

    def verdict(self, access: Access) -> GateResult:
        """Return what the log of the space said when it was last judged."""
        return self._verdicts.get(access.space, CLOSED)

    def after(
        self, transaction: Transaction, access: Access, session_id: str, shown: Sequence[int]
    ) -> list[NeededNext]:
        """Return what is often needed after the first of the results, strongest first.

        `shown` are seqs, best first. Empty while the gate is shut. What is shown anyway, and what
        the session has used before, is left out, as is what is held or erased.
        """
        if not shown or not self.verdict(access).is_open:
            return []
        events = co_use.find_co_uses(transaction, access, shown[:MOST_SEEDS])
        found = score_co_uses(events, owner=access.owner, now=self._clock.now())
        for seq in {*shown, *co_use.find_used(transaction, access, session_id)}:
            found.pop(seq, None)
        cards = rows.load_summaries(transaction, access, list(found))
        best = sorted(cards, key=lambda seq: (-found[seq], seq))[:MOST_NEEDED]
        return [
            NeededNext(cards[seq].thought_id, cards[seq].opening, cards[seq].tags, found[seq])
            for seq in best
        ]
