"""Documents made ready, put where they wait to be served: rows, and points of the index.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from wellworn.domain.sources import features
from wellworn.domain.sources.document_builder import Draft
from wellworn.domain.sources.features import Made
from wellworn.domain.sources.models import Source
from wellworn.domain.sources.store import chunks, staging
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Transaction, undo_with
from wellworn.engines.storage.vectors import Point, VectorIndex

Ready = list[tuple[Draft, list[Made]]]
"""Documents, each with what was made of its pieces."""


def embedded(embedder: Embedder, drafts: Sequence[Draft]) -> Ready:
    """Embed the pieces of documents, all of them in one run of the encoder.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    texts = [piece.indexed for draft in drafts for piece in draft.pieces]
    made = iter(features.prepared(embedder, texts))
    return [(draft, list(islice(made, len(draft.pieces)))) for draft in drafts]


def stage(
    transaction: Transaction,
    index: VectorIndex,
    access: Access,
    source: Source,
    ready: Ready,
) -> None:
    """Let documents wait, each with what was made of its pieces; all goes with the transaction.

    Raises:
        IndexUnavailable: the vector index refused the points.
    """
    points: list[Point] = []
    for draft, made in ready:
        number = staging.add(transaction, source, draft.ready)
        fresh = [
            chunks.Fresh(
                piece.number, piece.chunk, piece.text, features.chunk_hash(piece.indexed), one
            )
            for piece, one in zip(draft.pieces, made, strict=True)
        ]
        seqs = chunks.add(transaction, access, source.id, number, fresh)
        labels = features.labels(access.space, source.id, draft.ready.metadata)
        points += [one.point(seq, labels) for seq, one in zip(seqs, made, strict=True)]
    ids = [point.id for point in points]
    undo_with(transaction, lambda: index.delete(ids))
    index.upsert(points)
