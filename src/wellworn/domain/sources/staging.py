"""Indexes and stages documents: their rows, and their points in the index.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import islice
from typing import Final

from wellworn.domain.sources import features
from wellworn.domain.sources.document_builder import DocumentDraft
from wellworn.domain.sources.features import IndexedChunk
from wellworn.domain.sources.models import Source
from wellworn.domain.sources.store import chunks, staging
from wellworn.domain.spaces import Access, Mode
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Transaction, undo_with
from wellworn.engines.storage.vectors import Point, VectorIndex
from wellworn.engines.worker_process import WorkerProcess, open_worker

IndexedDrafts = list[tuple[DocumentDraft, list[IndexedChunk]]]
"""Documents with their indexed chunks."""

_MOST_WAITING: Final = 4
"""Batches that were handed over; beyond that, and before the process is up, they are done here."""


def index_drafts(drafts: Sequence[DocumentDraft]) -> IndexedDrafts:
    """Index the pending chunks of documents by their words; they are embedded later."""
    return _distribute(drafts, map(features.index_words, _list_texts(drafts)))


def embed_drafts(embedder: Embedder, drafts: Sequence[DocumentDraft]) -> IndexedDrafts:
    """Embed the pending chunks of documents in one run of the encoder.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    return _distribute(drafts, features.embed_chunks(embedder, _list_texts(drafts)))


def _list_texts(drafts: Sequence[DocumentDraft]) -> list[str]:
    return [piece.indexed for draft in drafts for piece in draft.pending]


def _distribute(drafts: Sequence[DocumentDraft], indexed: Iterable[IndexedChunk]) -> IndexedDrafts:
    chunks_left = iter(indexed)
    return [(draft, list(islice(chunks_left, len(draft.pending)))) for draft in drafts]


class DraftIndexer:
    """Indexes batches of documents by their words, by a process of its own if it has one."""

    def __init__(self, worker: WorkerProcess[str, IndexedChunk] | None) -> None:
        self._worker = worker
        self._waiting: deque[tuple[Sequence[DocumentDraft], Future[list[IndexedChunk]]]] = deque()

    def index(
        self, drafts: Sequence[DocumentDraft], *, is_last: bool = False
    ) -> Iterator[IndexedDrafts]:
        """Take a batch; yield the batches that are ready, in order, and behind the last one all."""
        if self._worker is None:
            yield index_drafts(drafts)
            return
        self._waiting.append((drafts, self._begin(_list_texts(drafts))))
        while self._waiting and (is_last or self._waiting[0][1].done()):
            batch, indexed = self._waiting.popleft()
            # What the process has not begun is not waited for: it may be far behind.
            yield index_drafts(batch) if indexed.cancel() else _distribute(batch, indexed.result())

    def _begin(self, texts: Sequence[str]) -> Future[list[IndexedChunk]]:
        worker = self._worker
        if worker is not None and worker.is_ready and self._count_unready() < _MOST_WAITING:
            return worker.submit(texts)
        indexed: Future[list[IndexedChunk]] = Future()
        indexed.set_result([*map(features.index_words, texts)])
        return indexed

    def _count_unready(self) -> int:
        return sum(not indexed.done() for _, indexed in self._waiting)


@contextmanager
def open_indexer(access: Access, documents: int) -> Generator[DraftIndexer]:
    """Yield what indexes so many documents; what is sealed stays within this process."""
    is_sealed = access.mode is Mode.SEALED
    with open_worker(features.index_words, documents, stays_here=is_sealed) as worker:
        yield DraftIndexer(worker)


def stage_drafts(
    transaction: Transaction,
    index: VectorIndex,
    access: Access,
    source: Source,
    ready: IndexedDrafts,
) -> None:
    """Stage documents with their chunks; a rollback of the transaction removes all of it.

    Raises:
        IndexUnavailable: the vector index refused the points.
    """
    points: list[Point] = []
    for draft, indexed in ready:
        staged_id = staging.add(transaction, source, draft.document)
        fresh = [
            chunks.NewChunk(
                piece.number, piece.chunk, piece.keys, features.hash_chunk(piece.indexed), chunk
            )
            for piece, chunk in zip(draft.pending, indexed, strict=True)
        ]
        seqs = chunks.add(transaction, access, source.id, staged_id, fresh)
        labels = features.build_labels(access.space, source.id, draft.document.metadata)
        points += [chunk.point(seq, labels) for seq, chunk in zip(seqs, indexed, strict=True)]
    ids = [point.id for point in points]
    undo_with(transaction, lambda: index.delete(ids))
    index.upsert(points)
