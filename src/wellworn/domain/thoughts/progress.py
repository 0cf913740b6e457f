"""Tells how far thoughts have come: found by words, found by meaning."""

from __future__ import annotations

from collections.abc import Iterable

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FindableThoughts
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store.findable import count_findable
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.storage.sql import Database


class ThoughtProgress:
    """Tells how far thoughts have come."""

    def __init__(self, database: Database, versions: FeatureVersions) -> None:
        self._database = database
        self._versions = versions

    def count_findable(
        self, access: Access, thought_ids: Iterable[str] | None = None
    ) -> FindableThoughts:
        """Count thoughts by what finds them, all of the space or those of these ids."""
        with self._database.read() as transaction:
            among = None
            if thought_ids is not None:
                among = set(rows.find_seqs(transaction, access, thought_ids).values())
            return count_findable(transaction, access, self._versions, among=among)
