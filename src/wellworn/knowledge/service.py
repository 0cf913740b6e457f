"""Best practices' use cases: ingest, and look up by meaning.

Source: thought tracing v0.2.0, section 2; the earlier endpoints keep working unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wellworn.embedding import Embedder, FloatArray
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.ids import named_id
from wellworn.kit.text import is_storable
from wellworn.knowledge import store
from wellworn.knowledge.indexing import domains, points, prepared
from wellworn.knowledge.models import Chunk, Practice, PracticeFile, PracticeFound
from wellworn.retrieval import best_passages, by_cosine
from wellworn.safety import redacted
from wellworn.spaces import Access
from wellworn.storage.sql import Database, Transaction, undo_with
from wellworn.storage.vectors import Point, VectorIndex, Where, points_in, unit_of

_CANDIDATES = 50


class Knowledge:
    """What can be done with best practices; every method needs an Access."""

    def __init__(
        self, database: Database, index: VectorIndex, embedder: Embedder, clock: Clock
    ) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder
        self._clock = clock

    def ingest(self, access: Access, practice: Practice) -> tuple[str, bool]:
        """Store a chunk; return its id and whether it was new. The same chunk is stored once.

        Raises:
            InvalidInput: the content is empty or not storable.
        """
        practice = _without_secrets(practice)
        if not practice.content.strip():
            message = "content is required and must be a non-empty string"
            raise InvalidInput(message)
        texts = (practice.content, practice.domain, practice.source, practice.file_path)
        if not all(is_storable(text) for text in texts):
            message = "text must not contain NUL or unpaired surrogate characters"
            raise InvalidInput(message)
        practice_id = named_id(
            practice.domain, practice.file_path, str(practice.chunk_index), practice.content
        )
        [vectors] = prepared(self._embedder, [practice.content])
        with self._database.write() as transaction:
            if store.seq_of(transaction, access, practice_id) is not None:
                return practice_id, False
            seq = store.add(
                transaction, access, practice, practice_id=practice_id, now=self._clock.now()
            )
            self._place(transaction, points(seq, access.space, practice.domain, vectors))
        return practice_id, True

    def _place(self, transaction: Transaction, made: Sequence[Point]) -> None:
        """Index points; if the transaction fails they go again."""
        ids = [point.id for point in made]
        undo_with(transaction, lambda: self._index.delete(ids))
        self._index.upsert(made)

    def query(
        self, access: Access, text: str, *, domain: str | None = None, limit: int = 5
    ) -> list[PracticeFound]:
        """Return the chunks nearest in meaning, best first."""
        vector = self._embedder.encode_query(redacted(text).text).vector
        where = Where(access.space, any_tags=domains(domain or ""))
        candidates = self._index.candidates(vector, {}, where, limit=_CANDIDATES)
        ranked = by_cosine(best_passages(candidates, unit_of))
        with self._database.read() as transaction:
            known = store.by_seq(transaction, access, [one.id for one in ranked])
        found = [(one, *known[one.id]) for one in ranked if one.id in known]
        return [
            PracticeFound(practice_id, one.cosine, practice, timestamp)
            for one, practice_id, practice, timestamp in found[:limit]
        ]

    def files(self, transaction: Transaction, access: Access) -> list[PracticeFile]:
        """Return every file that chunks of the space are of, oldest first."""
        return store.files(transaction, access)

    def chunks(
        self, transaction: Transaction, access: Access, file: PracticeFile, *, limit: int
    ) -> list[Chunk]:
        """Return the first `limit` chunks of a file, in its order."""
        return store.chunks(transaction, access, file, limit=limit)

    def export(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        """Yield every chunk of the space in the order they were stored."""
        return store.all_practices(transaction, access)

    def prepare(self, access: Access, rows: Sequence[dict[str, Any]]) -> dict[str, FloatArray]:
        """Embed exported chunks that are new; return the vectors of each by its id.

        Raises:
            EmbeddingFailed: the encoder failed.
        """
        with self._database.read() as transaction:
            new = store.unknown(transaction, access, rows)
        made = prepared(self._embedder, [row["content"] for row in new])
        return {row["id"]: vectors for row, vectors in zip(new, made, strict=True)}

    def take(
        self,
        transaction: Transaction,
        access: Access,
        rows: Sequence[dict[str, Any]],
        vectors: Mapping[str, FloatArray],
    ) -> int:
        """Store and index exported chunks that are new, with what was prepared; return how many.

        Raises:
            IndexUnavailable: the vector index refused the points.
        """
        new = store.unknown(transaction, access, rows)
        seqs = store.add_all(transaction, access, new)
        made = [
            point
            for row in new
            # One that was purged since it was prepared for is left to the repair.
            if (found := vectors.get(row["id"])) is not None
            for point in points(seqs[row["id"]], access.space, row["domain"], found)
        ]
        self._place(transaction, made)
        return len(new)

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Delete all chunks of the space, in the caller's transaction."""
        seqs = store.purge(transaction, access)
        self._index.delete(points_in(self._index, seqs))

    def count(self, access: Access) -> int:
        """Count the indexed passages of the space."""
        return self._index.count(access.space)


def _without_secrets(practice: Practice) -> Practice:
    return replace(
        practice,
        content=redacted(practice.content).text,
        domain=redacted(practice.domain).text,
        source=redacted(practice.source).text,
        file_path=redacted(practice.file_path).text,
        file_name=redacted(practice.file_name).text,
    )
