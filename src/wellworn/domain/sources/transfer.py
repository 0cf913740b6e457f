"""Sources and documents out as records and in again.

What was chunked and embedded follows from a document's text and is made anew. A source's secret
does not travel: it is asked for again. What is known already, by its name or path, is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wellworn.domain.sources.document_builder import Maker
from wellworn.domain.sources.models import NewSource, Source, SourceType
from wellworn.domain.sources.store import documents
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Transaction

Create = Callable[[Access, NewSource], Source]


class Exchange:
    """Takes a space's sources out and in."""

    def __init__(self, database: Database, maker: Maker, syncer: Syncer, create: Create) -> None:
        self._database = database
        self._maker = maker
        self._syncer = syncer
        self._create = create

    def records(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        """Yield the sources that the caller may see, then their documents; not what is built in."""
        visible = _made_by_people(store.visible(transaction, access))
        for one in visible:
            yield {
                "record": "source",
                "name": one.name,
                "source_type": one.source_type,
                "config": dict(one.config),
                "sync_schedule": one.sync_schedule,
                "time_zone": one.time_zone,
                "agents": None if one.agents is None else list(one.agents),
            }
        for one in visible:
            yield from documents.exported(transaction, one)

    def take(
        self,
        access: Access,
        sources: Sequence[Mapping[str, Any]],
        given: Sequence[Mapping[str, Any]],
    ) -> int:
        """Store what is new; return how many records that was.

        Raises:
            InvalidInput, Forbidden: a source cannot be, here or for this caller.
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: some may be stored; send again.
        """
        with self._database.read() as transaction:
            known = {one.name: one for one in _made_by_people(store.visible(transaction, access))}
        taken = 0
        for one in sources:
            if one["name"] not in known:
                known[one["name"]] = self._create(access, _new(one))
                taken += 1
        for name, source in known.items():
            taken += self._take_documents(
                access, source, [one for one in given if one["source"] == name]
            )
        return taken

    def _take_documents(
        self, access: Access, source: Source, given: Sequence[Mapping[str, Any]]
    ) -> int:
        if not given:
            return 0
        with self._database.read() as transaction:
            here = {one.path for one in documents.known(transaction, source)}
        new = {one["path"]: one for one in given if one["path"] not in here}
        drafts = [
            self._maker.remade(
                one["content"],
                path=one["path"],
                title=one["title"],
                metadata=one["metadata"],
                fetched_at=one["fetched_at"],
                item_version=one["item_version"],
                raw_hash=one["raw_hash"],
            )
            for one in new.values()
        ]
        self._syncer.bring(access, source, drafts)
        return len(drafts)


def _made_by_people(sources: Sequence[Source]) -> list[Source]:
    return [one for one in sources if one.source_type != SourceType.HANDBOOK]


def _new(given: Mapping[str, Any]) -> NewSource:
    agents = given["agents"]
    return NewSource(
        given["source_type"],
        given["name"],
        given["config"],
        sync_schedule=given["sync_schedule"],
        time_zone=given["time_zone"],
        agents=None if agents is None else tuple(agents),
    )
