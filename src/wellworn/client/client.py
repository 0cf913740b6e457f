"""The client: one method for each call of the API."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
)
from uuid import uuid4

import anyio
import httpx2
from anyio import to_thread

from wellworn.client import models
from wellworn.client.batches import merge_imports, spool
from wellworn.client.calls import (
    CurationCalls,
    KnowledgeCalls,
    OutlineCalls,
    SourceCalls,
    SpaceCalls,
    ThoughtCalls,
    TraceCalls,
    TurnCalls,
)
from wellworn.client.environment import build_headers, is_there, name_address
from wellworn.client.errors import WellwornClientError
from wellworn.client.twins import (
    AsyncTwin,
    BlockingTransport,
    BlockingTwin,
    run_at_once,
    wrap_call,
    wrap_stream,
)
from wellworn.client.wire import Connection, Network, is_secure, parse_record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence

Transport = TypeVar("Transport")
Pause = TypeVar("Pause")
Address: TypeAlias = str | Callable[[], str]
AsyncPause: TypeAlias = Callable[[float], Awaitable[None]]

_LONG_S = 300.0
"""The longest wait for a batch to be stored."""
_LONGEST_S = 3_600.0
"""For what waits until thoughts are embedded."""
_POLL_EVERY_S = 2.0


class Ask(TypedDict, total=False):
    """The options of a prompt; their names and limits are those of the HTTP API.

    `explain` is on unless it is turned off: sources come with their full content and their time.
    """

    context: str | None
    session_id: str | None
    tags: Sequence[str]
    filter_tags: Sequence[str]
    match_all_tags: bool
    exclude_self: bool
    min_score: float | None
    limit: int
    retrieval_method: Literal["hybrid", "vector"] | None
    explain: bool
    include_unverified: bool
    include_knowledge: bool
    replaces: Sequence[str]
    source_ids: Sequence[str]
    as_of: str | None
    since: str | None
    until: str | None
    by: str | None
    history: bool
    min_relevance: float | None
    expires_at: str | None
    idempotency_key: str | None


class MemoryClient(
    TurnCalls,
    ThoughtCalls,
    CurationCalls,
    TraceCalls,
    SpaceCalls,
    OutlineCalls,
    SourceCalls,
    KnowledgeCalls,
    Generic[Transport, Pause],
):
    """The calls that both clients have, each written once."""

    def __init__(  # noqa: PLR0913 - the last three are for tests and odd networks
        self,
        url: Address | None = None,
        *,
        agent_id: str = "python",
        agent_name: str | None = None,
        key: str | None = None,
        space: str | None = None,
        project: bool = False,
        timeout_s: float = 30.0,
        attempts: int = 3,
        transport: Transport | None = None,
        pause: Pause | None = None,
    ) -> None:
        """Open a memory at an address, spoken to as one agent.

        Args:
            url: where it is, or a function that finds it, now and when the connection is lost; else
                the variable WELLWORN_URL, else the server of the data folder (WELLWORN_HOME,
                ~/.wellworn), which is started when it does not run.
            agent_id: who is talking; contributions and trails are counted for this name.
            agent_name: the same for human eyes; `agent_id` when absent.
            key: who may talk; else the variable WELLWORN_KEY, else the call is made without a key.
            space: id of the space; else the variable WELLWORN_SPACE, else the default space.
            project: without a space and a key, talk to the project of the working directory.
            timeout_s: how long one answer may take.
            attempts: how often a call is tried when the connection is lost, at least once.
            transport: stands in for the network, for tests.
            pause: waits the given seconds between attempts.

        Raises:
            WellwornClientError: the key, the id of the space or the `.wellworn` file is malformed,
                or no server starts.
        """
        self.agent_id = agent_id
        self.agent_name = agent_name or agent_id
        self._attempts = max(attempts, 1)
        address = name_address(url)
        self._wire = Connection(
            address,
            self._adapt(address, transport, pause),
            timeout_s=timeout_s,
            attempts=attempts,
            headers=build_headers(key, space, is_project=project),
            is_there=partial(is_there, address),
        )
        if isinstance(self, BlockingTwin):
            run_at_once(self._wire.open())

    @abstractmethod
    def _adapt(self, address: Address, transport: Transport | None, pause: Pause | None) -> Network:
        """Return what the calls go over."""

    @property
    def url(self) -> str:
        """The address of the memory, without a slash at its end."""
        return self._wire.url

    @wrap_call
    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    @wrap_call
    async def converse(self, prompt: str, **options: Unpack[Ask]) -> models.Reply:
        """Say anything: the memory answers, and keeps the prompt if it is an insight."""
        return await self._send_prompt(prompt, "auto", options)

    @wrap_call
    async def remember(self, content: str, **options: Unpack[Ask]) -> models.Reply:
        """Store a thought, however short, even a question; return what is related to it."""
        return await self._send_prompt(content, "always", options)

    @wrap_call
    async def recall(self, question: str, **options: Unpack[Ask]) -> models.Reply:
        """Ask without storing the question; thoughts that are returned are reinforced."""
        return await self._send_prompt(question, "never", options)

    @wrap_call
    async def feedback(
        self, session_id: str, thought_id: str, signal: models.Signal
    ) -> models.Feedback:
        """Judge a thought that was returned in a session; a second signal replaces the first.

        `outdated` and `wrong` end its being shown as true; `none` takes a signal back.
        """
        body = {"session_id": session_id, "thought_id": thought_id, "signal": signal}
        body["agent_id"] = self.agent_id
        return await self._wire.send(models.Feedback, "POST", "/api/v1/memory/feedback", body=body)

    @wrap_stream
    def export(self) -> AsyncGenerator[dict[str, Any]]:
        """Stream every record in canonical order."""
        return self._wire.stream("/api/v1/export", parse_record, timeout_s=_LONG_S)

    @wrap_call
    async def import_records(
        self,
        records: Iterable[Mapping[str, Any]],
        *,
        on_batch: Callable[[int], None] | None = None,
        wait: Literal["words", "embedded"] = "words",
    ) -> models.Imported:
        """Send records in batches; records that are there already are passed over.

        All are read before the first is sent, and nothing is stored where the caller may not bring
        in one of their kinds. Thoughts are found by their words then, and by meaning a while later:
        `wait="embedded"` waits for that, too. An interrupted import is resumed by running it again.
        `on_batch` gets the number of records of each batch that was sent.

        Raises:
            WellwornClientError: FORBIDDEN, and other refusals.
        """
        answers: list[models.Imported] = []
        with spool(records) as spooled:
            for count, batch in spooled.split_into_batches():
                answers.append(await self._bring(batch, wait, spooled.kinds))
                if on_batch is not None:
                    on_batch(count)
        return merge_imports(answers)

    @wrap_call
    async def check_import(self, kinds: Sequence[str]) -> None:
        """Check that the caller may import records of some kinds, such as `end`; nothing is sent.

        Raises:
            WellwornClientError: FORBIDDEN: one of them takes a greater role.
        """
        await self._import(b"\n", "words", kinds)

    async def _bring(self, batch: bytes, wait: str, kinds: Sequence[str]) -> models.Imported:
        answer = latest = await self._import_patiently(batch, wait, kinds)
        while wait == "embedded" and not latest.findable.is_embedded:
            await self._wire.pause(_POLL_EVERY_S)
            latest = await self._import_patiently(batch, wait, kinds)
        return answer.model_copy(update={"findable": latest.findable})

    async def _import_patiently(
        self, batch: bytes, wait: str, kinds: Sequence[str]
    ) -> models.Imported:
        for _ in range(self._attempts - 1):
            try:
                return await self._import(batch, wait, kinds)
            except WellwornClientError as refusal:
                # Batches that are known already are sent faster than a member may call.
                if refusal.retry_after_s is None:
                    raise
                await self._wire.pause(refusal.retry_after_s)
        return await self._import(batch, wait, kinds)

    async def _import(self, batch: bytes, wait: str, kinds: Sequence[str]) -> models.Imported:
        path, is_long = "/api/v1/import", wait != "words"
        params: dict[str, Any] = {"kinds": kinds} | ({"wait": wait} if is_long else {})
        timeout_s = _LONGEST_S if is_long else _LONG_S
        return await self._wire.send(
            models.Imported, "POST", path, params=params, body=batch, timeout_s=timeout_s
        )

    async def _send_prompt(self, prompt: str, contribute: str, options: Ask) -> models.Reply:
        # What the method itself says must not be dropped in silence.
        if taken := {"prompt", "contribute", "agent_id", "agent_name"} & options.keys():
            told = "remember() keeps a prompt, recall() keeps none; agents are told to the client"
            raise TypeError(f"no option of a prompt: {', '.join(sorted(taken))}; {told}")
        fields: dict[str, Any] = {"explain": True, **options}
        key = str(fields.pop("idempotency_key", None) or uuid4())
        body = {**fields, "prompt": prompt, "contribute": contribute}
        body |= {"agent_id": self.agent_id, "agent_name": self.agent_name}
        headers = {"idempotency-key": key}
        return await self._wire.send(
            models.Reply, "POST", "/api/v1/memory", body=body, headers=headers
        )


class Wellworn(BlockingTwin, MemoryClient[httpx2.BaseTransport, Callable[[float], None]]):
    """A memory whose calls return their results.

    Example:
        with Wellworn(agent_id="ana") as memory:
            print(memory.recall("Which port has staging?").response)
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _adapt(
        self,
        address: Address,
        transport: httpx2.BaseTransport | None,
        pause: Callable[[float], None] | None,
    ) -> Network:
        async def wait(seconds: float) -> None:
            (pause or time.sleep)(seconds)

        async def run(find: Callable[[], str]) -> str:
            return find()

        if transport is None:
            transport = httpx2.HTTPTransport(verify=is_secure(address), trust_env=False)
        return Network(BlockingTransport(transport), wait, run, nullcontext())


class AsyncWellworn(AsyncTwin, MemoryClient[httpx2.AsyncBaseTransport, AsyncPause]):
    """A memory whose calls are awaited, many at a time if need be; its streams want `async for`.

    The server of the data folder is found, or started, when the first call or `async with` needs
    it; the event loop goes on meanwhile.

    Example:
        async with AsyncWellworn(agent_id="ana") as memory:
            await memory.remember("Staging listens on port 8443.")
    """

    async def __aenter__(self) -> Self:
        await self._wire.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _adapt(
        self,
        address: Address,  # noqa: ARG002 - of the port
        transport: httpx2.AsyncBaseTransport | None,
        pause: AsyncPause | None,
    ) -> Network:
        run = partial(to_thread.run_sync, abandon_on_cancel=True)
        return Network(transport, pause or anyio.sleep, run, anyio.Lock())
