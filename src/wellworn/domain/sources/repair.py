"""The index of chunks made to agree with the chunks, which are the truth.

Run when a memory is opened, and in the background when much is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from wellworn.domain.sources import features
from wellworn.domain.sources.store import chunks
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import Made, Repair, VectorIndex


class ChunkIndexer:
    """Compares and repairs; safe to run while the memory serves."""

    def __init__(self, database: Database, points: VectorIndex, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._repair = Repair(database, points, living=chunks.living, made=self._made)

    def missing(self) -> list[int]:
        """Remove points without a chunk; return the chunks that want indexing.

        They lack a point, or features that this model made by these rules.
        """
        missing = self._repair.missing()
        with self._database.read() as transaction:
            lacking = chunks.lacking(transaction, features.maker(self._embedder))
        return sorted({*missing, *lacking})

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index chunks, in batches; `advance` is told how many are done."""
        self._repair.index(seqs, advance)

    def _made(self, seqs: Sequence[int]) -> Made:
        with self._database.read() as transaction:
            rows = chunks.to_index(transaction, seqs)
        texts = [features.indexed_text(row.title, row.chunk, row.text) for row in rows]
        made = dict(
            zip([row.seq for row in rows], features.prepared(self._embedder, texts), strict=True)
        )
        points = [
            made[row.seq].point(row.seq, features.labels(row.space, row.source_id, row.about))
            for row in rows
        ]
        return Made(points, partial(_keep, made))


def _keep(
    made: dict[int, features.Made], transaction: Transaction, living: Collection[int], /
) -> None:
    chunks.rewrite(transaction, {seq: one for seq, one in made.items() if seq in living})
