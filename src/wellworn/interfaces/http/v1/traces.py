"""Serves what the traces of a memory tell, over HTTP, and the live feed of a space.

The feed is a stream of events, with kinds and ids and no words.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import chain
from typing import Annotated

from fastapi import Query
from fastapi.responses import StreamingResponse

from wellworn.application.calls import CallContext, SpaceEvent
from wellworn.client import models as shapes
from wellworn.client.calls import TraceCalls
from wellworn.client.models import Convergence
from wellworn.domain.audit import Action
from wellworn.errors import WellwornError
from wellworn.interfaces.event_stream import (
    EVENTS,
    NOTHING_HAPPENED,
    format_event,
    stream,
)
from wellworn.interfaces.http.access import Allowed, Caller, Opened
from wellworn.interfaces.http.errors import describe_failure
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.watching import watch_space
from wellworn.kit.clock import from_iso

decisions = create_router("decisions")
convergence = create_router("convergence")
sessions = create_router("sessions")

events = create_router("events")

Limit = Annotated[
    int | None, Query(ge=1, le=1_000_000, description="End after so many; the first says it began.")
]


@serve(decisions, TraceCalls.decisions, Action.THOUGHT_LISTED)
def list_decisions(
    call: CallContext,
    *,
    query_id: str | None,
    session_id: str | None,
    thought_id: str | None,
    limit: int,
) -> object:
    found = call.services.thoughts.decisions.list_decisions(
        call.access,
        query_id=query_id,
        session_id=session_id,
        thought_id=thought_id,
        limit=limit,
    )
    judged = (chain(each.shown, each.withheld) for each in found.decisions)
    call.touch(each.thought_id for each in chain.from_iterable(judged))
    return found


@serve(convergence, TraceCalls.convergence, Action.THOUGHT_LISTED)
def list_converged(call: CallContext, *, since: str | None, limit: int) -> object:
    thoughts = call.services.thoughts
    found = thoughts.convergence.find(
        call.access, since=0.0 if since is None else from_iso(since), limit=limit
    )
    gathered = thoughts.paths.find_gathered(call.access)
    shown = chain.from_iterable(region.thoughts for region in gathered.regions)
    call.touch(each.thought.thought_id for each in found.converged)
    call.touch(each.thought_id for each in shown)
    return Convergence.of(found, gathered=gathered)


@serve(sessions, TraceCalls.sessions, Action.THOUGHT_LISTED)
def list_sessions(call: CallContext, *, limit: int) -> object:
    return call.services.thoughts.paths.list_sessions(call.access, limit=limit)


@serve(sessions, TraceCalls.trajectory, Action.THOUGHT_LISTED)
def follow(call: CallContext, session_id: str) -> object:
    return call.services.thoughts.paths.follow(call.access, session_id)


@events.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        **failures(400, 404),
        200: {
            "content": {EVENTS: {"schema": {"type": "string"}}},
            "description": "Events, each a kind with a JSON object.",
        },
    },
)
async def watch(
    app: Opened, access: Allowed, caller: Caller, limit: Limit = None
) -> StreamingResponse:
    """Stream what happens in the space from now on: kinds and ids of what the caller may see."""
    happening = watch_space(app, access, caller)
    nothing: list[SpaceEvent] = []
    first = await anext(happening, nothing)
    return stream(_follow(happening, first, limit))


async def _follow(
    happening: AsyncGenerator[list[SpaceEvent]], events: list[SpaceEvent], limit: int | None
) -> AsyncGenerator[str]:
    async with aclosing(happening):
        left = limit
        while left is None or left > 0:
            events = events[:left]
            yield "".join(map(_format, events)) or NOTHING_HAPPENED
            left = None if left is None else left - len(events)
            if left == 0:
                return
            try:
                events = await anext(happening)
            except StopAsyncIteration:
                return
            except WellwornError as error:
                yield format_event(json.dumps(describe_failure(error)), name="error")
                return


def _format(event: SpaceEvent) -> str:
    return format_event(shapes.SpaceEvent.of(event).model_dump_json(), name=event.kind)
