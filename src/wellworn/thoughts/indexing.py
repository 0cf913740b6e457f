"""The thought index made to agree with the database, which is the truth.

Run when a memory is opened: a process that died between the index and the commit leaves a point too
many; a lost or replaced index leaves all of them missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from wellworn.embedding import Embedder
from wellworn.storage.sql import Database
from wellworn.storage.vectors import VectorIndex
from wellworn.thoughts.index import PASSAGES, Wording, labels, point_ids, prepared
from wellworn.thoughts.store import units

BATCH = 128


class Indexer:
    """Compares and repairs; safe to run while the memory serves."""

    def __init__(self, database: Database, index: VectorIndex, embedder: Embedder) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder

    def missing(self) -> list[int]:
        """Remove points without a living thought; return the thoughts without a point."""
        with self._database.read() as transaction:
            living = np.array(units.living_seqs(transaction), dtype=np.int64)
        indexed = np.unique(self._index.ids() // PASSAGES)
        self._remove([int(seq) for seq in np.setdiff1d(indexed, living)])
        return [int(seq) for seq in np.setdiff1d(living, indexed)]

    def _remove(self, suspects: Sequence[int]) -> None:
        for start in range(0, len(suspects), BATCH):
            batch = suspects[start : start + BATCH]
            # Under the write lock: what looked astray may be a thought that was just being stored.
            with self._database.write() as transaction:
                living = units.living(transaction, batch)
                for stray in set(batch) - living:
                    self._index.delete(point_ids(stray))

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index thoughts, in batches; `advance` is told how many are done."""
        for start in range(0, len(seqs), BATCH):
            self._index_batch(seqs[start : start + BATCH])
            advance(min(start + BATCH, len(seqs)))

    def _index_batch(self, seqs: Sequence[int]) -> None:
        with self._database.read() as transaction:
            batch = units.units(transaction, seqs)
        passages = prepared(
            self._embedder,
            [
                Wording(unit.kind, unit.content, unit.contributor_name, unit.created_at)
                for unit in batch
            ],
        )
        # Under the write lock, so that a thought erased meanwhile does not come back.
        with self._database.write() as transaction:
            living = units.living(transaction, seqs)
            points = [
                point
                for unit, made in zip(batch, passages, strict=True)
                if unit.seq in living
                for point in made.points(
                    unit.seq, labels(unit.space, unit.contributor_id, unit.tags)
                )
            ]
            self._index.upsert(points)
