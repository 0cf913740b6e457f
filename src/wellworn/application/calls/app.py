"""An open memory: the services, and the parts behind them that need looking after."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, TypeVar

from wellworn.application.calls.administration import Administration
from wellworn.application.calls.admission import AdmissionControl
from wellworn.application.calls.background_embedding import BackgroundEmbedding, BackgroundJudging
from wellworn.application.calls.consents import Consents
from wellworn.application.calls.context import ContextOrder, PackedContext, pack_context
from wellworn.application.calls.curating import (
    Curated,
    CuratedSelection,
    CurationOrder,
    TakenBack,
    curate,
    curate_matching,
    take_back,
)
from wellworn.application.calls.guard import CallContext, CallGuard, read_either
from wellworn.application.calls.health import BackgroundWork, Health, Workload, require_care
from wellworn.application.calls.imports import Import
from wellworn.application.calls.rate_limits import CallClass
from wellworn.application.calls.sleeping import SleepCoordinator
from wellworn.application.calls.sync import SyncCoordinator
from wellworn.application.calls.topics import TopicCoordinator
from wellworn.application.calls.trails import Trails
from wellworn.application.calls.turns import TurnCoordinator
from wellworn.application.calls.upkeep import Repair, SpaceUpkeep, Upkeep
from wellworn.application.searching import SearchProcesses
from wellworn.application.transfer import Transfer, check_kinds
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Answer, Artifact, ArtifactName, Knowledge, Value
from wellworn.domain.memory import (
    FIRST_OF_PROJECT,
    Contribute,
    Digest,
    Memory,
    Prompt,
    Reply,
    Retrieval,
)
from wellworn.domain.outline import PAGE, OutlineAnswer, TextPage
from wellworn.domain.sources import Snippet
from wellworn.domain.spaces import (
    Access,
    Authenticator,
    BrowserSessions,
    Connections,
    Credentials,
    Role,
)
from wellworn.domain.thoughts import (
    Affirmed,
    FeedbackSignal,
    FoundThought,
    Overview,
    Stored,
    ThoughtDraft,
    ThoughtFilter,
    Thoughts,
    TracedThought,
)
from wellworn.domain.thoughts.store import FindableThoughts
from wellworn.domain.thoughts.topics import MOST_POINTS, Landscape, TopicPage
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope
from wellworn.engines.embedding import Embedder
from wellworn.engines.extraction import Extractor
from wellworn.engines.jobs import Jobs
from wellworn.engines.reading import ReaderService
from wellworn.engines.slots import Slots
from wellworn.engines.storage.sealed import NOTHING
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import StoredVectorIndex
from wellworn.engines.tool_servers import ToolServers
from wellworn.errors import EmbeddingFailed, WellwornError

_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)
REPAIRED_AT_ONCE = 256
_MOST_PASSAGES = 5
"""Passages of documents beside a topic."""


@dataclass(slots=True)
class App:
    """An open memory: what every interface calls. Only one process may have a data folder open.

    Every call into a space goes through `call`; `memory` and the other services beside it are
    those of the open spaces, for upkeep and tests.
    """

    database: Database
    embedder: Embedder
    reader: ReaderService
    memory: Memory
    thoughts: Thoughts
    knowledge: Knowledge
    transfer: Transfer
    indexes: tuple[StoredVectorIndex, ...]
    search_processes: SearchProcesses
    repairs: tuple[Repair, ...]
    admission: AdmissionControl
    slots: Slots
    credentials: Credentials
    administration: Administration
    trails: Trails
    guard: CallGuard
    embedding: BackgroundEmbedding
    judging: BackgroundJudging
    syncs: SyncCoordinator
    turns: TurnCoordinator
    topics: TopicCoordinator
    sleep: SleepCoordinator
    extractor: Extractor
    tool_servers: ToolServers
    browsers: BrowserSessions
    connections: Connections
    consents: Consents
    jobs: Jobs
    unindexed: int = 0
    closed: bool = field(default=False)
    upkeep: Upkeep = field(default_factory=Upkeep)
    work: Event = field(default_factory=Event)
    """Set when maintenance should not wait for its hour."""

    @property
    def authenticator(self) -> Authenticator:
        """The judge of access, without counting."""
        return self.admission.authenticator

    def enter(
        self, shown: str | None, space: str | None, *, writes: bool, address: str = "unknown"
    ) -> Access:
        """Return what the bearer of a credential, or of none, may do in a space; counts the call.

        Raises:
            Unauthenticated, SpaceNotFound, SpaceLocked, RateLimited: see `AdmissionControl.enter`.
        """
        kind = CallClass.WRITE if writes else CallClass.READ
        return self.admission.enter(shown, space, kind=kind, address=address)[0]

    def call(
        self,
        access: Access,
        action: Action,
        role: Role = Role.READER,
        *,
        targets: Iterable[str] = (),
    ) -> AbstractContextManager[CallContext]:
        """Open a call into a space, for a `with` statement; `targets` are the ids it is about.

        Raises:
            Forbidden: the caller's role is less than `role`.
            SpaceLocked: the space is sealed and the credential cannot unlock it.
        """
        return self.guard.call(access, action, role, targets=targets)

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        """Answer a prompt, and remember it if the contribution rule and the caller's role say so.

        Raises:
            Forbidden: a reader asked for the prompt to be stored.
        """
        action = Action.MEMORY_RECALLED
        is_stored = prompt.contribute is Contribute.ALWAYS or prompt.is_to_be_stored
        if is_stored:
            action = Action.MEMORY_REMEMBERED
        with self.call(access, action) as call:
            if is_stored:
                call.access.require(Role.CONTRIBUTOR)
            elif not call.access.role.allows(Role.CONTRIBUTOR):
                prompt = replace(prompt, contribute=Contribute.NEVER)
            reply = call.services.memory.converse(call.access, prompt)
            thought_id = reply.trace.thought_id
            call.said = [thought_id] if thought_id else []
            call.touch(call.said)
            call.touch(source.thought_id for source in reply.result.sources)
            call.touch(thought.thought_id for thought in reply.result.often_needed_next)
            call.touch(reply.result.overview.list_shown() if reply.result.overview else ())
            call.counts["contributed"] = reply.trace.thoughts_contributed
            call.note_named(prompt.replaces, prompt.source_ids)
            if reply.held_id is not None:
                call.hold([reply.held_id])
        if call.made_project:
            reply = replace(
                reply,
                result=replace(reply.result, guidance=FIRST_OF_PROJECT),
                trace=replace(reply.trace, operations=(*reply.trace.operations, "create_project")),
            )
        return reply

    def forget(
        self, access: Access, *thought_ids: str, agent_id: str, reason: str | None = None
    ) -> float:
        """Erase the words of thoughts; return when. Who is no admin may erase only their own."""
        erased_at, erased = 0.0, set[str]()
        with self.call(
            access, Action.MEMORY_FORGOTTEN, Role.CONTRIBUTOR, targets=thought_ids
        ) as call:
            thoughts, memory = call.services.thoughts, call.services.memory
            if not call.access.role.allows(Role.ADMIN):
                for thought_id in thought_ids:
                    thoughts.require_own(call.access, thought_id)
            try:
                for thought_id in thought_ids:
                    was_held = thoughts.is_held(call.access, thought_id)
                    erased_at = memory.forget(
                        call.access, thought_id, agent_id=agent_id, reason=reason
                    )
                    erased.add(thought_id)
                    if was_held:
                        call.effects.append((Action.QUARANTINE_DROPPED, [thought_id]))
            finally:
                self.work.set()
                if erased:
                    call.services.turns.erasure.erase_quotes(call.access, erased.__contains__)
        return erased_at

    def judge(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: FeedbackSignal,
        agent_id: str | None,
    ) -> float:
        """Rate a thought that a session was shown; return its weight from then on."""
        with self.call(
            access, Action.MEMORY_JUDGED, Role.CONTRIBUTOR, targets=[thought_id]
        ) as call:
            weight = call.services.thoughts.add_feedback(
                call.access,
                session_id=session_id,
                thought_id=thought_id,
                signal=signal,
                agent_id=agent_id,
            )
            call.counts[signal] = 1
        return weight

    def read_thought(self, access: Access, thought_id: str) -> TracedThought:
        """Return a thought, named by its id or the beginning of it, with its full trace."""
        thought_id = self.guard.thought_ids.complete(access, thought_id)
        with self.call(access, Action.THOUGHT_READ, targets=[thought_id]) as call:
            return call.services.thoughts.get_record(call.access, thought_id)

    def look_up(
        self,
        access: Access,
        query: str,
        *,
        limit: int = 10,
        filter_tags: Sequence[str] = (),
        scope: TimeScope = ANY_TIME,
        tell: Callable[[Overview | None], object] | None = None,
    ) -> Sequence[FoundThought]:
        """Search without leaving a trace.

        Who wants to `tell` of it is given what several of the results say with others.
        """
        with self.call(access, Action.THOUGHT_FOUND) as call:
            hits = call.services.memory.look_up(
                call.access, query, limit=limit, filter_tags=filter_tags, scope=scope
            )
            call.touch(hit.thought_id for hit in hits)
            if tell is not None and not filter_tags and scope == ANY_TIME:
                thoughts = call.services.thoughts
                own = [hit.thought_id for hit in hits if hit.space is None]
                overview = thoughts.overviews.look_up(call.access, own)
                told = [*overview.list_shown()] if overview else []
                thoughts.sightings.note(call.access, told)
                call.touch(told)
                tell(overview)
        return hits

    def think(self, access: Access, draft: ThoughtDraft) -> Stored | Affirmed:
        """Store a thought, or affirm the one that says the same already."""
        with self.call(access, Action.MEMORY_REMEMBERED, Role.CONTRIBUTOR) as call:
            outcome = call.services.thoughts.think(call.access, draft)
            call.touch([outcome.thought_id])
            call.note_named(draft.replaces, draft.source_ids)
            if isinstance(outcome, Stored) and outcome.held:
                call.hold([outcome.thought_id])
            else:
                call.said = [outcome.thought_id]
        return outcome

    def retrieve(self, access: Access, retrieval: Retrieval) -> list[FoundThought]:
        """Search and wear the trails of what is found."""
        with self.call(access, Action.MEMORY_RECALLED) as call:
            hits = call.services.memory.retrieve(call.access, retrieval)
            call.touch(hit.thought_id for hit in hits)
        return hits

    def outline(
        self, access: Access, of: str | None = None, *, depth: int = 1, offset: int = 0
    ) -> OutlineAnswer:
        """Return a node of the space's outline and what is below it."""
        of = of and self.guard.thought_ids.complete_place(access, of)
        with self.call(access, Action.THOUGHT_LISTED) as call:
            look = call.services.outline.outline
            found = read_either(call.access, lambda at: look(at, of, depth=depth, offset=offset))
            call.touch(found.list_shown())
        return found

    def read_topic(
        self, access: Access, topic_id: str, *, offset: int = 0, limit: int = 20
    ) -> tuple[TopicPage, list[Snippet]]:
        """Return a topic, or what it went into, with a page of its thoughts.

        Beside the first page stand passages of documents that have to do with it.
        """

        def look(at: Access) -> tuple[TopicPage, list[Snippet]]:
            page = call.services.thoughts.topic_browser.get_topic(
                at, topic_id, offset=offset, limit=limit
            )
            central, sources = page.topic.central, call.services.sources
            if offset or central is None or not sources.list_sources(at):
                return page, []
            near = sources.search(at, central.text, limit=_MOST_PASSAGES)
            return page, [each for each in near if not (each.is_weak or each.is_past)]

        with self.call(access, Action.THOUGHT_LISTED) as call:
            page, passages = read_either(call.access, look)
            call.touch(page.list_shown())
            call.touch(str(passage.document_id) for passage in passages)
        return page, passages

    def draw_map(
        self, access: Access, *, session_id: str | None = None, limit: int = MOST_POINTS
    ) -> Landscape:
        """Return the map of a space, which shows titles of topics and no words of thoughts."""
        with self.call(access, Action.THOUGHT_LISTED) as call:
            cartographer = call.services.thoughts.cartographer
            return cartographer.draw(call.access, session_id=session_id, limit=limit)

    def read(self, access: Access, node: str, *, offset: int = 0, limit: int = PAGE) -> TextPage:
        """Return a page of the text that a node of the outline stands for."""
        node = self.guard.thought_ids.complete_place(access, node)
        with self.call(access, Action.THOUGHT_READ) as call:
            read = call.services.outline.read
            passage = read_either(
                call.access, lambda at: read(at, node, offset=offset, limit=limit)
            )
            if any(part.citation for part in passage.parts):
                call.action = Action.DOCUMENT_READ
            call.touch(part.source for part in passage.parts)
        return passage

    def curate(self, access: Access, order: CurationOrder) -> Curated:
        """End, merge or erase thoughts, all of them or none."""
        return curate(self.guard, access, order, self.forget)

    def curate_matching(
        self,
        access: Access,
        order: CurationOrder,
        wanted: ThoughtFilter,
        *,
        expected: int | None = None,
    ) -> CuratedSelection:
        """Do one thing with all thoughts that fit a filter and the caller may change."""
        return curate_matching(self.guard, access, order, wanted, self.forget, expected=expected)

    def take_back(
        self, access: Access, done_at: float, *, agent_id: str, dry_run: bool = False
    ) -> TakenBack:
        """Take back the ends that one call gave to thoughts."""
        return take_back(self.guard, access, done_at, agent_id=agent_id, dry_run=dry_run)

    def digest(self, access: Access, since: float | None = None) -> Digest:
        """Tell what became of a space since a moment, by default in the last seven days."""
        with self.call(access, Action.THOUGHT_LISTED) as call:
            unknowns = call.services.discovery.unknowns(call.access)
            digest = call.services.memory.digests.make(call.access, unknowns, since)
            call.touch(each for line in digest.lines for each in line.thought_ids)
        return digest

    def pack_context(self, access: Access, order: ContextOrder) -> PackedContext:
        """Return what an agent should have before it goes on, within a budget of tokens."""
        return pack_context(self, access, order)

    def import_records(
        self, access: Access, records: Iterable[Mapping[str, Any]], kinds: Iterable[str] = ()
    ) -> Import:
        """Take in exported records, found by their words; what is known already is passed over.

        `kinds` are those of all records that are to come, now or in later calls: nothing is stored
        where the caller may not import one of them.
        """
        with self.call(access, Action.IMPORT_MADE, Role.CONTRIBUTOR) as call:
            check_kinds(call.access, kinds)
            taken = call.services.transfer.import_records(call.access, records)
            call.counts["imported"] = taken.imported
            call.hold(taken.held)
            return Import(taken, call.access, self.guard.pool)

    def search_documents(
        self, access: Access, text: str, *, limit: int, sources: tuple[int, ...] | None
    ) -> list[Snippet]:
        """Return the best passages of documents."""
        with self.call(access, Action.DOCUMENT_FOUND) as call:
            passages = call.services.sources.search(call.access, text, limit=limit, sources=sources)
            call.touch(str(passage.document_id) for passage in passages)
        return passages

    def resolve(
        self,
        access: Access,
        term: str,
        *,
        context: str = "",
        agent_id: str = "",
        learn: bool = True,
    ) -> Answer:
        """Return what a term stands for, or the one question to ask; may leave no trace."""
        with self.call(access, Action.KNOWLEDGE_RESOLVED) as call:
            answer = call.services.discovery.resolve(
                call.access, term, context=context, agent_id=agent_id, learn=learn
            )
            call.touch(str(quote.document_id) for quote in answer.evidence)
        return answer

    def trace_facts(
        self, access: Access, term: str, *, fact_type: str | None = None
    ) -> tuple[Value, ...]:
        """Return every value known of a term, each with where it stands."""
        with self.call(access, Action.KNOWLEDGE_READ) as call:
            facts = call.services.discovery.provenance(call.access, term, fact_type=fact_type)
            call.touch(str(fact.evidence.document_id) for fact in facts)
        return facts

    def read_artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return one virtual file of the discovery layer, compiled if it is out of date."""
        with self.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.artifact(call.access, name)

    def read_preamble(self, access: Access, *, budget_tokens: int = 2_000) -> str:
        """Return what an agent is told about knowledge, with the catalog when it fits."""
        with self.call(access, Action.KNOWLEDGE_READ) as call:
            return call.services.discovery.preamble(call.access, budget_tokens=budget_tokens)

    def export(self, access: Access) -> Iterator[dict[str, Any]]:
        """Yield everything the space holds, then what of it cannot be read."""
        with self.call(access, Action.EXPORT_MADE) as call:
            records = call.services.transfer.export_readable(call.access)
            for record in self.guard.read_stepwise(call.access, records):
                call.counts["records"] = call.counts.get("records", 0) + 1
                yield record

    def measure_workload(self, access: Access) -> Workload:
        """Tell how long calls take, and what was shed, since the server's start.

        Raises:
            Forbidden: see `require_care`.
        """
        require_care(access)
        slots, watches = self.slots, self.guard.feed.slots
        times = tuple(self.guard.activity.list_times())
        failing = self.upkeep.failures
        return Workload(
            times, slots.running, slots.waiting, slots.refused, watches.count_taken(), failing
        )

    def list_jobs(self, access: Access, *, limit: int = 20) -> BackgroundWork:
        """Tell of the newest jobs, and of upkeep that fails.

        Raises:
            Forbidden: see `require_care`.
        """
        require_care(access)
        jobs = tuple(self.jobs.list_newest(limit))
        if access.owner is not None:
            # Keys and messages name spaces and sources that a member may know nothing of.
            jobs = tuple(replace(job, key="", message="") for job in jobs)
        return BackgroundWork(jobs, tuple(self.upkeep.failing.values()), self.unindexed)

    def warm(self) -> None:
        """Load the model before the first call needs it; a damaged one is told by that call."""
        _answers(lambda: self.embedder.embed(["ready"]))

    def maintain(self) -> None:
        """Do what is due in the background; repairs may take minutes."""
        spaces = SpaceUpkeep(self.guard.pool)
        steps = (
            self.database.catch_up,
            self.database.scrub_if_due,
            self.guard.pool.close_idle,
            spaces.judge_needs,
            spaces.learn_weights,
            spaces.make_topics,
            spaces.sleep,
            spaces.drop_expired,
            spaces.drop_old_decisions,
            spaces.archive_old_turns,
            self._sign_trails,
            self.authenticator.store_uses,
            self.browsers.drop_ended,
            self.connections.drop_ended,
            self.repair_if_possible,
            self.thoughts.searcher.warmer.warm,
            *(index.scrub_if_due for index in self.indexes),
            self.search_processes.run_if_due,
        )
        self.upkeep.run(steps, is_over=lambda: self.closed)

    def _sign_trails(self) -> None:
        if self.guard.pool.keeps_open_spaces:
            self.guard.audit.checkpoint_if_due()

    def repair(self, advance: Callable[[int], None] = lambda _: None) -> None:
        """Index whatever an index lacks; `advance` is told how many are done in all."""
        todo = [(repair, repair.missing()) for repair in self.repairs]
        self.unindexed = sum(len(seqs) for _, seqs in todo)
        done = 0
        for repair, seqs in todo:
            for start in range(0, len(seqs), REPAIRED_AT_ONCE):
                if self.closed:
                    return
                part = seqs[start : start + REPAIRED_AT_ONCE]
                repair.index(part)
                done += len(part)
                self.unindexed -= len(part)
                advance(done)

    def repair_if_possible(self) -> None:
        """Index what is lacking, unless the encoder fails; then it is tried again later."""
        try:
            if self.unindexed:
                self.repair()
        except EmbeddingFailed as error:
            _log.warning("%d are still to be indexed: %s", self.unindexed, error.message)

    def is_ready(self) -> bool:
        """Tell whether the database, through its pool, and every index answer."""
        return _answers(self.database.ping) and all(_answers(index.check) for index in self.indexes)

    @property
    def has_damaged_index(self) -> bool:
        """Tell whether a file of an index is damaged: another start makes it again."""
        return any(index.is_damaged for index in self.indexes)

    def health(self, access: Access) -> Health:
        """Ask every part how it is; a part that fails is told, not raised."""
        with self.call(access, Action.SPACE_READ) as call:
            services = call.services
            is_indexed = all(_answers(index.check) for index in self.indexes)
            thought_points = _try(lambda: services.thought_index.count(call.access.space))
            chunk_points = _try(lambda: services.chunk_index.count(call.access.space))
            practices = _try(lambda: services.knowledge.count(call.access))
            findable = _try(lambda: services.thoughts.progress.count_findable(call.access))
        return Health(
            database=_answers(self.database.ping) and not self.database.is_damaged,
            index=is_indexed and thought_points is not None and chunk_points is not None,
            has_damaged_index=self.has_damaged_index,
            # As a question, which waits for no endpoint that is known to be away.
            embedding=_answers(lambda: self.embedder.encode_query("well?")),
            model=self.embedder.name,
            reader=self.reader.name,
            reading_failure=self.reader.check(),
            thoughts=thought_points or 0,
            practices=practices or 0,
            unindexed=self.unindexed,
            failures=self.upkeep.failures,
            findable=findable or FindableThoughts(0, 0, 0),
            loss=NOTHING if services.seal is None else services.seal.loss,
        )

    def release_waiting(self) -> None:
        """Let go of all who wait or watch, so that a server that ends can answer them."""
        self.jobs.stop_waiting()
        self.guard.feed.end()

    def stop_maintenance(self) -> None:
        """Give up what runs in the background; nothing that was acknowledged is lost by it."""
        self.closed = True
        self.work.set()
        for worker in (self.embedding, self.judging, self.search_processes):
            worker.stop()

    def close(self) -> None:
        """Release every file."""
        self.stop_maintenance()
        self.tool_servers.close()
        self.jobs.close()
        self.guard.pool.close_all()
        for part in (*self.indexes, self.extractor, self.database):
            part.close()


def _try(read: Callable[[], _Answer]) -> _Answer | None:
    with suppress(WellwornError):
        return read()
    return None


def _answers(question: Callable[[], object]) -> bool:
    with suppress(WellwornError):
        question()
        return True
    return False
