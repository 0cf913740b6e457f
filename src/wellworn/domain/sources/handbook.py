"""The handbook of a space: a built-in source of documents that callers add one by one.

There is nothing to fetch, so it has no connector: it is searched and removed like any other source,
and neither synced nor changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from wellworn.domain.sources.document_builder import DocumentBuilder, pipeline_version
from wellworn.domain.sources.features import domain_label, source_label
from wellworn.domain.sources.models import SyncStatus
from wellworn.domain.sources.staging import IndexedDraft, embed_drafts, stage_drafts
from wellworn.domain.sources.store import chunks, documents, served, staging
from wellworn.domain.sources.store import handbook as store
from wellworn.domain.sources.store import sources as sources_store
from wellworn.domain.sources.store.exports import export_documents
from wellworn.domain.sources.validation import SourceDependencies
from wellworn.domain.spaces import Access, upkeep_access
from wellworn.engines.embedding import FloatArray
from wellworn.engines.retrieval import merge_passages, rank_by_cosine
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Lose, Transaction
from wellworn.engines.storage.vectors import VectorIndex, Where, point_id, unit_of

NAME: Final = store.NAME
_CANDIDATES: Final = 100
_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True)
class HandbookEntry:
    """A document without secrets; its path is its name in the handbook."""

    path: str
    text: str
    metadata: Mapping[str, Any]
    given_at: float
    document_id: int | None = None


class Handbook:
    """The handbooks of one database; they share the index of all chunks."""

    def __init__(self, database: Database, index: VectorIndex, parts: SourceDependencies) -> None:
        self._database = database
        self._index = index
        self._embedder = parts.embedder
        self._clock = parts.clock
        self.builder = DocumentBuilder(
            parts.extractor, parts.embedder, chunk_pieces=parts.settings.chunk_pieces
        )

    def prepare(self, access: Access, entries: Sequence[HandbookEntry]) -> list[IndexedDraft]:
        """Cut and embed what is not in the handbook yet, each path once.

        Raises:
            EmbeddingFailed: the encoder failed.
        """
        first = {entry.path: entry for entry in reversed(entries)}
        with self._database.read() as transaction:
            known = self._filter_existing(transaction, access, list(first))
        return self._embed([entry for entry in reversed(first.values()) if entry.path not in known])

    def _embed(self, entries: Sequence[HandbookEntry]) -> list[IndexedDraft]:
        drafts = [
            self.builder.build_from_text(
                entry.text,
                path=entry.path,
                document_id=entry.document_id,
                title=None,
                metadata=entry.metadata,
                fetched_at=entry.given_at,
                item_version="",
                raw_hash="",
            )
            for entry in entries
        ]
        return embed_drafts(self._embedder, drafts)

    def add(self, transaction: Transaction, access: Access, ready: Sequence[IndexedDraft]) -> int:
        """Publish the prepared documents that are still new; return their number.

        Raises:
            IndexUnavailable: the vector index refused the points.
        """
        known = self._filter_existing(transaction, access, [draft.document.path for draft in ready])
        new = [draft for draft in ready if draft.document.path not in known]
        self._publish(transaction, access, new)
        return len(new)

    def _filter_existing(
        self, transaction: Transaction, access: Access, paths: Sequence[str]
    ) -> set[str]:
        source = store.find_source(transaction, access)
        return set() if source is None else store.filter_existing(transaction, source, paths)

    def _publish(
        self, transaction: Transaction, access: Access, ready: Sequence[IndexedDraft]
    ) -> None:
        if not ready:
            return
        now = self._clock.now()
        source = store.ensure_source(transaction, access, now=now)
        stage_drafts(transaction, self._index, access, source, ready)
        _, gone = staging.publish(transaction, access, source)
        self._index.delete([point_id(seq, 0) for seq in gone])
        sources_store.record_attempt(
            transaction, source, sync_status=SyncStatus.SUCCESS, last_synced_at=now
        )

    # ------------------------------------------------------------ reading

    def search(
        self, access: Access, text: str, *, domain: str | None, limit: int
    ) -> list[tuple[float, documents.DocumentText]]:
        """Return the documents nearest in meaning by their best chunks, with the cosine of each.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: the search failed.
        """
        vector = self._embedder.encode_query(redact(text).text).vector
        with self._database.read() as transaction:
            source = store.find_source(transaction, access)
        labels = {source_label(source.id if source else 0)}
        if domain:
            labels.add(domain_label(domain))
        best = self._find_best(
            access, vector, Where(access.space, all_tags=frozenset(labels)), limit
        )
        with self._database.read() as transaction:
            texts = documents.load_texts(transaction, access, list(best))
        known = {text.document.id: text for text in texts}
        return [(cosine, known[id_]) for id_, cosine in best.items() if id_ in known]

    def _find_best(
        self, access: Access, vector: FloatArray, where: Where, limit: int
    ) -> dict[int, float]:
        """Return documents with the cosine of their best chunk, the best first."""
        most = _CANDIDATES
        while True:
            candidates = self._index.candidates(vector, {}, where, limit=most)
            ranked = rank_by_cosine(merge_passages(candidates, unit_of))
            with self._database.read() as transaction:
                rows = chunks.load_visible(transaction, access, [match.id for match in ranked])
            best: dict[int, float] = {}
            for match in ranked:
                if match.id in rows:
                    best.setdefault(rows[match.id].document_id, match.cosine)
            if len(best) >= limit or len(candidates) < most:
                return dict(islice(best.items(), limit))
            # One long document may have had every place.
            most *= 4

    def load_metadata(
        self, transaction: Transaction, access: Access
    ) -> list[tuple[int, dict[str, Any]]]:
        """Return number and metadata of every document, oldest first."""
        source = store.find_source(transaction, access)
        return [] if source is None else store.load_metadata(transaction, source)

    def load_texts(
        self, transaction: Transaction, access: Access, ids: Sequence[int]
    ) -> list[documents.DocumentText]:
        """Return documents with their words, in the order of their numbers here."""
        known = {text.document.id: text for text in documents.load_texts(transaction, access, ids)}
        return [known[id_] for id_ in ids if id_ in known]

    def export_records(self, access: Access, lose: Lose) -> Iterator[dict[str, Any]]:
        """Yield every document as a record, oldest first."""
        with self._database.read() as transaction:
            source = store.find_source(transaction, access)
        if source is None:
            return iter(())
        return export_documents(self._database, source, lose, kind="practice")

    def count(self, access: Access) -> int:
        """Count the documents."""
        with self._database.read() as transaction:
            source = store.find_source(transaction, access)
            return 0 if source is None else store.count(transaction, source)

    # ------------------------------------------------------------ repair

    def missing(self) -> list[int]:
        """Return the documents of all open spaces that were cut by other rules, or not yet."""
        with self._database.read() as transaction:
            return store.list_outdated(transaction, pipeline_version())

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Cut and embed documents again, in batches; `advance` is told how many are done."""
        for start in range(0, len(seqs), _AT_ONCE):
            part = seqs[start : start + _AT_ONCE]
            with self._database.read() as transaction:
                spaces = store.list_spaces(transaction, part)
            for space in spaces:
                self._rebuild(upkeep_access(space), part)
            advance(start + len(part))

    def _rebuild(self, access: Access, ids: Sequence[int]) -> None:
        with self._database.read() as transaction:
            entries = [_to_entry(text) for text in documents.load_texts(transaction, access, ids)]
        ready = self._embed(entries)
        with self._database.write() as transaction:
            # What was removed meanwhile does not come back.
            here = served.load_contents(transaction, access, ids)
            left = [draft for draft in ready if draft.document.document_id in here]
            self._publish(transaction, access, left)


def _to_entry(text: documents.DocumentText) -> HandbookEntry:
    document = text.document
    return HandbookEntry(
        document.path, text.text, document.metadata, document.fetched_at, document.id
    )
