"""The thought index and features made to agree with the thoughts, which are the truth.

Run when a memory is opened, and in the background when much is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from wellworn.domain.thoughts.index import Wording, labels, maker, prepared
from wellworn.domain.thoughts.store import features, rows
from wellworn.domain.thoughts.store.features import Features
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import Made, Repair, VectorIndex


class Indexer:
    """Compares and repairs; safe to run while the memory serves."""

    def __init__(self, database: Database, index: VectorIndex, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._repair = Repair(database, index, living=_living, made=self._made)

    def missing(self) -> list[int]:
        """Remove points without a living thought; return the thoughts that want indexing.

        They lack a point, or features that this model made by these rules.
        """
        missing = self._repair.missing()
        with self._database.read() as transaction:
            lacking = features.find_unindexed(transaction, maker(self._embedder))
        return sorted({*missing, *lacking})

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index thoughts, in batches; `advance` is told how many are done."""
        self._repair.index(seqs, advance)

    def _made(self, seqs: Sequence[int]) -> Made:
        with self._database.read() as transaction:
            batch = rows.load_indexable(transaction, seqs)
        passages = prepared(
            self._embedder,
            [
                Wording(unit.kind, unit.content, unit.contributor_name, unit.created_at, unit.tags)
                for unit in batch
            ],
        )
        made = list(zip(batch, passages, strict=True))
        points = [
            point
            for unit, found in made
            for point in found.points(unit.seq, labels(unit.space, unit.contributor_id, unit.tags))
        ]
        return Made(points, partial(_keep, {unit.seq: found.features for unit, found in made}))


def _keep(rows: dict[int, Features], transaction: Transaction, living: Collection[int], /) -> None:
    features.save_features(transaction, {seq: row for seq, row in rows.items() if seq in living})


def _living(transaction: Transaction, seqs: Sequence[int] | None) -> Collection[int]:
    return rows.list_living(transaction) if seqs is None else rows.filter_living(transaction, seqs)
