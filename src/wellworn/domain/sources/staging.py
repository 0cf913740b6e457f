"""Indexes and stages documents: their rows, and their points in the index.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from wellworn.domain.sources import features
from wellworn.domain.sources.document_builder import DocumentDraft
from wellworn.domain.sources.features import IndexedChunk
from wellworn.domain.sources.models import Source
from wellworn.domain.sources.store import chunks, staging
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Transaction, undo_with
from wellworn.engines.storage.vectors import Point, VectorIndex

IndexedDrafts = list[tuple[DocumentDraft, list[IndexedChunk]]]
"""Documents with their indexed chunks."""


def index_drafts(drafts: Sequence[DocumentDraft]) -> IndexedDrafts:
    """Index the pending chunks of documents by their words; they are embedded later."""
    return [
        (draft, [features.index_words(piece.indexed) for piece in draft.pending])
        for draft in drafts
    ]


def embed_drafts(embedder: Embedder, drafts: Sequence[DocumentDraft]) -> IndexedDrafts:
    """Embed the pending chunks of documents in one run of the encoder.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    texts = [piece.indexed for draft in drafts for piece in draft.pending]
    indexed = iter(features.embed_chunks(embedder, texts))
    return [(draft, list(islice(indexed, len(draft.pending)))) for draft in drafts]


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
