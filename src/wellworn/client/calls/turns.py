"""Turns: questions that are worked on in phases, with their answers and their files."""

from __future__ import annotations

from contextlib import aclosing
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias
from uuid import uuid4

from pydantic import Field

from wellworn.client import models
from wellworn.client.decode import decode
from wellworn.client.errors import UNREACHABLE, WellwornClientError
from wellworn.client.fields import AgentId, Moment, UpToHundred, Uuid
from wellworn.client.operations import Calls, Operation
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_call
from wellworn.client.wire import read_events
from wellworn.kit.pictures import encode_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_LONGEST_SILENCE_S: Final = 60.0
"""The server says every few seconds that it is still at work."""
_AS_BODY: Final = (400, 404, 413, 415)
_EVENTS: Final = {"accept": "text/event-stream"}

TurnId: TypeAlias = Annotated[Uuid, Field(description="UUID of a turn.")]


class TurnCalls(Calls):
    """The calls about turns."""

    @wrap_call
    async def ask(
        self,
        query: str,
        *,
        follows: str | None = None,
        on_phase: Callable[[models.TurnPhase], None] | None = None,
    ) -> models.TurnAnswer:
        """Ask something that is looked up, answered with its sources and checked, in a turn.

        The turn goes on in the server when the connection is lost; `list_turns` finds it then.

        Args:
            query: one question or several.
            follows: id of a turn to go on from.
            on_phase: called as each phase begins.
        """
        body = {"query": query, "agent_id": self.agent_id, "agent_name": self.agent_name}
        headers = {"idempotency-key": str(uuid4())}
        return await self._follow(path_of("turns"), body | {"follows": follows}, on_phase, headers)

    @wrap_call
    async def resume_turn(
        self, turn_id: str, *, on_phase: Callable[[models.TurnPhase], None] | None = None
    ) -> models.TurnAnswer:
        """Go on with an interrupted turn from its last finished phase; one that is over is read."""
        return await self._follow(path_of("turns", turn_id, "resume"), None, on_phase)

    @wrap_call
    async def open_turn(
        self,
        query: str,
        *,
        follows: str | None = None,
        engine: str | None = None,
        key: str | None = None,
        asked_at: str | None = None,
    ) -> models.Turn:
        """Begin a turn that you work on yourself; append to it, and close it.

        Args:
            query: what is asked.
            follows: id of a turn to go on from.
            engine: what answers, such as a model's name; by default your agent's id.
            key: a name of your own; opened again under it, it is the same turn.
            asked_at: when it was asked, ISO 8601; by default now.
        """
        body = {"query": query, "agent_id": self.agent_id, "agent_name": self.agent_name}
        more = {"follows": follows, "engine": engine, "key": key, "asked_at": asked_at}
        return await self._wire.send(
            models.Turn, "POST", path_of("turns", "open"), body=body | more
        )

    @wrap_call
    async def append_to_turn(
        self,
        turn_id: str,
        entries: Sequence[Mapping[str, object]],
        *,
        idempotency_key: str | None = None,
    ) -> tuple[models.TurnSource, ...]:
        """Append what was done in an open turn; return what can be cited, each with its number.

        Args:
            turn_id: of a turn of `open_turn`.
            entries: each with `result`, and for a tool `tool`, `arguments`, `sources` (each with
                `text` and `source`) and `is_ok`.
            idempotency_key: entries appended again under it are kept once; by default a new one.
        """
        path, body = path_of("turns", turn_id, "entries"), {"entries": list(entries)}
        headers = {"idempotency-key": idempotency_key or str(uuid4())}
        answer = await self._wire.send(
            models.CitableSources, "POST", path, body=body, headers=headers
        )
        return answer.sources

    @wrap_call
    async def close_turn(
        self, turn_id: str, answer: str, claims: Sequence[Mapping[str, object]] = ()
    ) -> models.TurnAnswer:
        """End an open turn with its answer.

        Args:
            turn_id: of a turn of `open_turn`.
            answer: the answer.
            claims: what it states, each with `text` and the number of its source, `evidence`.
        """
        path, body = path_of("turns", turn_id, "close"), {"answer": answer, "claims": list(claims)}
        return await self._wire.send(models.TurnAnswer, "POST", path, body=body, once=True)

    @Operation("GET /api/v1/turns")
    def list_turns(
        self,
        *,
        agent_id: AgentId | None = None,
        limit: UpToHundred = 20,
        before: Uuid | None = None,
        archived: bool = False,
    ) -> models.TurnList:
        """List turns, newest first: a member's own, or at the open door an agent's or all.

        Args:
            agent_id: Only what this agent asked.
            before: `next_before` of the page before.
            archived: List the archived turns instead.

        Example:
            memory.list_turns(limit=5).turns[0].query
        """
        ...

    @Operation(
        "GET /api/v1/turns/research", models.ResearchList, returns="documents", failures=(400,)
    )
    def list_research(
        self,
        *,
        agent_id: AgentId | None = None,
        topic: Annotated[str | None, Field(min_length=1, max_length=200)] = None,
        limit: UpToHundred = 20,
    ) -> tuple[models.ResearchDocument, ...]:
        """List what turns read on the web, newest first, with the state of each document.

        Args:
            agent_id: Only what this agent's turns read.
            topic: Only on this topic or a part of it.
        """
        ...

    @Operation("GET /api/v1/turns/statistics", failures=(400,))
    def get_turn_statistics(
        self, *, agent_id: AgentId | None = None, days: Annotated[int, Field(ge=1, le=366)] = 30
    ) -> models.TurnStatistics:
        """Return daily totals of turns, and how visits to sites went.

        Args:
            agent_id: Only turns of this agent.
            days: Most days with turns.
        """
        ...

    @Operation("GET /api/v1/turns/{turn_id:id}")
    def get_turn(self, turn_id: TurnId) -> models.TurnAnswer:
        """Return the outcome of a turn, or how far it is. Its text is empty until it is over."""
        ...

    @Operation("GET /api/v1/turns/{turn_id:id}/files", models.TurnFiles, returns="files")
    def list_turn_files(self, turn_id: TurnId) -> tuple[str, ...]:
        """List the files of a turn."""
        ...

    @wrap_call
    async def read_turn_file(self, turn_id: str, path: str = "context.md") -> str:
        """Read a file of a turn; of a picture, its bytes in base64."""
        raw = await self._wire.get(bytes, path_of("turns", turn_id, "files", *path.split("/")))
        return encode_file(path, raw)

    @Operation(
        "POST /api/v1/turns/archive", models.ArchivedTurns, returns="turns", body="ArchiveRequest"
    )
    def archive_turns(
        self, *, before: Moment, agent_id: AgentId | None = None, dry_run: bool = False
    ) -> tuple[models.Turn, ...]:
        """Archive turns that ended long ago, so that later turns do not search them.

        Args:
            before: Those that ended before this moment.
            agent_id: Only turns of this agent.
            dry_run: Only list what would be archived.

        Example:
            memory.archive_turns(before="2026-01-01", dry_run=True)
        """
        ...

    @Operation("POST /api/v1/turns/{turn_id:id}/restore", failures=_AS_BODY)
    def restore_turn(self, turn_id: TurnId) -> models.Turn:
        """Restore an archived turn. One that is not archived is returned as it is."""
        ...

    @Operation(
        "DELETE /api/v1/turns/{turn_id:id}", models.RemovedTurn, failures=_AS_BODY, once=True
    )
    def delete_turn(self, turn_id: TurnId) -> None:
        """Delete a turn and its files."""

    @Operation("POST /api/v1/turns/rebuild", models.IndexedTurns, failures=())
    def rebuild_turns(self) -> int:
        """Rebuild the index of turns from their files.

        Returns:
            How many turns there are.
        """
        ...

    async def _follow(
        self,
        path: str,
        body: Mapping[str, object] | None,
        on_phase: Callable[[models.TurnPhase], None] | None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> models.TurnAnswer:
        """Read the events of a turn until its answer."""
        lines = self._wire.stream(
            path,
            bytes,
            timeout_s=_LONGEST_SILENCE_S,
            method="POST",
            body=body,
            headers=_EVENTS | {**headers},
        )
        events = read_events(lines)
        async with aclosing(events):
            async for name, value in events:
                if name == b"answer":
                    return decode(models.TurnAnswer, value)
                if name == b"phase" and on_phase is not None:
                    on_phase(decode(models.TurnPhase, value))
        raise WellwornClientError(UNREACHABLE, "the connection ended before the turn did")
