"""Waiting for what goes on in the background: without a thread, and by few at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Final, Literal, TypeVar

from anyio import CapacityLimiter, move_on_after, sleep
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync
from fastapi import Query, Request

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


_Value = TypeVar("_Value")
_BESIDE: Final[RunVar[CapacityLimiter]] = RunVar("beside")


async def run_beside(function: Callable[..., _Value], *arguments: object) -> _Value:
    """Return what a function returns, for work that many may ask for and that holds no slot.

    One runs, the others wait. Threads take turns at computing, so that a call beside sixteen of
    them takes as long as all.
    """
    limiter = _BESIDE.get(None) or CapacityLimiter(1)
    _BESIDE.set(limiter)
    return await run_sync(partial(function, *arguments), limiter=limiter)


async def wait_in_place(request: Request, wait: Callable[[], Awaitable[None]]) -> None:
    """Wait for ten minutes at most; not at all where as many wait already as may."""
    waiters: CallerSlots = request.app.state.waiters
    with ExitStack() as stack:
        try:
            stack.enter_context(waiters.hold("all"))
        except RateLimited:
            return
        give_back_slot(request.scope)
        with move_on_after(_LONGEST_WAIT_S):
            await wait()


async def follow(app: App, is_done: Callable[[], bool]) -> bool:
    """Ask now and then until it is done; return False if the server ends before."""
    pause_s = _SHORTEST_PAUSE_S
    while not await run_beside(is_done):
        if app.jobs.is_leaving:
            return False
        await sleep(pause_s)
        pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)
    return True
