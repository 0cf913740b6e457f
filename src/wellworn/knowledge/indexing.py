"""From chunks to points of their index, and the index made to agree with the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from wellworn.embedding import Embedder, FloatArray
from wellworn.knowledge import store
from wellworn.knowledge.models import Practice
from wellworn.storage.sql import Database
from wellworn.storage.vectors import Labels, Point, VectorIndex

PASSAGES = 64
BATCH = 128


class PracticeIndexer:
    """Compares and repairs; safe to run while the memory serves."""

    def __init__(self, database: Database, index: VectorIndex, embedder: Embedder) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder

    def missing(self) -> list[int]:
        """Remove points without a chunk; return the chunks without a point."""
        with self._database.read() as transaction:
            stored = np.array(store.all_seqs(transaction), dtype=np.int64)
        indexed = np.unique(self._index.ids() // PASSAGES)
        self._remove([int(seq) for seq in np.setdiff1d(indexed, stored)])
        return [int(seq) for seq in np.setdiff1d(stored, indexed)]

    def _remove(self, suspects: Sequence[int]) -> None:
        for start in range(0, len(suspects), BATCH):
            batch = suspects[start : start + BATCH]
            # Under the write lock: what looked astray may be a chunk that was just being stored.
            with self._database.write() as transaction:
                stored = {seq for seq, _, _ in store.rows(transaction, batch)}
                for stray in set(batch) - stored:
                    self._index.delete(point_ids(stray))

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index chunks; `advance` is told how many are done."""
        for done, seq in enumerate(seqs, start=1):
            with self._database.read() as transaction:
                rows = store.rows(transaction, [seq])
            for number, space, practice in rows:
                vectors = self._embedder.embed(passages(self._embedder, practice.content))
                self._index.upsert(points(number, space, practice, vectors))
            advance(done)


def passages(embedder: Embedder, content: str) -> Sequence[str]:
    return [content[span.start : span.end] for span in embedder.windows(content)[:PASSAGES]]


def points(seq: int, space: str, practice: Practice, vectors: FloatArray) -> list[Point]:
    """Return the points of a chunk, one a passage."""
    labels = Labels(space, tags=domains(practice.domain))
    return [
        Point(seq * PASSAGES + number, vector, {}, labels) for number, vector in enumerate(vectors)
    ]


def point_ids(seq: int) -> list[int]:
    """Return every point id that a chunk may have."""
    return [seq * PASSAGES + number for number in range(PASSAGES)]


def domains(domain: str) -> frozenset[str]:
    return frozenset({domain.casefold()}) if domain else frozenset()
