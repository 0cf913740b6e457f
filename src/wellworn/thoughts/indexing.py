"""The thought index made to agree with the database, which is the truth.

Run when a memory is opened, and in the background when much is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from wellworn.embedding import Embedder
from wellworn.storage.sql import Database, Transaction
from wellworn.storage.vectors import Point, Repair, VectorIndex
from wellworn.thoughts.index import Wording, labels, prepared
from wellworn.thoughts.store import units


class Indexer:
    """Compares and repairs; safe to run while the memory serves."""

    def __init__(self, database: Database, index: VectorIndex, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._repair = Repair(database, index, living=_living, points=self._points)

    def missing(self) -> list[int]:
        """Remove points without a living thought; return the thoughts without a point."""
        return self._repair.missing()

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index thoughts, in batches; `advance` is told how many are done."""
        self._repair.index(seqs, advance)

    def _points(self, seqs: Sequence[int]) -> list[Point]:
        with self._database.read() as transaction:
            batch = units.units(transaction, seqs)
        passages = prepared(
            self._embedder,
            [
                Wording(unit.kind, unit.content, unit.contributor_name, unit.created_at)
                for unit in batch
            ],
        )
        return [
            point
            for unit, made in zip(batch, passages, strict=True)
            for point in made.points(unit.seq, labels(unit.space, unit.contributor_id, unit.tags))
        ]


def _living(transaction: Transaction, seqs: Sequence[int] | None) -> Collection[int]:
    return units.living_seqs(transaction) if seqs is None else units.living(transaction, seqs)
