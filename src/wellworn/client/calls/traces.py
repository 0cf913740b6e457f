"""The calls about the traces of a memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from wellworn.client import models
from wellworn.client.decode import decode
from wellworn.client.fields import Moment, UpToHundred, Uuid
from wellworn.client.operations import Calls, Operation
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_stream
from wellworn.client.wire import read_events

_LONGEST_SILENCE_S: Final = 60.0
"""The server says now and then that nothing happened."""


class TraceCalls(Calls):
    """The calls that tell what the traces know."""

    @Operation("GET /api/v1/decisions", failures=(400, 404))
    def decisions(
        self,
        *,
        query_id: Uuid | None = None,
        session_id: Uuid | None = None,
        thought_id: Uuid | None = None,
        limit: UpToHundred = 20,
    ) -> models.Decisions:
        """Tell what calls showed, what they withheld and why, and what they stored.

        Members are told of their own calls, admins of everybody's. Leaves no trail.

        Args:
            query_id: Of this call alone.
            session_id: Of this session alone.
            thought_id: Only those that showed or withheld this thought.
            limit: Most.

        Example:
            memory.decisions(thought_id=thought_id).decisions
        """
        ...

    @Operation("GET /api/v1/convergence", failures=(400, 404))
    def convergence(
        self, *, since: Moment | None = None, limit: UpToHundred = 20
    ) -> models.Convergence:
        """Tell what several said in the same words, who of them by themselves, and who gathered.

        Somebody found it independently whom no door of the memory had shown it to before; echoes
        are counted apart, and where the record does not reach back it is not known. Several
        gathered where more agents asked about one thing in the last three days than chance would
        have it, by what each usually asks.

        Args:
            since: Only what was said again since then.
            limit: Most.

        Example:
            memory.convergence(since="2026-11-22").counts.independent
        """
        ...

    @Operation("GET /api/v1/sessions")
    def sessions(self, *, limit: UpToHundred = 20) -> models.Sessions:
        """List the sessions that something was asked in last.

        Members are told of their own, admins of everybody's. Leaves no trail.

        Args:
            limit: Most.

        Example:
            memory.sessions().sessions[0].session_id
        """
        ...

    @Operation("GET /api/v1/sessions/{session_id}/trajectory")
    def trajectory(self, session_id: Uuid) -> models.SessionPath:
        """Tell how a session moved: how far from question to question, and in which way.

        It has a regime only if few orders of the same questions would show as much. Members are
        told of their own sessions, admins of everybody's. Leaves no trail.

        Args:
            session_id: The session.

        Example:
            memory.trajectory(session_id).regime
        """
        ...

    @wrap_stream
    async def events(self, *, limit: int | None = None) -> AsyncGenerator[models.SpaceEvent]:
        """Stream what happens in the space from now on: kinds and ids of what you may see.

        The first one, `watching`, says that nothing is missed from then on. The stream ends when
        the server does.

        Args:
            limit: End after so many.

        Example:
            next(memory.events()).kind
        """
        lines = self._wire.stream(
            path_of("events"), bytes, timeout_s=_LONGEST_SILENCE_S, limit=limit
        )
        events = read_events(lines)
        async with aclosing(events):
            async for _, value in events:
                yield decode(models.SpaceEvent, value)
