"""A memory that lives in a list, the MCP endpoint over it, and a real HTTP server around that."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
import uvicorn
from mcp import Client
from mcp.types import Implementation
from starlette.applications import Starlette
from starlette.routing import Route

import wellworn
from patience import LONG_S
from wellworn.application.calls import CallContext
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Answer, Artifact, ArtifactName, Value
from wellworn.domain.memory import Contribute, Prompt, Reply
from wellworn.domain.memory.models import Disambiguation, ReplyResult, ReplySource, ReplyTrace
from wellworn.domain.outline import OutlineAnswer, TextPage
from wellworn.domain.sources import Snippet
from wellworn.domain.sources import Source as KnowledgeSource
from wellworn.domain.spaces import Access, Role, local_access
from wellworn.domain.thoughts import FeedbackSignal, FoundThought
from wellworn.domain.thoughts.models import ThoughtType, TracedThought
from wellworn.domain.turns import Listener, TurnAnswer, TurnQuery
from wellworn.engines.slots import CallerSlots
from wellworn.errors import ThoughtNotFound, TurnNotFound
from wellworn.interfaces.mcp import mcp_app
from wellworn.interfaces.mcp.protocol import server

NOON = 1_771_858_800.0


@dataclass
class ListKnowledge:
    """Documents that answer as they are told to; it notes what was asked of it."""

    found: list[Snippet] = field(default_factory=list)
    known: list[KnowledgeSource] = field(default_factory=list)
    answer: Answer | None = None
    values: tuple[Value, ...] = ()
    files: dict[ArtifactName, str] = field(default_factory=dict)
    preface: str = "Ask before you guess."
    calls: list[tuple] = field(default_factory=list)
    failure: Exception | None = None

    def list_sources(self, access: Access) -> list[KnowledgeSource]:
        return self.told(self.known)

    def told(self, answer):
        if self.failure is not None:
            raise self.failure
        return answer


@dataclass
class ListTurns:
    """Turns that end as they are told to; it notes what was asked."""

    answer: TurnAnswer | None = None
    files: dict[tuple[str, str], str] = field(default_factory=dict)
    queries: list[TurnQuery] = field(default_factory=list)
    failure: Exception | None = None
    slots: CallerSlots = field(default_factory=lambda: CallerSlots("turns"))

    def ask(self, access: Access, query: TurnQuery, notify: Listener | None = None) -> TurnAnswer:
        self.queries.append(query)
        if self.failure is not None:
            raise self.failure
        return self.answer

    def list_files(self, access: Access, turn_id: str) -> list[str]:
        return [path for each, path in self.files if each == turn_id]

    def read_file(self, access: Access, turn_id: str, path: str) -> str:
        if (turn_id, path) not in self.files:
            raise TurnNotFound("the turn has no such file")
        return self.files[turn_id, path]


class WholeIds:
    """Ids as they are: nothing begins like another."""

    def complete(self, access: Access, beginning: str) -> str:
        return beginning

    complete_place = complete

    def shorten(self, access: Access, thought_ids: Iterable[str]) -> dict[str, str]:
        return {thought_id: thought_id for thought_id in thought_ids}

    shorten_places = shorten


@dataclass
class ListMemory:
    """The shortest memory that keeps what the tools rely on; it notes who said what to it."""

    records: list[TracedThought] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    calls: list[tuple] = field(default_factory=list)
    entered: list[tuple] = field(default_factory=list)
    failure: Exception | None = None
    refusal: Exception | None = None
    disambiguation: Disambiguation | None = None
    highways: tuple[str, ...] = ()
    guidance: str | None = None
    documents: ListKnowledge = field(default_factory=ListKnowledge)
    turns: ListTurns = field(default_factory=ListTurns)
    guard: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(thought_ids=WholeIds()))
    outlined: OutlineAnswer = field(default_factory=lambda: OutlineAnswer(None))
    passage: TextPage = field(default_factory=lambda: TextPage(None))
    admission: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(name_caller=lambda _shown, address: (address,))
    )
    connections: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(public_url=None))

    def enter(self, shown: str | None, space: str | None, *, writes: bool, address: str) -> Access:
        self.entered.append((shown, space, writes))
        if self.refusal is not None:
            raise self.refusal
        return local_access()

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        self._fail()
        self.prompts.append(prompt)
        shown = [self._source(record, prompt) for record in self.records][: prompt.limit]
        known = [one.thought_id for one in self.records if one.content == prompt.prompt]
        stored = prompt.contribute is Contribute.ALWAYS and not known
        if stored:
            known = [self.hold(prompt.prompt, prompt.agent_id, prompt.agent_name, prompt.tags)]
        result = ReplyResult("", tuple(shown), self.highways, self.disambiguation, self.guidance)
        trace = ReplyTrace(
            session_id=prompt.session_id or str(uuid4()),
            operations=(),
            thoughts_retrieved=len(shown),
            thoughts_contributed=int(stored),
            contribution_threshold_met=False,
            context_used=False,
            retrieval_method="hybrid",
            thought_id=known[0] if prompt.contribute is Contribute.ALWAYS else None,
        )
        return Reply(result, trace)

    @contextmanager
    def call(self, access: Access, action: Action, role: Role = Role.READER, *, targets=()):
        """Open a call whose services are this memory."""
        yield CallContext(SimpleNamespace(thoughts=self, sources=self.documents), access, action)

    def search_documents(
        self, access: Access, text: str, *, limit: int, sources: tuple[int, ...] | None
    ) -> list[Snippet]:
        self.documents.calls.append(("search", text, limit, sources))
        return self.documents.told(self.documents.found[:limit])

    def resolve(
        self, access: Access, term: str, *, context: str = "", agent_id: str = ""
    ) -> Answer:
        self.documents.calls.append(("resolve", term, context, agent_id))
        return self.documents.told(self.documents.answer)

    def trace_facts(
        self, access: Access, term: str, *, fact_type: str | None = None
    ) -> tuple[Value, ...]:
        self.documents.calls.append(("provenance", term, fact_type))
        return self.documents.told(self.documents.values)

    def read_artifact(self, access: Access, name: ArtifactName) -> Artifact:
        self.documents.calls.append(("artifact", name))
        content = self.documents.files.get(name, "")
        return self.documents.told(Artifact(name, content, "f00", NOON, "1"))

    def read_preamble(self, access: Access) -> str:
        return self.documents.told(self.documents.preface)

    def judge(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: FeedbackSignal,
        agent_id: str | None = None,
    ) -> float:
        self._fail()
        self.calls.append(("judge", session_id, thought_id, signal, agent_id))
        return 1.1

    def forget(
        self, access: Access, thought_id: str, *, agent_id: str, reason: str | None = None
    ) -> float:
        self._fail()
        self.read_thought(access, thought_id)
        self.calls.append(("forget", thought_id, agent_id, reason))
        return NOON

    def look_up(self, access: Access, query: str, *, limit: int = 10) -> list[FoundThought]:
        self._fail()
        self.calls.append(("look_up", query, limit))
        return [
            FoundThought(
                seq=1,
                thought_id=one.thought_id,
                content=one.content,
                contributor_id=one.contributor_id,
                contributor_name=one.contributor_name,
                score=0.5,
                keyword=0.0,
                rank_score=0.5,
                parts={},
                tags=one.tags,
                pheromone_weight=1.0,
                access_count=0,
                unique_users=0,
                created_at=one.created_at,
            )
            for one in self.records
        ]

    def outline(
        self, access: Access, of: str | None = None, *, depth: int = 1, offset: int = 0
    ) -> OutlineAnswer:
        self._fail()
        self.calls.append(("outline", of, depth, offset))
        return self.outlined

    def read(self, access: Access, node: str, *, offset: int = 0) -> TextPage:
        self._fail()
        self.calls.append(("read", node, offset))
        return self.passage

    def read_thought(self, access: Access, thought_id: str) -> TracedThought:
        self._fail()
        for one in self.records:
            if one.thought_id == thought_id:
                return one
        raise ThoughtNotFound("no thought has this thought_id")

    def hold(
        self, content: str, agent_id: str = "dev", name: str = "DEV Agent", tags: tuple = ()
    ) -> str:
        self.records.append(
            TracedThought(
                thought_id=str(uuid4()),
                contributor_id=agent_id,
                contributor_name=name,
                content=content,
                context_metadata=None,
                created_at=NOON,
                thought_type=ThoughtType.ORIGINAL,
                source_ids=(),
                tags=tags,
                access_count=0,
                last_accessed=None,
                accessed_by=(),
                access_log=(),
                co_retrieved_with=(),
                pheromone_weight=1.0,
                knowledge_space_id="ks-default",
            )
        )
        return self.records[-1].thought_id

    def _source(self, record: TracedThought, prompt: Prompt) -> ReplySource:
        plain = ReplySource(record.thought_id, record.contributor_name, 0.87, record.content[:80])
        if not prompt.explain:
            return plain
        return ReplySource(
            plain.thought_id,
            plain.contributor,
            plain.score,
            plain.content_preview,
            content=record.content,
            tags=record.tags,
            created_at="2026-02-23T15:00:00.000000Z",
            why={"dense": 0.87},
        )

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def environment() -> dict[str, str]:
    """For processes that import the package under test."""
    return {**os.environ, "PYTHONPATH": str(Path(wellworn.__file__).parents[1])}


@pytest.fixture
def memory() -> ListMemory:
    return ListMemory()


@pytest.fixture
def connected(memory: ListMemory) -> Callable[..., Client]:
    """Return a client of the server in this process, by a name."""

    def connect(name: str = "test-client", mode: str = "legacy") -> Client:
        info = Implementation(name=name, version="1")
        return Client(server(memory, version="1.2.3"), mode=mode, client_info=info)

    return connect


Serve = Callable[[], "Running"]


@dataclass(frozen=True)
class Running:
    """A server on loopback; `stop` ends it before the test does."""

    url: str
    stop: Callable[[], None]


@contextmanager
def served(memory: ListMemory) -> Iterator[Running]:
    endpoint = mcp_app(memory, version="1.2.3")

    @asynccontextmanager
    async def lifespan(app):
        async with endpoint.running():
            yield

    app = Starlette(routes=[Route("/mcp", endpoint=endpoint)], lifespan=lifespan)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1)
    web = uvicorn.Server(config)
    thread = threading.Thread(target=web.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()

    def stop() -> None:
        web.should_exit = True
        thread.join(timeout=LONG_S)
        listener.close()

    try:
        yield Running(f"http://127.0.0.1:{listener.getsockname()[1]}", stop)
    finally:
        stop()


@pytest.fixture
def serve(memory: ListMemory) -> Iterator[Serve]:
    """Start servers over the one memory, as one daemon after another would."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(served(memory))


@pytest.fixture
def url(serve: Serve) -> str:
    return serve().url
