"""Brings the index of chunks up to the rows, which are the truth.

What an index lacks is repaired when a memory is opened, and in the background if much is missing.
What is found by its words and waits to be embedded is embedded in the background: first what was
shown to somebody, then the newest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from wellworn.domain.sources import features
from wellworn.domain.sources.store import chunks
from wellworn.engines.embedding import AT_ONCE, Embedder, Pace
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import IndexRepair, Made, VectorIndex
from wellworn.kit.markdown import TableHeads


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
        shown: deque[int] | None = None,
    ) -> None:
        """Prepare to index; with a `stage`, features are stored there instead of in the database.

        What waits of the documents that were `shown` comes before all else.
        """
        self._database = database
        self._shown = deque[int]() if shown is None else shown
        self._embedder = embedder
        self._stage = stage
        self._repair = IndexRepair(
            database,
            points,
            living=chunks.filter_existing,
            made=self._make_words if stage is None else self._make_staged,
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
        """Index chunks in batches, calling `advance` with the number that is done.

        They are found by their words then, and wait to be embedded; with a stage they are embedded.
        """
        self._repair.index(seqs, advance)

    def list_pending(self, most: int) -> list[int]:
        """Return chunks that are found by their words and wait to be embedded, newest first.

        Those of documents that were shown come first, as long as there are any.
        """
        maker, shown = features.words_version(), self._shown.copy()
        with self._database.read() as transaction:
            first = chunks.list_newest(transaction, maker, most=most, of=shown) if shown else []
            return first or chunks.list_newest(transaction, maker, most=most)

    def embed(self, seqs: Sequence[int], pace: Pace = AT_ONCE) -> None:
        """Embed chunks in one batch.

        Raises:
            EmbeddingFailed: the encoder failed; the chunks wait.
        """
        rows = self._load(seqs)
        made = self._embed(rows, pace)
        pace.wait()
        self._repair.store(seqs, _to_made(rows, made))

    def _make_words(self, seqs: Sequence[int]) -> Made:
        rows = self._load(seqs)
        made = _to_made(rows, [*map(features.index_words, _build_texts(rows))])
        return Made(made.points, partial(_save_words, made, rows))

    def _make_staged(self, seqs: Sequence[int]) -> Made:
        rows = self._load(seqs)
        made = self._embed(rows, AT_ONCE)
        assert self._stage is not None  # noqa: S101 - narrows for the checker
        self._stage.save({row.seq: chunk for row, chunk in zip(rows, made, strict=True)})
        return Made(_to_made(rows, made).points)

    def _load(self, seqs: Sequence[int]) -> list[chunks.IndexableChunk]:
        with self._database.read() as transaction:
            return chunks.load_indexable(transaction, seqs)

    def _embed(
        self, rows: Sequence[chunks.IndexableChunk], pace: Pace
    ) -> list[features.IndexedChunk]:
        return features.embed_chunks(self._embedder, _build_texts(rows), pace)


def _build_texts(rows: Sequence[chunks.IndexableChunk]) -> list[str]:
    heads = {text: TableHeads(text) for text in {row.text for row in rows}}
    return [
        features.build_indexed_text(row.title, row.chunk, row.text, heads[row.text]) for row in rows
    ]


def _to_made(rows: Sequence[chunks.IndexableChunk], made: Sequence[features.IndexedChunk]) -> Made:
    indexed = {row.seq: chunk for row, chunk in zip(rows, made, strict=True)}
    points = [
        indexed[row.seq].point(row.seq, features.build_labels(row.space, row.source_id, row.about))
        for row in rows
    ]
    return Made(points, partial(_save_features, indexed))


def _save_words(
    made: Made,
    rows: Sequence[chunks.IndexableChunk],
    transaction: Transaction,
    living: Collection[int],
    /,
) -> None:
    """Save features, and the identifiers that the rules of today find."""
    made.keep(transaction, living)
    chunks.update_keys(transaction, [row for row in rows if row.seq in living])


def _save_features(
    indexed: dict[int, features.IndexedChunk], transaction: Transaction, living: Collection[int], /
) -> None:
    chunks.update_features(
        transaction, {seq: chunk for seq, chunk in indexed.items() if seq in living}
    )
