"""The live feed of a space over HTTP: a stream of events, with kinds and ids and no words."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import Query
from fastapi.responses import StreamingResponse

from wellworn.application.calls import SpaceEvent
from wellworn.client import models as shapes
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
from wellworn.interfaces.http.serving import failures
from wellworn.interfaces.watching import watch_space

router = create_router("events")

Limit = Annotated[
    int | None, Query(ge=1, le=1_000_000, description="End after so many; the first says it began.")
]


@router.get(
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
