"""Waiting for what goes on in the background: without a thread, and by few at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Final, Literal

from anyio import move_on_after, sleep
from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool

from wellworn.application.calls import App
from wellworn.engines.slots import CallerSlots, give_back_slot
from wellworn.errors import RateLimited

ACCEPTED: Final = 202
_LONGEST_WAIT_S: Final = 600.0
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5

Wait = Annotated[
    Literal["words", "embedded"],
    Query(description="Until all is found by its words, or by meaning as well."),
]


async def wait_in_place(request: Request, wait: Callable[[], Awaitable[None]]) -> None:
    """Wait for ten minutes at most; not at all where as many wait already as may."""
    waiters: CallerSlots = request.app.state.waiters
    with suppress(RateLimited), waiters.hold("all"):
        give_back_slot(request.scope)
        with move_on_after(_LONGEST_WAIT_S):
            await wait()


async def follow(app: App, is_done: Callable[[], bool]) -> bool:
    """Ask now and then until it is done; return False if the server ends before."""
    pause_s = _SHORTEST_PAUSE_S
    while not await run_in_threadpool(is_done):
        if app.jobs.is_leaving:
            return False
        await sleep(pause_s)
        pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)
    return True
