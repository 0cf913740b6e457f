"""Tells how far the documents of sources have come: read, found by words, found by meaning."""

from __future__ import annotations

from collections.abc import Collection

from wellworn.domain.sources.features import features_version, list_versions
from wellworn.domain.sources.models import Findable
from wellworn.domain.sources.store import documents
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.store.served import count_findable
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.sources.validation import SourceDependencies
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database


class SourceProgress:
    """Tells how far documents have come; the caller has found their sources before."""

    def __init__(self, database: Database, syncer: Syncer, parts: SourceDependencies) -> None:
        self._database = database
        self._syncer = syncer
        self._embedder = parts.embedder
        self._clock = parts.clock
        self._stale_after_s = parts.settings.stale_after_s

    def count_read(self, source_id: int) -> tuple[int, int] | None:
        """Return how many documents of how many are read, while a source is being synced."""
        return self._syncer.progress(source_id)

    def count_findable(self, access: Access, source_ids: Collection[int]) -> Findable:
        """Count the served documents of sources by what finds them."""
        with self._database.read() as transaction:
            return count_findable(
                transaction,
                access,
                source_ids,
                embedded=features_version(self._embedder),
                usable=list_versions(self._embedder),
            )

    def collect_counts(self, access: Access) -> dict[str, int]:
        """Count by state the sources that the caller may see, and their documents."""
        with self._database.read() as transaction:
            visible = store.list_visible(transaction, access)
            source_ids = [source.id for source in visible]
            states = documents.count_states(transaction, access, source_ids)
            taken_out = documents.count_secret_notes(transaction, access, source_ids)
        findable = self.count_findable(access, source_ids)
        since = self._clock.now() - self._stale_after_s
        return {
            "found_by_words_only": findable.readable - findable.by_meaning,
            "documents": states["current"] + states["stale"],
            "refused": states["refused"],
            "stale_documents": states["stale"],
            "stale_sources": sum(
                source.sync_schedule is not None and (source.last_synced_at or 0.0) < since
                for source in visible
            ),
            "failing_sources": sum(source.failures > 0 for source in visible),
            "secrets_taken_out": taken_out,
        }
