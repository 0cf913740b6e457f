"""How far the documents of sources have come: read, found by words, found by meaning."""

from __future__ import annotations

from collections.abc import Collection

from wellworn.domain.sources.features import features_version, list_versions
from wellworn.domain.sources.models import Findable
from wellworn.domain.sources.store.findable import count_findable
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database


class SourceProgress:
    """Tells how far documents have come; whoever asks has found their sources before."""

    def __init__(self, database: Database, syncer: Syncer, embedder: Embedder) -> None:
        self._database = database
        self._syncer = syncer
        self._embedder = embedder

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
