"""Opens one App over a data folder, by its settings. Only here are parts chosen.

Opening a folder migrates its database, opens its indexes, and makes them agree with the database.
A damaged index is set aside and made again: it is derived, nothing is lost with it.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Event

from wellworn.application.bootstrap.auditing import build_audit
from wellworn.application.bootstrap.changeover import change_encoder
from wellworn.application.bootstrap.embedders import (
    INDEXES,
    drop_foreign_indexes,
    open_embedder,
    refuse_lost_database,
)
from wellworn.application.bootstrap.reading import open_reading
from wellworn.application.bootstrap.records import (
    DATABASE,
    mark_records,
    open_records,
    require_settled,
)
from wellworn.application.bootstrap.sharing import share_memory
from wellworn.application.bootstrap.turns import TurnOpener
from wellworn.application.calls import (
    REPAIRED_AT_ONCE,
    Administration,
    AdmissionControl,
    App,
    BackgroundEmbedding,
    BackgroundJudging,
    CallGuard,
    Consents,
    RateLimits,
    Repair,
    SealedStorage,
    SleepCoordinator,
    SpacePool,
    SpaceServices,
    SyncCoordinator,
    TopicCoordinator,
    Trails,
    TurnCoordinator,
)
from wellworn.application.migrations import upgrade
from wellworn.application.searching import SearcherSetup, SearchProcesses, open_search_processes
from wellworn.application.settings import Settings, read_settings
from wellworn.application.transfer import Transfer
from wellworn.domain.inspection import Inspector
from wellworn.domain.knowledge import Discovery, Enricher, Knowledge
from wellworn.domain.memory import Memory, ModelPicker
from wellworn.domain.outline import Outline
from wellworn.domain.reading import PassageReader
from wellworn.domain.sources import ChunkIndexer, Handbook, Sources
from wellworn.domain.sources import SourceDependencies as SourceParts
from wellworn.domain.sources.connectors import ConnectorContext, load_connectors
from wellworn.domain.spaces import (
    Authenticator,
    BrowserSessions,
    ClientDocuments,
    Connections,
    Credentials,
    Spaces,
)
from wellworn.domain.thoughts import ThoughtIndexer, Thoughts
from wellworn.domain.thoughts.judging import ReplacementJudge
from wellworn.domain.turns import ModelReteller
from wellworn.engines.crypto import KeyProvider, open_provider, open_verifier
from wellworn.engines.embedding import Embedder, OrderModel, choose_for_sealed, open_pair_model
from wellworn.engines.extraction import Extractor
from wellworn.engines.fetch import WebClient
from wellworn.engines.jobs import Jobs
from wellworn.engines.llm import ChatModel, open_chat_model
from wellworn.engines.reading import ReaderService, SecondReader, open_second_reader
from wellworn.engines.slots import Slots
from wellworn.engines.storage.sql import Database, RamDatabase, StorageSettings
from wellworn.engines.storage.vectors import (
    ExactVectorIndex,
    StoredVectorIndex,
    VectorIndex,
    open_index,
    unit_of,
)
from wellworn.engines.tool_servers import ToolServers
from wellworn.errors import DamagedStore, InvalidInput
from wellworn.kit.clock import Clock, SystemClock
from wellworn.kit.text import fingerprint

INDEXED = ("thoughts", "chunks")
"""Kinds of records with an index of their own, in the order of the services."""

_NOBODY_RUNS_JOBS = (
    "WELLWORN_JOBS__MOST_AT_ONCE=0 leaves jobs to other servers, and a data folder has one alone:"
    " name the servers' database in WELLWORN_STORAGE__URL, or leave the setting out"
)
_log = logging.getLogger(__name__)


def open_app(
    home: Path,
    settings: Settings | None = None,
    *,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> App:
    """Open the memory in a folder, which is made when it is not there.

    Raises:
        StoreInUse: another process has it open.
        DamagedStore: the database is no database, or of a newer version.
        StorageUnavailable: the folder cannot be used.
        InvalidInput: a model is set, and what speaks to models is not installed; or nobody would
            run jobs.
        EmbeddingFailed: a new memory is to have an encoder that cannot be loaded.
    """
    settings, clock = settings or read_settings(), clock or SystemClock()
    home.mkdir(parents=True, exist_ok=True)
    changes_encoder = change_encoder(home, settings.storage)
    embedder = embedder or open_embedder(home, settings.embedding)
    drop_foreign_indexes(home / INDEXES, embedder.name)
    # What was opened is closed again if a later part cannot be.
    with ExitStack() as opened:
        indexes = tuple(_index(home, name, embedder, settings.storage) for name in INDEXED)
        for index in indexes:
            opened.callback(index.close)
        # Earlier versions had an index of practices, and copies for processes that search.
        for name in ("practices", "copies"):
            shutil.rmtree(home / INDEXES / name, ignore_errors=True)
        database = open_records(home, settings.storage)
        opened.callback(database.close)
        database.hold()
        require_settled(database)
        # Asked for anything, a file that is not there would be made.
        is_there = settings.storage.url is not None or (home / DATABASE).exists()
        refuse_lost_database(database, indexes[0], is_there=is_there)
        upgrade(database)
        mark_records(home, settings.storage)
        parts = _Parts(home, database, embedder, clock, settings)
        if settings.storage.url is not None:
            share_memory(
                database,
                dict(zip(INDEXED, indexes, strict=True)),
                encoder=embedder.name,
                key=parts.key,
                vectors=settings.storage.vectors,
                changes_encoder=changes_encoder,
            )
        opened.callback(parts.extractor.close)
        app = _assemble(parts, indexes)
        app.administration.drop_leftover_files()
        app.guard.pool.shared.turns.adopt_folder()
        app.unindexed = sum(len(repair.missing()) for repair in app.repairs)
        if 0 < app.unindexed <= REPAIRED_AT_ONCE:
            app.repair_if_possible()
        opened.pop_all()
    return app


@dataclass(frozen=True)
class _Parts:
    """The parts that the services of every space are made with."""

    home: Path
    database: Database
    embedder: Embedder
    clock: Clock
    settings: Settings

    @cached_property
    def key(self) -> KeyProvider:
        """The server's own key."""
        return open_provider(self.settings.crypto.key, self.home)

    @cached_property
    def extractor(self) -> Extractor:
        return Extractor(self.settings.extraction)

    @cached_property
    def web(self) -> WebClient:
        return WebClient(self.settings.fetch)

    @cached_property
    def sealed_embedder(self) -> Embedder:
        """The encoder of sealed spaces, which sends nothing away unless that is allowed."""
        return choose_for_sealed(self.embedder, self.settings.embedding)

    @cached_property
    def inspector(self) -> Inspector:
        if not self.settings.thoughts.order_model:
            return Inspector()
        return Inspector(OrderModel(threads=self.settings.embedding.threads), self.second_reader)

    @cached_property
    def second_reader(self) -> SecondReader:
        """The reader beside the shipped one, which tells orders."""
        return open_second_reader(open_pair_model, threads=self.settings.reading.threads)

    @cached_property
    def sources(self) -> SourceParts:
        fetch, sources = self.settings.fetch, self.settings.sources
        context = ConnectorContext(self.web, fetch, sources.most_document_bytes)
        return SourceParts(
            embedder=self.embedder,
            extractor=self.extractor,
            key=self.key,
            kinds=load_connectors(context),
            clock=self.clock,
            settings=sources,
        )

    @cached_property
    def chat_model(self) -> ChatModel | None:
        chat_model = open_chat_model(self.settings.llm)
        for name in ("judge_changes", "sleep_model", "capture_model"):
            if chat_model is None and getattr(self.settings.thoughts, name):
                variable = f"WELLWORN_THOUGHTS__{name.upper()}"
                message = f"{variable} needs a model: set WELLWORN_LLM__MODEL, too"
                raise InvalidInput(message)
        return chat_model

    @cached_property
    def readers(self) -> tuple[ReaderService, ReaderService]:
        """The readers of open spaces, and of sealed ones."""
        return open_reading(self.settings.reading, lambda: self.chat_model, self.second_reader)

    @cached_property
    def spaces(self) -> Spaces:
        return Spaces(self.database, self.clock, Credentials(self.database, self.clock))

    @cached_property
    def turns(self) -> TurnOpener:
        return TurnOpener(
            self.home,
            self.settings,
            self.clock,
            self.web,
            self.extractor,
            self.tool_servers,
        )

    @cached_property
    def tool_servers(self) -> ToolServers:
        return ToolServers(self.settings.mcp, self.settings.turns.tool_timeout_s)

    @cached_property
    def enricher(self) -> Enricher | None:
        return Enricher(self.chat_model, self.settings.llm) if self.chat_model else None

    def services(
        self,
        database: Database,
        thought_index: VectorIndex,
        chunk_index: VectorIndex,
        *,
        embedder: Embedder | None = None,
    ) -> SpaceServices:
        embedder = embedder or self.embedder
        # Each sealed space has a database of its own.
        is_open = database is self.database
        chat_model = self.chat_model if is_open or self.settings.llm.sealed_spaces else None
        thoughts = Thoughts(
            database,
            thought_index,
            embedder,
            self.clock,
            self.settings.thoughts,
            inspector=self.inspector,
        )
        if chat_model and self.settings.thoughts.sleep_model:
            thoughts.sleeper.reteller = ModelReteller(chat_model, self.inspector)
        sources = Sources(database, chunk_index, replace(self.sources, embedder=embedder))
        knowledge = Knowledge(database, sources, self.clock, self.inspector)
        passages = PassageReader(reader := self.readers[not is_open], embedder)
        discovery = Discovery(database, sources, self.clock, self.enricher, passages=passages)
        outline = Outline(database, knowledge, thoughts.topics)
        memory = Memory(
            database,
            thoughts,
            embedder,
            self.clock,
            reader=reader,
            outline=outline,
            sources=sources,
            list_names=self.spaces.list_names,
        )
        if chat_model and self.settings.thoughts.capture_model:
            memory.capturing.picker = ModelPicker(chat_model)
        turns = self.turns.open(
            database,
            memory,
            thoughts,
            sources,
            discovery,
            embedder=embedder,
            passages=passages,
            chat_model=chat_model,
        )
        judge = (
            ReplacementJudge(
                database,
                thought_index,
                embedder,
                self.clock,
                chat_model=chat_model,
                most_a_day=self.settings.thoughts.judged_a_day,
            )
            if chat_model and self.settings.thoughts.judge_changes
            else None
        )
        return SpaceServices(
            database=database,
            memory=memory,
            thoughts=thoughts,
            knowledge=knowledge,
            outline=outline,
            transfer=Transfer(
                database,
                thoughts,
                knowledge,
                self.clock,
                sources=sources,
                discovery=discovery,
                turns=turns,
            ),
            sources=sources,
            discovery=discovery,
            turns=turns,
            thought_index=thought_index,
            chunk_index=chunk_index,
            judge_next=judge.judge_next if judge else None,
            unembedded=(
                ThoughtIndexer(
                    database, thought_index, embedder, refresh=thoughts.searcher.warmer.refresh
                ),
                ChunkIndexer(database, chunk_index, embedder, shown=sources.shown),
            ),
        )

    def open_sealed_services(self, database: RamDatabase) -> SpaceServices:
        """Return services over a database in memory; other models' vectors are made again."""
        embedder = self.sealed_embedder
        model = fingerprint(embedder.name)[:12]
        thought_index, chunk_index = (
            ExactVectorIndex(
                database, name=f"{kind}_points_{model}", dimensions=embedder.dimensions
            )
            for kind in ("thought", "chunk")
        )
        for repair in self.repairs(database, (thought_index, chunk_index), embedder):
            repair.index(repair.missing())
        return self.services(database, thought_index, chunk_index, embedder=embedder)

    def repairs(
        self, database: Database, indexes: Sequence[VectorIndex], embedder: Embedder
    ) -> tuple[Repair, ...]:
        """Return what makes each index agree with the database, by the rules of today."""
        return (
            ThoughtIndexer(database, indexes[0], embedder),
            ChunkIndexer(database, indexes[1], embedder),
            Handbook(database, indexes[1], replace(self.sources, embedder=embedder)),
        )

    def search_processes(self, shared: SpaceServices, index: StoredVectorIndex) -> SearchProcesses:
        """Return what searches beside the server in the open spaces; sealed ones stay in it."""
        setup = SearcherSetup(
            home=self.home,
            open_database=open_records,
            storage=self.settings.storage,
            encoder=self.home / INDEXES,
            index=self.home / INDEXES / INDEXED[0],
            embedding=self.settings.embedding,
            thoughts=self.settings.thoughts,
        )
        return open_search_processes(setup, shared.memory, shared.thoughts, index)


def _assemble(parts: _Parts, indexes: tuple[StoredVectorIndex, ...]) -> App:
    database, embedder, clock = parts.database, parts.embedder, parts.clock
    settings, credentials, spaces = parts.settings, Credentials(database, clock), parts.spaces
    shared = parts.services(database, indexes[0], indexes[1])
    units = shared.thoughts.searcher.state
    indexes[0].tell_changed = lambda points: units.forget({unit_of(point) for point in points})
    work = Event()
    audit = build_audit(parts.key, database, clock)
    sealed_storage = SealedStorage(
        database,
        shared,
        parts.open_sealed_services,
        lambda joined: parts.services(joined, indexes[0], indexes[1]),
        audit,
    )
    pool = SpacePool(
        shared, spaces, clock, settings.spaces, audit=audit, unseal=sealed_storage.unseal
    )
    guard = CallGuard(pool, audit, clock)
    documents = ClientDocuments(settings.fetch if settings.spaces.client_documents else None)
    connections = Connections(
        database, clock, parts.key, public_url=settings.spaces.public_url, documents=documents
    )
    authenticator = Authenticator(
        database,
        clock,
        open_door=settings.spaces.has_open_door,
        tokens=open_verifier(settings.crypto.tokens),
    )
    return App(
        database=database,
        embedder=embedder,
        reader=parts.readers[0],
        memory=shared.memory,
        thoughts=shared.thoughts,
        knowledge=shared.knowledge,
        transfer=shared.transfer,
        indexes=indexes,
        search_processes=parts.search_processes(shared, indexes[0]),
        repairs=parts.repairs(database, indexes, embedder),
        slots=Slots(settings.slots),
        admission=AdmissionControl(authenticator, RateLimits(settings.spaces), audit, clock),
        credentials=credentials,
        administration=Administration(
            spaces,
            credentials,
            pool,
            audit,
            sealed_storage,
            work=work,
            look_again=guard.feed.look_again,
        ),
        trails=Trails(spaces, pool, audit),
        work=work,
        guard=guard,
        embedding=BackgroundEmbedding(pool, guard.activity),
        judging=BackgroundJudging(pool),
        syncs=SyncCoordinator(guard, clock, is_admin=authenticator.is_admin),
        turns=TurnCoordinator(guard, credentials.has_member, authenticator.confirm),
        topics=TopicCoordinator(guard),
        sleep=SleepCoordinator(guard),
        jobs=_open_jobs(parts),
        extractor=parts.extractor,
        tool_servers=parts.tool_servers,
        browsers=BrowserSessions(database, clock),
        connections=connections,
        consents=Consents(connections, credentials, audit),
    )


def _open_jobs(parts: _Parts) -> Jobs:
    """Return the jobs of a folder, or those that the servers of a database share."""
    settings, url, database = parts.settings, parts.settings.storage.url, parts.database
    if url is None:
        if not settings.jobs.most_at_once:
            raise InvalidInput(_NOBODY_RUNS_JOBS)
        return Jobs(parts.home, settings.jobs, clock=parts.clock)
    return Jobs(
        url.get_secret_value(),
        settings.jobs,
        executor_id=database.server,
        leases=database,
        clock=parts.clock,
    )


def _index(
    home: Path, name: str, embedder: Embedder, settings: StorageSettings
) -> StoredVectorIndex:
    folder = home / INDEXES / name
    try:
        return open_index(folder, settings, dimensions=embedder.dimensions)
    except DamagedStore:
        _log.warning("the %s index is damaged and is made anew", name)
        shutil.rmtree(folder)
        return open_index(folder, settings, dimensions=embedder.dimensions)
