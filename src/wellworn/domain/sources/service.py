"""What can be done with sources: kept, synced, listed, searched, read.

Source: knowledge sync v1.0, sections 3 to 6; issue 5, points 1 to 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wellworn.domain.sources.connectors import Item
from wellworn.domain.sources.document_builder import raw_hash
from wellworn.domain.sources.features import maker
from wellworn.domain.sources.handbook import NAME, Handbook
from wellworn.domain.sources.models import (
    Document,
    NewSource,
    Run,
    SecretNote,
    Snippet,
    Source,
    SourceChanges,
    SourceType,
)
from wellworn.domain.sources.safe_paths import clean
from wellworn.domain.sources.schedule import JOB, job_key, slot_of
from wellworn.domain.sources.search import Query, Searcher
from wellworn.domain.sources.store import chunks, documents, runs, staging
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.sources.transfer import Exchange
from wellworn.domain.sources.validation import Checks, Parts, checked_path, refuse_built_in
from wellworn.domain.spaces import Access, checked_name
from wellworn.engines.embedding import Encoded
from wellworn.engines.jobs import DueJob
from wellworn.engines.safety import redacted
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex, point_id
from wellworn.errors import DocumentNotFound, InvalidInput, SourceNotFound


class Sources:
    """The sources of one room; every method needs an Access."""

    def __init__(self, database: Database, index: VectorIndex, parts: Parts) -> None:
        self._database = database
        self._index = index
        self._clock = parts.clock
        self._embedder = parts.embedder
        self._checks = Checks(parts)
        self._settings = parts.settings
        self._searcher = Searcher(database, index, made_by=maker(parts.embedder))
        self.handbook = Handbook(database, index, parts)
        self._syncer = Syncer(
            database,
            index,
            parts.embedder,
            parts.clock,
            parts.settings,
            made_by=self.handbook.maker,
            kinds=dict(parts.kinds),
        )
        self.exchange = Exchange(database, self.handbook.maker, self._syncer, self.create)

    # ------------------------------------------------------------ sources

    def create(self, access: Access, new: NewSource) -> Source:
        """Keep a new source; nothing is fetched yet.

        Raises:
            InvalidInput: its kind, name, configuration or schedule cannot be.
            Forbidden: it is a folder that this caller may not name.
        """
        config, secret = self._checks.configuration(access, new.source_type, new.config, new.secret)
        name = checked_name(redacted(new.name).text)
        self._checks.schedule(new.sync_schedule, new.time_zone)
        now = self._clock.now()
        with self._database.write() as transaction:
            if len(store.visible(transaction, access)) >= self._settings.most_sources:
                raise InvalidInput("the space has as many sources as it may; remove one first")
            self._refuse_taken(transaction, access, name)
            made = NewSource(
                new.source_type,
                name,
                config,
                sync_schedule=new.sync_schedule or None,
                time_zone=new.time_zone,
                agents=new.agents,
            )
            source_id = store.add(
                transaction, access, made, secret=self._checks.wrapped(access, secret), now=now
            )
            return store.without_secrets(self._found(transaction, access, source_id))

    def change(self, access: Access, source_id: int, changes: SourceChanges) -> Source:
        """Change what is set of a source; documents stay until its next sync.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            InvalidInput, Forbidden: as in `create`.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            source = self._found(transaction, access, source_id)
            refuse_built_in(source)
            values = self._changed(transaction, access, source, changes)
            store.change(transaction, source, now=now, **values)
            return self._syncer.recorder.shown(self._found(transaction, access, source_id))

    def _changed(
        self, transaction: Transaction, access: Access, source: Source, changes: SourceChanges
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if (
            changes.name is not None
            and (name := checked_name(redacted(changes.name).text)) != source.name
        ):
            self._refuse_taken(transaction, access, name)
            values["name"] = name
        if changes.config is not None or changes.secret is not None:
            given = changes.config if changes.config is not None else source.config
            config, secret = self._checks.configuration(
                access, source.source_type, given, changes.secret
            )
            # What was seen of another place says nothing of this one.
            values |= {"config": config, "state": {}}
            if secret is not None:
                values["secret"] = self._checks.wrapped(access, secret) if secret else None
        schedule = changes.sync_schedule
        if schedule is not None or changes.time_zone is not None:
            zone = changes.time_zone or source.time_zone
            schedule = source.sync_schedule if schedule is None else schedule or None
            self._checks.schedule(schedule, zone)
            values |= {"sync_schedule": schedule, "time_zone": zone}
        if changes.agents is not None or changes.everybody:
            values["agents"] = None if changes.everybody else changes.agents
        if changes.is_paused is not None:
            values["is_paused"] = changes.is_paused
        return values

    def all(self, access: Access) -> list[Source]:
        """Return the sources that the caller may see, oldest first."""
        with self._database.read() as transaction:
            return [self._syncer.recorder.shown(one) for one in store.visible(transaction, access)]

    def source(self, access: Access, source_id: int) -> Source:
        """Return a source.

        Raises:
            SourceNotFound: there is none, or not for this caller.
        """
        with self._database.read() as transaction:
            return self._syncer.recorder.shown(self._found(transaction, access, source_id))

    def remove(self, access: Access, source_id: int) -> list[int]:
        """Remove a source with all its documents; return the numbers of these.

        Raises:
            SourceNotFound: there is none, or not for this caller.
        """
        with self._database.write() as transaction:
            source = self._found(transaction, access, source_id)
            gone = documents.of_source(transaction, source)
            points = self._remove(transaction, [source], gone)
        self._index.delete(points)
        return gone

    def _remove(
        self, transaction: Transaction, sources: Sequence[Source], gone: Sequence[int]
    ) -> list[int]:
        seqs = chunks.of_documents(transaction, gone)
        chunks.remove(transaction, seqs)
        waits = staging.of_sources(transaction, [one.id for one in sources], documents=gone)
        seqs += staging.drop(transaction, waits)
        documents.remove(transaction, gone)
        for source in sources:
            runs.remove(transaction, source)
            store.remove(transaction, source)
        return [point_id(seq, 0) for seq in seqs]

    def _refuse_taken(self, transaction: Transaction, access: Access, name: str) -> None:
        if name in {NAME, *(one.name for one in store.visible(transaction, access))}:
            raise InvalidInput("a source of this space has this name already; choose another")

    def _found(self, transaction: Transaction, access: Access, source_id: int) -> Source:
        found = store.found(transaction, access, source_id)
        if found is None:
            raise SourceNotFound("no source has this id")
        return found

    # ------------------------------------------------------------ syncs

    def sync(
        self,
        access: Access,
        source_id: int,
        *,
        trigger: str = "hand",
        confirmed: bool = False,
        check: Callable[[], None] = lambda: None,
    ) -> tuple[Run, list[int]]:
        """Bring a source up to date; return the run and the documents that changed or went.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            SyncRunning: it is being synced already.
        """
        with self._database.read() as transaction:
            source = self._found(transaction, access, source_id)
        refuse_built_in(source)
        return self._syncer.sync(
            access,
            source,
            secret=self._checks.unwrapped(access, source),
            trigger=trigger,
            confirmed=confirmed,
            check=check,
        )

    def upload(
        self, access: Access, source_id: int, path: str, raw: bytes, *, media_type: str | None
    ) -> tuple[Run, list[int]]:
        """Take one file into a source of uploads, in place of the one of the same path.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            InvalidInput: the source is no source of uploads, or the path or size cannot be.
        """
        with self._database.read() as transaction:
            source = self._found(transaction, access, source_id)
        if source.source_type != SourceType.UPLOAD:
            raise InvalidInput("only a source of the type upload takes files")
        if len(raw) > self._settings.most_document_bytes:
            limit = f"{self._settings.most_document_bytes / 1e6:.0f} MB"
            raise InvalidInput(f"the file is larger than {limit}; split it or raise the limit")
        item = Item(
            clean(checked_path(path)), raw_hash(raw), is_content=True, media_type=media_type
        )
        return self._syncer.add(access, source, item, raw)

    @property
    def is_busy(self) -> bool:
        """Tell whether any source is being synced."""
        return self._syncer.is_busy

    def progress(self, source_id: int) -> tuple[int, int] | None:
        """Return how many documents of how many are read, while a source is being synced."""
        return self._syncer.progress(source_id)

    def runs(self, access: Access, source_id: int, *, limit: int = 20) -> list[Run]:
        """Return the last syncs of a source, newest first."""
        with self._database.read() as transaction:
            source = self._found(transaction, access, source_id)
            found = runs.last(transaction, source, limit=limit)
            return [self._syncer.recorder.run_shown(one) for one in found]

    def secret_notes(self, access: Access, source_id: int) -> list[SecretNote]:
        """Return where secrets were taken out of a source's documents: never what they were."""
        with self._database.read() as transaction:
            return documents.notes(transaction, self._found(transaction, access, source_id))

    # ------------------------------------------------------------ documents

    def documents(
        self, access: Access, *, source_id: int | None = None, offset: int = 0, limit: int = 100
    ) -> list[Document]:
        """Return documents that the caller may see, those that cannot be read with the reason."""
        with self._database.read() as transaction:
            if source_id is not None:
                self._found(transaction, access, source_id)
            return documents.listed(
                transaction, access, source_id=source_id, offset=offset, limit=limit
            )

    def document(self, access: Access, document_id: int) -> documents.Text:
        """Return a document with its words.

        Raises:
            DocumentNotFound: there is none that is served to this caller.
        """
        with self._database.read() as transaction:
            found = documents.found(transaction, access, document_id)
        if found is None:
            raise DocumentNotFound("no document has this id")
        return found

    def served(self, transaction: Transaction, access: Access) -> list[documents.Served]:
        """Return every served document without its words; for what is compiled of all of them."""
        return documents.served(transaction, access)

    def hashes(self, transaction: Transaction, access: Access) -> dict[int, str]:
        """Return the hash of the words of every served document."""
        return documents.hashes(transaction, access)

    def words(self, transaction: Transaction, access: Access, ids: Iterable[int]) -> dict[int, str]:
        """Return the words of documents; for what is compiled of all of them."""
        return documents.words(transaction, access, list(ids))

    def served_to(self, transaction: Transaction, access: Access) -> documents.Visible:
        """Return what of the served documents the caller may see."""
        return documents.served_to(transaction, access)

    def texts(
        self, transaction: Transaction, access: Access, ids: Iterable[int] | None = None
    ) -> list[documents.Text]:
        """Return served documents with their words: of these ids, or with None all."""
        return documents.texts(transaction, access, None if ids is None else list(ids))

    def search(
        self,
        access: Access,
        text: str,
        *,
        limit: int = 10,
        sources: tuple[int, ...] | None = None,
    ) -> list[Snippet]:
        """Return the best passages, best first; leaves no trace.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: the search failed.
        """
        clean = redacted(text).text
        return self.passages(
            access, clean, self._embedder.encode_query(clean), limit=limit, sources=sources
        )

    def passages(
        self,
        access: Access,
        text: str,
        encoded: Encoded,
        *,
        limit: int,
        sources: tuple[int, ...] | None = None,
    ) -> list[Snippet]:
        """Return what `search` does for a text that has no secrets and is encoded already."""
        return self._searcher.found(access, Query(text, encoded, limit, sources))

    def counts(self, access: Access) -> dict[str, int]:
        """Count documents and sources by how they are, for the quality of knowledge."""
        with self._database.read() as transaction:
            states = documents.states(transaction, access)
            found = store.visible(transaction, access)
            taken_out = documents.count_notes(transaction, access)
        since = self._clock.now() - self._settings.stale_after_s
        return {
            "documents": states["current"] + states["stale"],
            "refused": states["refused"],
            "stale_documents": states["stale"],
            "stale_sources": sum(
                one.sync_schedule is not None and (one.last_synced_at or 0.0) < since
                for one in found
            ),
            "failing_sources": sum(one.failures > 0 for one in found),
            "secrets_taken_out": taken_out,
        }

    # ------------------------------------------------------------ upkeep

    def due(self, now: float, *, started_at: float) -> list[DueJob]:
        """Return the syncs of all open spaces that are due; each slot is one sync."""
        with self._database.read() as transaction:
            found = store.scheduled(transaction)
        stale_s = self._settings.stale_after_s
        slots = (
            (space, source, slot_of(source, now, started_at=started_at, stale_after_s=stale_s))
            for space, source in found
        )
        return [
            DueJob(JOB, job_key(space, source.id), slot) for space, source, slot in slots if slot
        ]

    def note_interruptions(self) -> None:
        """Say of syncs that a killed process left that they were interrupted; for its start."""
        now = self._clock.now()
        with self._database.write() as transaction:
            store.interrupted(transaction)
            runs.interrupted(transaction, now)

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Remove everything of the space, in the caller's transaction."""
        found = store.visible(transaction, access)
        gone = [one for source in found for one in documents.of_source(transaction, source)]
        self._index.delete(self._remove(transaction, found, gone))

    def drop_expired(self) -> None:
        """Delete for good what vanished long ago."""
        before = self._clock.now() - self._settings.keeps_gone_days * 86_400
        with self._database.read() as transaction:
            gone = documents.expired(transaction, before=before)
        if not gone:
            return
        with self._database.write() as transaction:
            points = self._remove(transaction, [], gone)
        self._index.delete(points)
