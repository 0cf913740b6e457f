"""The service for sources: create, sync, list, search and read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wellworn.domain.sources.connectors import SourceItem
from wellworn.domain.sources.document_builder import hash_bytes
from wellworn.domain.sources.features import list_versions
from wellworn.domain.sources.handbook import NAME, Handbook
from wellworn.domain.sources.models import (
    USUAL,
    Document,
    NewSource,
    SecretNote,
    Snippet,
    Source,
    SourceChanges,
    SourceType,
    SyncOptions,
    SyncRun,
)
from wellworn.domain.sources.progress import SourceProgress
from wellworn.domain.sources.run_recorder import settle_interrupted
from wellworn.domain.sources.safe_paths import clean_path
from wellworn.domain.sources.schedule import find_trigger
from wellworn.domain.sources.search import DocumentSearcher, Query
from wellworn.domain.sources.store import chunks, documents, runs, served, staging
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.sources.transfer import SourceTransfer
from wellworn.domain.sources.triggers import SyncTriggers
from wellworn.domain.sources.validation import (
    SourceDependencies,
    SourceValidator,
    normalize_path,
    reject_built_in,
)
from wellworn.domain.sources.webhooks import Webhooks
from wellworn.domain.spaces import Access
from wellworn.engines.embedding import Encoded, encode_question
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex, point_id
from wellworn.errors import DocumentNotFound, InvalidInput, SourceNotFound
from wellworn.kit.folding import fold_forms
from wellworn.kit.text import check_name


class Sources:
    """The sources of one database; every method needs an Access."""

    def __init__(self, database: Database, index: VectorIndex, parts: SourceDependencies) -> None:
        self._database = database
        self._index = index
        self._clock = parts.clock
        self._embedder = parts.embedder
        self._checks = SourceValidator(parts)
        self._settings = parts.settings
        self.compile_s = parts.settings.compile_s
        self.searcher = DocumentSearcher(database, index, made_by=list_versions(parts.embedder))
        self.shown = self.searcher.shown
        self.handbook = Handbook(database, index, parts)
        self.webhooks = Webhooks(database, parts.key, parts.clock)
        self.triggers = SyncTriggers(database, parts.clock, parts.settings)
        self._syncer = Syncer(
            database,
            index,
            parts.embedder,
            parts.clock,
            parts.settings,
            made_by=self.handbook.builder,
            kinds=dict(parts.kinds),
        )
        self._recorder = self._syncer.recorder
        self.progress = SourceProgress(database, self._syncer, parts)
        self.exchange = SourceTransfer(database, self.handbook.builder, self._syncer, self.create)

    def create(self, access: Access, new: NewSource) -> Source:
        """Create a source; nothing is fetched yet.

        Raises:
            InvalidInput: its kind, name, configuration or schedule cannot be.
            Forbidden: it is a folder that this caller may not name.
        """
        config, secret = self._checks.validate_config(
            access, new.source_type, new.config, new.secret
        )
        name = check_name(redact(new.name).text)
        self._checks.validate_schedule(new.sync_schedule, new.time_zone)
        now = self._clock.now()
        with self._database.write() as transaction:
            if len(store.list_visible(transaction, access)) >= self._settings.most_sources:
                raise InvalidInput("the space has the maximum number of sources; remove one first")
            self._reject_duplicate(transaction, access, name)
            source = NewSource(
                new.source_type,
                name,
                config,
                sync_schedule=new.sync_schedule or None,
                time_zone=new.time_zone,
                agents=_redact_agents(new.agents),
            )
            wrapped = self._checks.wrap_secret(access, secret)
            source_id = store.add(transaction, access, source, secret=wrapped, now=now)
            return store.strip_secrets(self._find(transaction, access, source_id))

    def change(self, access: Access, source_id: int, changes: SourceChanges) -> Source:
        """Change the settings of a source; its documents stay until the next sync.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            InvalidInput, Forbidden: as in `create`.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            source = self._find(transaction, access, source_id)
            reject_built_in(source)
            values = self._to_columns(transaction, access, source, changes)
            store.change(transaction, source, now=now, **values)
            return self._recorder.overlay_source(self._find(transaction, access, source_id))

    def _to_columns(
        self, transaction: Transaction, access: Access, source: Source, changes: SourceChanges
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if (
            changes.name is not None
            and (name := check_name(redact(changes.name).text)) != source.name
        ):
            self._reject_duplicate(transaction, access, name)
            values["name"] = name
        if changes.config is not None or changes.secret is not None:
            submitted = changes.config if changes.config is not None else source.config
            config, secret = self._checks.validate_config(
                access, source.source_type, submitted, changes.secret
            )
            # What was seen of another place says nothing of this one.
            values |= {"config": config, "state": {}}
            if secret is not None:
                values["secret"] = self._checks.wrap_secret(access, secret)
            else:
                values |= self._checks.drop_secret(source, config)
        schedule = changes.sync_schedule
        if schedule is not None or changes.time_zone is not None:
            zone = changes.time_zone or source.time_zone
            schedule = source.sync_schedule if schedule is None else schedule or None
            self._checks.validate_schedule(schedule, zone)
            values |= {"sync_schedule": schedule, "time_zone": zone}
        if changes.agents is not None or changes.everybody:
            values["agents"] = None if changes.everybody else _redact_agents(changes.agents)
        if changes.is_paused is not None:
            values["is_paused"] = changes.is_paused
        return values

    def list_sources(self, access: Access) -> list[Source]:
        """Return the sources that the caller may see, oldest first."""
        with self._database.read() as transaction:
            return [*map(self._recorder.overlay_source, store.list_visible(transaction, access))]

    def get_source(self, access: Access, source_id: int) -> Source:
        """Return a source.

        Raises:
            SourceNotFound: there is none, or not for this caller.
        """
        with self._database.read() as transaction:
            return self._recorder.overlay_source(self._find(transaction, access, source_id))

    def remove(self, access: Access, source_id: int) -> list[int]:
        """Remove a source with all its documents; return the numbers of these.

        Raises:
            SourceNotFound: there is none, or not for this caller.
        """
        with self._database.write() as transaction:
            source = self._find(transaction, access, source_id)
            gone = documents.list_ids(transaction, source)
            points = self._remove(transaction, [source], gone)
        self._index.delete(points)
        return gone

    def _remove(
        self, transaction: Transaction, sources: Sequence[Source], gone: Sequence[int]
    ) -> list[int]:
        seqs = chunks.list_by_documents(transaction, gone)
        chunks.remove(transaction, seqs)
        waits = staging.list_ids(transaction, [source.id for source in sources], documents=gone)
        seqs += staging.drop(transaction, waits)
        documents.remove(transaction, gone)
        for source in sources:
            runs.remove(transaction, source)
            store.remove(transaction, source)
        self._database.expect_scrub()
        return [point_id(seq, 0) for seq in seqs]

    def _reject_duplicate(self, transaction: Transaction, access: Access, name: str) -> None:
        if name in {NAME, *(source.name for source in store.list_visible(transaction, access))}:
            raise InvalidInput("a source of this space has this name already; choose another")

    def _find(self, transaction: Transaction, access: Access, source_id: int) -> Source:
        source = store.find(transaction, access, source_id)
        if source is None:
            raise SourceNotFound("no source has this id")
        return source

    def sync(
        self,
        access: Access,
        source_id: int,
        *,
        trigger: str = "hand",
        options: SyncOptions = USUAL,
        check: Callable[[], None] = lambda: None,
    ) -> tuple[SyncRun, list[int]]:
        """Bring a source up to date; return the run and the documents that changed or went.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            SyncRunning: it is being synced already.
        """
        with self._database.read() as transaction:
            source = self._find(transaction, access, source_id)
        reject_built_in(source)
        return self._syncer.sync(
            access,
            source,
            secret=self._checks.unwrap_secret(access, source),
            trigger=find_trigger(source) or trigger,
            options=options,
            check=check,
        )

    def upload(
        self, access: Access, source_id: int, path: str, raw: bytes, *, media_type: str | None
    ) -> tuple[SyncRun, list[int]]:
        """Store a file in a source of uploads, in place of the one at the same path.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            InvalidInput: the source is no source of uploads, or the path or size cannot be.
        """
        with self._database.read() as transaction:
            source = self._find(transaction, access, source_id)
        if source.source_type != SourceType.UPLOAD:
            raise InvalidInput("only a source of the type upload takes files")
        if len(raw) > self._settings.most_document_bytes:
            limit = f"{self._settings.most_document_bytes / 1e6:.0f} MB"
            raise InvalidInput(f"the file is larger than {limit}; split it or raise the limit")
        item = SourceItem(
            clean_path(normalize_path(path)),
            hash_bytes(raw),
            is_content=True,
            media_type=media_type,
        )
        return self._syncer.add_upload(access, source, item, raw)

    @property
    def is_busy(self) -> bool:
        """Tell whether any source is being synced."""
        return self._syncer.is_busy

    def list_runs(self, access: Access, source_id: int, *, limit: int = 20) -> list[SyncRun]:
        """Return the last syncs of a source, newest first."""
        with self._database.read() as transaction:
            source = self._find(transaction, access, source_id)
            recent = runs.list_recent(transaction, source, limit=limit)
            return [self._recorder.overlay_run(run) for run in recent]

    def list_secret_notes(self, access: Access, source_id: int) -> list[SecretNote]:
        """Return where secrets were removed from a source's documents, never the secrets."""
        with self._database.read() as transaction:
            return documents.list_secret_notes(
                transaction, self._find(transaction, access, source_id)
            )

    def list_documents(
        self, access: Access, *, source_id: int | None = None, offset: int = 0, limit: int = 100
    ) -> list[Document]:
        """Return documents that the caller may see, with the reason if one cannot be read."""
        with self._database.read() as transaction:
            if source_id is not None:
                self._find(transaction, access, source_id)
            return documents.list_page(
                transaction, access, source_id=source_id, offset=offset, limit=limit
            )

    def get_document(self, access: Access, document_id: int) -> documents.DocumentText:
        """Return a document with its words.

        Raises:
            DocumentNotFound: there is none that is served to this caller.
        """
        with self._database.read() as transaction:
            document = documents.find_text(transaction, access, document_id)
        if document is None:
            raise DocumentNotFound("no document has this id")
        return document

    def list_served(self, transaction: Transaction, access: Access) -> list[served.ServedDocument]:
        """Return every served document without its text; for the compiler."""
        return served.list_served(transaction, access)

    def load_hashes(self, transaction: Transaction, access: Access) -> dict[int, str]:
        """Return the content hash of every served document."""
        return served.load_hashes(transaction, access)

    def flag(self, transaction: Transaction, flagged: Mapping[int, bool], reason: str) -> None:
        """Say of documents that something is amiss with them, or no more."""
        documents.flag(transaction, flagged, reason)

    def load_contents(
        self, transaction: Transaction, access: Access, ids: Iterable[int]
    ) -> dict[int, str]:
        """Return the texts of documents; for the compiler."""
        return served.load_contents(transaction, access, list(ids))

    def find_visible(self, transaction: Transaction, access: Access) -> served.VisibleDocuments:
        """Return the served documents that the caller may see."""
        return served.find_visible(transaction, access)

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
            IndexUnavailable, StorageUnavailable: the search failed.
        """
        clean = fold_forms(redact(text).text)
        asked = encode_question(self._embedder, clean)
        return self.search_encoded(access, clean, asked, limit=limit, sources=sources)

    def search_encoded(
        self,
        access: Access,
        text: str,
        encoded: Encoded,
        *,
        limit: int,
        sources: tuple[int, ...] | None = None,
    ) -> list[Snippet]:
        """Search with a text that is redacted and encoded already."""
        return self.searcher.search(access, Query(text, encoded, limit, sources))

    def mark_interrupted(self) -> None:
        """Say what became of the syncs and uploads of a killed process; called at startup."""
        now = self._clock.now()
        with self._database.write() as transaction:
            gone = settle_interrupted(transaction, now)
        self._index.delete([point_id(seq, 0) for seq in gone])

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Remove everything of the space, in the caller's transaction."""
        visible = store.list_visible(transaction, access)
        gone = [id_ for source in visible for id_ in documents.list_ids(transaction, source)]
        self._index.delete(self._remove(transaction, visible, gone))

    def drop_expired(self) -> None:
        """Delete for good the documents that vanished long ago."""
        before = self._clock.now() - self._settings.keeps_gone_days * 86_400
        with self._database.read() as transaction:
            gone = documents.list_expired(transaction, before=before)
        self._remove_documents(gone)

    def roll_back(self, access: Access, owner: str, since: float) -> list[int]:
        """Delete the documents that a member uploaded since a moment; return them."""
        with self._database.read() as transaction:
            gone = documents.list_uploaded(transaction, access, owner, since)
        self._remove_documents(gone)
        return gone

    def _remove_documents(self, gone: Sequence[int]) -> None:
        with self._database.write() as transaction:
            points = self._remove(transaction, [], gone)
        self._index.delete(points)


def _redact_agents(agents: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if agents is None else tuple(redact(agent).text for agent in agents)
