"""Brings the index of chunks up to the rows, which are the truth.

What an index lacks is repaired when a memory is opened, and in the background if much is missing.
What is found by its words and waits to be embedded is embedded in the background, newest first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from wellworn.domain.sources import features
from wellworn.domain.sources.store import chunks
from wellworn.engines.embedding import AT_ONCE, Embedder, Pace
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import IndexRepair, Made, VectorIndex


class ChunkStage(Protocol):
    """Keeps features by seq, beside the database, until another encoder serves."""

    def list_seqs(self) -> set[int]: ...

    def save(self, rows: Mapping[int, Any]) -> None: ...


class ChunkIndexer:
    """Finds and indexes missing chunks; safe to run while the memory is in use."""

    def __init__(
        self,
        database: Database,
        points: VectorIndex,
        embedder: Embedder,
        *,
        stage: ChunkStage | None = None,
    ) -> None:
        """Prepare to index; with a `stage`, features are kept there instead of in the database."""
        self._database = database
        self._embedder = embedder
        self._stage = stage
        self._repair = IndexRepair(
            database,
            points,
            living=chunks.filter_existing,
            made=self._prepare,
            is_apart=stage is not None,
        )

    def missing(self) -> list[int]:
        """Remove points without a chunk; return the chunks without a current point or features."""
        missing = self._repair.missing()
        if self._stage is not None:
            with self._database.read() as transaction:
                living = chunks.filter_existing(transaction, None)
            return sorted({*missing, *living} - (self._stage.list_seqs() - {*missing}))
        with self._database.read() as transaction:
            lacking = chunks.list_outdated(transaction, features.list_versions(self._embedder))
        return sorted({*missing, *lacking})

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index chunks, in batches; `advance` is told how many are done."""
        self._repair.index(seqs, advance)

    def list_pending(self, most: int) -> list[int]:
        """Return chunks that are found by their words and wait to be embedded, newest first."""
        with self._database.read() as transaction:
            return chunks.list_newest(transaction, features.words_version(), most=most)

    def embed(self, seqs: Sequence[int], pace: Pace = AT_ONCE) -> None:
        """Embed chunks in one batch.

        Raises:
            EmbeddingFailed: the encoder failed; the chunks wait.
        """
        made = self._prepare(seqs, pace)
        pace.wait()
        self._repair.store(seqs, made)

    def _prepare(self, seqs: Sequence[int], pace: Pace = AT_ONCE) -> Made:
        with self._database.read() as transaction:
            rows = chunks.load_indexable(transaction, seqs)
        texts = [features.build_indexed_text(row.title, row.chunk, row.text) for row in rows]
        indexed = dict(
            zip(
                [row.seq for row in rows],
                features.embed_chunks(self._embedder, texts, pace),
                strict=True,
            )
        )
        points = [
            indexed[row.seq].point(
                row.seq, features.build_labels(row.space, row.source_id, row.about)
            )
            for row in rows
        ]
        if self._stage is not None:
            self._stage.save(indexed)
            return Made(points)
        return Made(points, partial(_save_features, indexed))


def _save_features(
    indexed: dict[int, features.IndexedChunk], transaction: Transaction, living: Collection[int], /
) -> None:
    chunks.update_features(
        transaction, {seq: chunk for seq, chunk in indexed.items() if seq in living}
    )
