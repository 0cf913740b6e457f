"""Export and import of sources and documents as records.

Chunks and vectors follow from a document's text, so an import makes them again. A source's secret
is not exported; the user enters it again. Sources and paths that exist already are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wellworn.domain.sources.document_builder import DocumentBuilder
from wellworn.domain.sources.models import NewSource, Source, SourceType
from wellworn.domain.sources.store import documents
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.store.exports import export_documents, list_visible_ids, read_sources
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Lose, Transaction

Create = Callable[[Access, NewSource], Source]


class SourceTransfer:
    """Exports and imports the sources of a space."""

    def __init__(
        self, database: Database, maker: DocumentBuilder, syncer: Syncer, create: Create
    ) -> None:
        self._database = database
        self._builder = maker
        self._syncer = syncer
        self._create = create

    def export_records(self, access: Access, lose: Lose) -> Iterator[dict[str, Any]]:
        """Yield the sources that the caller may see, except built-in ones, then their documents."""
        readable = read_sources(self._database, access, lose)
        visible = _exclude_built_in(
            [source for source in readable if store.is_visible_to(access, source.agents)]
        )
        for source in visible:
            yield {
                "record": "source",
                "name": source.name,
                "source_type": source.source_type,
                "config": dict(source.config),
                "sync_schedule": source.sync_schedule,
                "time_zone": source.time_zone,
                "agents": None if source.agents is None else list(source.agents),
            }
        for source in visible:
            yield from export_documents(self._database, source, lose)

    def list_visible_ids(self, transaction: Transaction, access: Access) -> set[int]:
        """Return the served documents that the caller may see."""
        return list_visible_ids(transaction, access)

    def import_records(
        self,
        access: Access,
        sources: Sequence[Mapping[str, Any]],
        records: Sequence[Mapping[str, Any]],
    ) -> int:
        """Store what is new; return how many records that was.

        Raises:
            InvalidInput, Forbidden: a source cannot be, here or for this caller.
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: some may be stored; send again.
        """
        with self._database.read() as transaction:
            known = {
                source.name: source
                for source in _exclude_built_in(store.list_visible(transaction, access))
            }
        imported = 0
        for record in sources:
            if record["name"] not in known:
                known[record["name"]] = self._create(access, _to_new_source(record))
                imported += 1
        for name, source in known.items():
            imported += self._import_documents(
                access, source, [record for record in records if record["source"] == name]
            )
        return imported

    def _import_documents(
        self, access: Access, source: Source, records: Sequence[Mapping[str, Any]]
    ) -> int:
        if not records:
            return 0
        with self._database.read() as transaction:
            here = {document.path for document in documents.list_known(transaction, source)}
        new = {record["path"]: record for record in records if record["path"] not in here}
        drafts = [
            self._builder.build_from_text(
                record["content"],
                path=record["path"],
                title=record["title"],
                metadata=record["metadata"],
                fetched_at=record["fetched_at"],
                item_version=record["item_version"],
                raw_hash=record["raw_hash"],
            )
            for record in new.values()
        ]
        self._syncer.add_drafts(access, source, drafts)
        return len(drafts)


def _exclude_built_in(sources: Sequence[Source]) -> list[Source]:
    return [source for source in sources if source.source_type != SourceType.HANDBOOK]


def _to_new_source(record: Mapping[str, Any]) -> NewSource:
    agents = record["agents"]
    return NewSource(
        record["source_type"],
        record["name"],
        record["config"],
        sync_schedule=record["sync_schedule"],
        time_zone=record["time_zone"],
        agents=None if agents is None else tuple(agents),
    )
