"""Best practices' use cases: ingest, and look up by meaning.

Source: thought tracing v0.2.0, section 2; the earlier endpoints keep working unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wellworn.embedding import Embedder
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.ids import named_id
from wellworn.kit.text import is_storable
from wellworn.knowledge import store
from wellworn.knowledge.indexing import PracticeIndexer, domains, passages, point_ids, points
from wellworn.knowledge.models import Practice, PracticeFound
from wellworn.retrieval import best_passages, by_cosine
from wellworn.spaces import Access
from wellworn.storage.sql import Database, Transaction, undo_with
from wellworn.storage.vectors import VectorIndex, Where

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
        vectors = self._embedder.embed(passages(self._embedder, practice.content))
        with self._database.write() as transaction:
            if store.seq_of(transaction, access, practice_id) is not None:
                return practice_id, False
            seq = store.add(
                transaction, access, practice, practice_id=practice_id, now=self._clock.now()
            )
            undo_with(transaction, lambda: self._index.delete(point_ids(seq)))
            self._index.upsert(points(seq, access.space, practice, vectors))
        return practice_id, True

    def query(
        self, access: Access, text: str, *, domain: str | None = None, limit: int = 5
    ) -> list[PracticeFound]:
        """Return the chunks nearest in meaning, best first."""
        vector = self._embedder.embed_query(text)
        where = Where(access.space, any_tags=domains(domain or ""))
        candidates = self._index.candidates(vector, {}, where, limit=_CANDIDATES)
        ranked = by_cosine(best_passages(candidates))
        with self._database.read() as transaction:
            known = store.by_seq(transaction, access, [one.id for one in ranked])
        found = [(one, *known[one.id]) for one in ranked if one.id in known]
        return [
            PracticeFound(practice_id, one.cosine, practice, timestamp)
            for one, practice_id, practice, timestamp in found[:limit]
        ]

    def export(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        """Yield every chunk of the space in the order they were stored."""
        return store.all_practices(transaction, access)

    def take(
        self, transaction: Transaction, access: Access, rows: Sequence[dict[str, Any]]
    ) -> list[int]:
        """Store exported chunks that are new, not yet indexed; return their numbers."""
        return store.take_practices(transaction, access, rows)

    def index(self, seqs: Sequence[int]) -> None:
        """Embed and index stored chunks."""
        PracticeIndexer(self._database, self._index, self._embedder).index(seqs)

    def count(self, access: Access) -> int:
        """Count the indexed passages of the space."""
        return self._index.count(access.space)
