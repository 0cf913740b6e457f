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
        """Tell what several said in the same words, and who of them by themselves.

        Somebody found it independently whom no door of the memory had shown it to before; echoes
        are counted apart, and where the record does not reach back it is not known.

        Args:
            since: Only what was said again since then.
            limit: Most.

        Example:
            memory.convergence(since="2026-11-22").counts.independent
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
