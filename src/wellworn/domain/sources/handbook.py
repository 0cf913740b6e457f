"""The handbook of a space: a source that is built in, of documents that callers give one by one.

There is nothing to be fetched, so no connector stands behind it: it is searched and removed like
any other source, and neither synced nor changed.

Source: issue 5, point 7; thought tracing v0.2.0, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from wellworn.domain.sources.document_builder import Maker, maker
from wellworn.domain.sources.features import domain_label, source_label
from wellworn.domain.sources.models import SyncStatus
from wellworn.domain.sources.staging import Ready, embedded, stage
from wellworn.domain.sources.store import chunks, documents, staging
from wellworn.domain.sources.store import handbook as store
from wellworn.domain.sources.store import sources as sources_store
from wellworn.domain.sources.validation import Parts
from wellworn.domain.spaces import Access, upkeep_access
from wellworn.engines.embedding import FloatArray
from wellworn.engines.retrieval import merge_passages, rank_by_cosine
from wellworn.engines.safety import redacted
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex, Where, point_id, unit_of

NAME: Final = store.NAME
_CANDIDATES: Final = 100
_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True)
class Given:
    """A document as it was given, without secrets; its path is its name in the handbook."""

    path: str
    text: str
    metadata: Mapping[str, Any]
    given_at: float
    document_id: int | None = None


class Handbook:
    """The handbooks of one room; its index is that of all chunks."""

    def __init__(self, database: Database, index: VectorIndex, parts: Parts) -> None:
        self._database = database
        self._index = index
        self._embedder = parts.embedder
        self._clock = parts.clock
        self.maker = Maker(
            parts.extractor, parts.embedder, chunk_pieces=parts.settings.chunk_pieces
        )

    def prepared(self, access: Access, given: Sequence[Given]) -> Ready:
        """Cut and embed what is not in the handbook yet, each path once.

        Raises:
            EmbeddingFailed: the encoder failed.
        """
        first = {one.path: one for one in reversed(given)}
        with self._database.read() as transaction:
            known = self._known(transaction, access, list(first))
        return self._prepared([one for one in reversed(first.values()) if one.path not in known])

    def _prepared(self, given: Sequence[Given]) -> Ready:
        drafts = [
            self.maker.remade(
                one.text,
                path=one.path,
                document_id=one.document_id,
                title=None,
                metadata=one.metadata,
                fetched_at=one.given_at,
                item_version="",
                raw_hash="",
            )
            for one in given
        ]
        return embedded(self._embedder, drafts)

    def add(self, transaction: Transaction, access: Access, ready: Ready) -> int:
        """Serve what was prepared and has not come since; return how many that were.

        Raises:
            IndexUnavailable: the vector index refused the points.
        """
        known = self._known(transaction, access, [draft.ready.path for draft, _ in ready])
        new = [one for one in ready if one[0].ready.path not in known]
        self._place(transaction, access, new)
        return len(new)

    def _known(self, transaction: Transaction, access: Access, paths: Sequence[str]) -> set[str]:
        source = store.found(transaction, access)
        return set() if source is None else store.known(transaction, source, paths)

    def _place(self, transaction: Transaction, access: Access, ready: Ready) -> None:
        if not ready:
            return
        now = self._clock.now()
        source = store.made(transaction, access, now=now)
        stage(transaction, self._index, access, source, ready)
        _, gone = staging.put_in_place(transaction, access, source)
        self._index.delete([point_id(seq, 0) for seq in gone])
        sources_store.note_attempt(
            transaction, source, sync_status=SyncStatus.SUCCESS, last_synced_at=now
        )

    # ------------------------------------------------------------ reading

    def nearest(
        self, access: Access, text: str, *, domain: str | None, limit: int
    ) -> list[tuple[float, documents.Text]]:
        """Return the documents nearest in meaning by their best chunks, with the cosine of each.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: the search failed.
        """
        vector = self._embedder.encode_query(redacted(text).text).vector
        with self._database.read() as transaction:
            source = store.found(transaction, access)
        labels = {source_label(source.id if source else 0)}
        if domain:
            labels.add(domain_label(domain))
        best = self._best(access, vector, Where(access.space, all_tags=frozenset(labels)), limit)
        with self._database.read() as transaction:
            texts = documents.texts(transaction, access, list(best))
        known = {one.document.id: one for one in texts}
        return [(cosine, known[one]) for one, cosine in best.items() if one in known]

    def _best(
        self, access: Access, vector: FloatArray, where: Where, limit: int
    ) -> dict[int, float]:
        """Return documents with the cosine of their best chunk, the best first."""
        most = _CANDIDATES
        while True:
            candidates = self._index.candidates(vector, {}, where, limit=most)
            ranked = rank_by_cosine(merge_passages(candidates, unit_of))
            with self._database.read() as transaction:
                rows = chunks.rows(transaction, access, [one.id for one in ranked])
            best: dict[int, float] = {}
            for one in ranked:
                if one.id in rows:
                    best.setdefault(rows[one.id].document_id, one.cosine)
            if len(best) >= limit or len(candidates) < most:
                return dict(islice(best.items(), limit))
            # One long document may have had every place.
            most *= 4

    def abouts(self, transaction: Transaction, access: Access) -> list[tuple[int, dict[str, Any]]]:
        """Return number and metadata of every document, oldest first."""
        source = store.found(transaction, access)
        return [] if source is None else store.abouts(transaction, source)

    def texts(
        self, transaction: Transaction, access: Access, ids: Sequence[int]
    ) -> list[documents.Text]:
        """Return documents with their words, in the order of their numbers here."""
        known = {one.document.id: one for one in documents.texts(transaction, access, ids)}
        return [known[one] for one in ids if one in known]

    def records(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        """Yield every document as a record, oldest first."""
        source = store.found(transaction, access)
        return iter(()) if source is None else documents.exported(transaction, source)

    def count(self, access: Access) -> int:
        """Count the documents."""
        with self._database.read() as transaction:
            source = store.found(transaction, access)
            return 0 if source is None else store.count(transaction, source)

    # ------------------------------------------------------------ repair

    def missing(self) -> list[int]:
        """Return the documents of all open spaces that were cut by other rules, or not yet."""
        with self._database.read() as transaction:
            return store.outdated(transaction, maker())

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Cut and embed documents anew, in batches; `advance` is told how many are done."""
        for start in range(0, len(seqs), _AT_ONCE):
            part = seqs[start : start + _AT_ONCE]
            with self._database.read() as transaction:
                spaces = store.spaces(transaction, part)
            for space in spaces:
                self._remake(upkeep_access(space), part)
            advance(start + len(part))

    def _remake(self, access: Access, ids: Sequence[int]) -> None:
        with self._database.read() as transaction:
            given = [_given(one) for one in documents.texts(transaction, access, ids)]
        ready = self._prepared(given)
        with self._database.write() as transaction:
            # What was removed meanwhile does not come back.
            here = documents.words(transaction, access, ids)
            left = [one for one in ready if one[0].ready.document_id in here]
            self._place(transaction, access, left)


def _given(one: documents.Text) -> Given:
    kept = one.document
    return Given(kept.path, one.text, kept.metadata, kept.fetched_at, kept.id)
