"""From chunks to points of their index, and the index made to agree with the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wellworn.embedding import Embedder, FloatArray
from wellworn.knowledge import store
from wellworn.storage.sql import Database
from wellworn.storage.vectors import PASSAGES, Labels, Made, Point, Repair, VectorIndex, point_id


class PracticeIndexer:
    """Compares and repairs; safe to run while the memory serves."""

    def __init__(self, database: Database, index: VectorIndex, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._repair = Repair(database, index, living=store.living, made=self._made)

    def missing(self) -> list[int]:
        """Remove points without a chunk; return the chunks without a point."""
        return self._repair.missing()

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index chunks, in batches; `advance` is told how many are done."""
        self._repair.index(seqs, advance)

    def _made(self, seqs: Sequence[int]) -> Made:
        with self._database.read() as transaction:
            rows = store.rows(transaction, seqs)
        made = prepared(self._embedder, [practice.content for _, _, practice in rows])
        return Made(
            [
                point
                for (seq, space, practice), vectors in zip(rows, made, strict=True)
                for point in points(seq, space, practice.domain, vectors)
            ]
        )


def prepared(embedder: Embedder, contents: Sequence[str]) -> list[FloatArray]:
    """Cut and embed chunks, all passages in one go; `(passages, 384)` for each.

    Raises:
        EmbeddingFailed: the encoder failed; nothing was prepared.
    """
    cut = [_passages(embedder, content) for content in contents]
    vectors = embedder.embed([passage for passages in cut for passage in passages])
    made: list[FloatArray] = []
    start = 0
    for passages in cut:
        made.append(vectors[start : start + len(passages)])
        start += len(passages)
    return made


def _passages(embedder: Embedder, content: str) -> list[str]:
    return [content[span.start : span.end] for span in embedder.windows(content)[:PASSAGES]]


def points(seq: int, space: str, domain: str, vectors: FloatArray) -> list[Point]:
    """Return the points of a chunk, one a passage."""
    labels = Labels(space, tags=domains(domain))
    return [
        Point(point_id(seq, number), vector, {}, labels) for number, vector in enumerate(vectors)
    ]


def domains(domain: str) -> frozenset[str]:
    return frozenset({domain.casefold()}) if domain else frozenset()
