"""Indexes and stages documents: their rows, and their points in the index.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from wellworn.domain.sources import features
from wellworn.domain.sources.document_builder import DocumentDraft
from wellworn.domain.sources.features import IndexedChunk
from wellworn.domain.sources.models import Source
from wellworn.domain.sources.store import chunks, staging
from wellworn.domain.sources.store.staging import StagedDocument
from wellworn.domain.spaces import Access, Mode
from wellworn.engines.embedding import Embedder
from wellworn.engines.safety import find_suspicions
from wellworn.engines.storage.sql import Transaction, split_into_batches, undo_with
from wellworn.engines.storage.vectors import Point, VectorIndex
from wellworn.engines.worker_process import WorkerProcess, open_worker

_MOST_WAITING: Final = 4
"""Batches that were handed over; beyond that, and before the process is up, they are done here."""
_INDEXED_AT_ONCE: Final = 64
_LOOKED_THROUGH: Final = 200_000
"""Characters in which orders are looked for; they are a sign for the owner and no wall."""


@dataclass(frozen=True, slots=True)
class IndexedDraft:
    """A document that is ready to be staged, with its new chunks."""

    document: StagedDocument
    fresh: list[chunks.NewChunk]


def index_draft(draft: DocumentDraft) -> IndexedDraft:
    """Index the new chunks of a document by their words; they are embedded later."""
    return _index(draft, (features.index_words(piece.indexed) for piece in draft.pending))


def embed_drafts(embedder: Embedder, drafts: Sequence[DocumentDraft]) -> list[IndexedDraft]:
    """Embed the new chunks of documents in one run of the encoder.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    texts = [piece.indexed for draft in drafts for piece in draft.pending]
    embedded = iter(features.embed_chunks(embedder, texts))
    return [_index(draft, islice(embedded, len(draft.pending))) for draft in drafts]


def _index(draft: DocumentDraft, indexed: Iterable[IndexedChunk]) -> IndexedDraft:
    text = draft.document.content_text
    fresh = [
        chunks.NewChunk(
            piece.number,
            piece.chunk,
            chunks.extract_keys(text[piece.chunk.start : piece.chunk.end]),
            features.hash_chunk(piece.indexed),
            chunk,
        )
        for piece, chunk in zip(draft.pending, indexed, strict=True)
    ]
    document = _flag_orders(draft.document) if draft.is_foreign else draft.document
    return IndexedDraft(document, fresh)


def _flag_orders(document: StagedDocument) -> StagedDocument:
    reasons = find_suspicions(document.content_text[:_LOOKED_THROUGH])
    if not reasons:
        return document
    flag = f"reads like orders to whoever reads it: {', '.join(reasons)}"
    flags = [*document.metadata.get("flags", ()), flag]
    return replace(document, metadata={**document.metadata, "flags": flags})


class DraftIndexer:
    """Indexes batches of documents by their words, by a process of its own if it has one."""

    def __init__(self, worker: WorkerProcess[DocumentDraft, IndexedDraft] | None) -> None:
        self._worker = worker
        self._waiting: deque[tuple[Sequence[DocumentDraft], Future[list[IndexedDraft]]]] = deque()

    def index(
        self, drafts: Sequence[DocumentDraft], *, is_last: bool = False
    ) -> Iterator[list[IndexedDraft]]:
        """Take a batch; yield the batches that are ready, in order, and behind the last one all."""
        if self._worker is None:
            yield [*map(index_draft, drafts)]
            return
        self._waiting.append((drafts, self._begin(drafts)))
        while self._waiting and (is_last or self._waiting[0][1].done()):
            batch, indexed = self._waiting.popleft()
            # What the process has not begun is not waited for: it may be far behind.
            yield [*map(index_draft, batch)] if indexed.cancel() else indexed.result()

    def _begin(self, drafts: Sequence[DocumentDraft]) -> Future[list[IndexedDraft]]:
        worker = self._worker
        if worker is not None and worker.is_ready and self._count_unready() < _MOST_WAITING:
            return worker.submit(drafts)
        indexed: Future[list[IndexedDraft]] = Future()
        indexed.set_result([*map(index_draft, drafts)])
        return indexed

    def _count_unready(self) -> int:
        return sum(not indexed.done() for _, indexed in self._waiting)


@contextmanager
def open_indexer(access: Access, documents: int) -> Generator[DraftIndexer]:
    """Yield what indexes so many documents; what is sealed stays within this process."""
    is_sealed = access.mode is Mode.SEALED
    with open_worker(index_draft, documents, stays_here=is_sealed) as worker:
        yield DraftIndexer(worker)


def stage_drafts(
    transaction: Transaction,
    index: VectorIndex,
    access: Access,
    source: Source,
    ready: Sequence[IndexedDraft],
) -> None:
    """Stage documents with their chunks; a rollback of the transaction removes all of it.

    Raises:
        IndexUnavailable: the vector index refused the points.
    """
    points: list[Point] = []
    for draft in ready:
        staged_id = staging.add(transaction, source, draft.document)
        seqs = chunks.add(transaction, access, source.id, staged_id, draft.fresh)
        labels = features.build_labels(access.space, source.id, draft.document.metadata)
        points += [
            new.indexed.point(seq, labels) for seq, new in zip(seqs, draft.fresh, strict=True)
        ]
    ids = [point.id for point in points]
    undo_with(transaction, lambda: index.delete(ids))
    # The index holds every other thread up while it takes points in.
    for part in split_into_batches(points, _INDEXED_AT_ONCE):
        index.upsert(part)
