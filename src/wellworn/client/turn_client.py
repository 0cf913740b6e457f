"""Turns: questions that are worked on in phases, with their answers and their files."""

from __future__ import annotations

from contextlib import aclosing
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from wellworn.client import models
from wellworn.client.decode import decode
from wellworn.client.errors import UNREACHABLE, WellwornClientError
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_call
from wellworn.client.wire import read_refusal
from wellworn.kit.pictures import encode_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wellworn.client.wire import Connection


_LONGEST_SILENCE_S: Final = 60.0
"""The server says every few seconds that it is still at work."""
_EVENTS: Final = {"accept": "text/event-stream"}


class TurnClient:
    """The calls about turns."""

    _wire: Connection
    agent_id: str
    agent_name: str

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

    @wrap_call
    async def list_turns(
        self,
        *,
        agent_id: str | None = None,
        limit: int = 20,
        before: str | None = None,
        archived: bool = False,
    ) -> models.TurnList:
        """List turns, newest first; `next_before` brings the next page.

        Args:
            agent_id: only turns of this agent.
            limit: most turns of a page.
            before: `next_before` of the page before.
            archived: list the turns of the archive instead.
        """
        params = {"agent_id": agent_id, "before": before, "archived": archived or None}
        return await self._wire.get(models.TurnList, path_of("turns"), limit=limit, **params)

    @wrap_call
    async def list_research(
        self, *, agent_id: str | None = None, topic: str | None = None, limit: int = 20
    ) -> tuple[models.ResearchDocument, ...]:
        """List what turns read on the web, newest first; each is `research.md` of its turn."""
        params = {"agent_id": agent_id, "topic": topic}
        path = path_of("turns", "research")
        return (await self._wire.get(models.ResearchList, path, limit=limit, **params)).documents

    @wrap_call
    async def get_turn_statistics(
        self, *, agent_id: str | None = None, days: int = 30
    ) -> models.TurnStatistics:
        """Read what turns came to by day, and how visits to sites went."""
        path = path_of("turns", "statistics")
        return await self._wire.get(models.TurnStatistics, path, days=days, agent_id=agent_id)

    @wrap_call
    async def get_turn(self, turn_id: str) -> models.TurnAnswer:
        """Read what a turn ended in, or how far it is."""
        return await self._wire.get(models.TurnAnswer, path_of("turns", turn_id))

    @wrap_call
    async def list_turn_files(self, turn_id: str) -> tuple[str, ...]:
        """List the files of a turn by their paths in its folder."""
        return (await self._wire.get(models.TurnFiles, path_of("turns", turn_id, "files"))).files

    @wrap_call
    async def read_turn_file(self, turn_id: str, path: str = "context.md") -> str:
        """Read a file of a turn; of a picture, its bytes in base64."""
        raw = await self._wire.get(bytes, path_of("turns", turn_id, "files", *path.split("/")))
        return encode_file(path, raw)

    @wrap_call
    async def archive_turns(
        self, *, before: str, agent_id: str | None = None, dry_run: bool = False
    ) -> tuple[models.Turn, ...]:
        """Archive the turns that ended before a time, so that later ones do not look through them.

        They are read and restored as before.

        Args:
            before: ISO 8601.
            agent_id: only turns of this agent.
            dry_run: only return what would be archived.
        """
        body = {"before": before, "agent_id": agent_id, "dry_run": dry_run}
        return (
            await self._wire.send(
                models.ArchivedTurns, "POST", path_of("turns", "archive"), body=body
            )
        ).turns

    @wrap_call
    async def restore_turn(self, turn_id: str) -> models.Turn:
        """Move a turn out of the archive; one that is not there is returned as it is."""
        return await self._wire.send(models.Turn, "POST", path_of("turns", turn_id, "restore"))

    @wrap_call
    async def delete_turn(self, turn_id: str) -> None:
        """Delete a turn with its files."""
        await self._wire.send(models.RemovedTurn, "DELETE", path_of("turns", turn_id), once=True)

    @wrap_call
    async def rebuild_turns(self) -> int:
        """Make the index of the space's turns anew from their files; return how many there are."""
        path = path_of("turns", "rebuild")
        return (await self._wire.send(models.IndexedTurns, "POST", path)).indexed

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
        name = b""
        async with aclosing(lines):
            async for line in lines:
                field, _, value = line.partition(b": ")
                if field == b"event":
                    name = value
                elif field != b"data":
                    continue
                elif name == b"answer":
                    return decode(models.TurnAnswer, value)
                elif name == b"error":
                    raise read_refusal(value)
                elif name == b"phase" and on_phase is not None:
                    on_phase(decode(models.TurnPhase, value))
        raise WellwornClientError(UNREACHABLE, "the connection ended before the turn did")
