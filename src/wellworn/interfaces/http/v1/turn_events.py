"""A turn at work: in a thread of its own, told to its caller as it goes.

A turn can last minutes. It holds none of the slots and threads that short calls share, and it goes
on when its caller is gone: what it ends in can be read later.

Source: WHATWG HTML, server-sent events.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from threading import Thread
from typing import Final, NamedTuple, NoReturn

from anyio import move_on_after
from fastapi import Request
from fastapi.responses import StreamingResponse

from wellworn.client.models import Shape, TurnAnswer, TurnPhase, TurnSection
from wellworn.domain.turns import Listener, Phase
from wellworn.domain.turns import TurnAnswer as Answer
from wellworn.engines.jobs import Jobs
from wellworn.errors import StorageUnavailable
from wellworn.interfaces.http.errors import describe_failure
from wellworn.interfaces.http.shedding import give_back_slot
from wellworn.interfaces.http.v1.caller_slots import CallerSlots

EVENTS: Final = "text/event-stream"
_KEPT_ALIVE_EVERY_S: Final = 10.0
_LOOKED_EVERY_S: Final = 0.5
_ENDING: Final = "the server is ending; the turn goes on with its next start, and is listed there"
_STILL_THERE: Final = ": the turn is being worked on\n\n"

Work = Callable[[Listener], Answer]


class _Progress(NamedTuple):
    """A phase that begins, or the section with which it ends."""

    phase: Phase
    attempt: int
    section: str | None


_Event = _Progress | Answer | Exception


class RunningTurn:
    """A turn at work, and what it tells."""

    def __init__(
        self,
        work: Work,
        slots: CallerSlots,
        caller: str,
        *,
        is_leaving: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin the work; when the server is leaving, nobody is kept waiting for its end.

        Raises:
            RateLimited: as `CallerSlots.take`.
        """
        slots.take(caller)
        self._slots, self._caller = slots, caller
        self._is_leaving = is_leaving
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[_Event] = asyncio.Queue()
        # A turn survives the end of its process, which therefore need not wait for it.
        Thread(target=self._run, args=(work,), name="turn", daemon=True).start()

    def _run(self, work: Work) -> None:
        def notify(phase: Phase, attempt: int, section: str | None) -> None:
            self._tell(_Progress(phase, attempt, section))

        try:
            event: _Event = work(notify)
        except Exception as error:  # noqa: BLE001 - raised or described where it is read
            event = error
        finally:
            self._slots.give_back(self._caller)
        self._tell(event)

    def _tell(self, event: _Event) -> None:
        with suppress(RuntimeError):  # The server has ended; nobody listens.
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    async def wait(self) -> Answer:
        """Return what the turn ends in; raises what its work raises."""
        while isinstance(event := await self._take(), _Progress):
            pass
        return event if isinstance(event, Answer) else _raise(event)

    async def begin(self) -> _Progress | Answer:
        """Return what happens first; raises what its work raises before it begins."""
        event = await self._take()
        return _raise(event) if isinstance(event, Exception) else event

    async def _take(self) -> _Event:
        """Return the next event, or why none is waited for."""
        while True:
            with move_on_after(_LOOKED_EVERY_S):
                return await self._events.get()
            if self._is_leaving():
                return StorageUnavailable(_ENDING)

    async def stream(self, first: _Progress | Answer) -> AsyncGenerator[str]:
        """Yield every event as it happens, and comments while nothing does."""
        event: _Event | None = first
        while True:
            text = _STILL_THERE if event is None else _format_event(event)
            if text:
                yield text
            if isinstance(event, Answer | Exception):
                return
            event = None
            with move_on_after(_KEPT_ALIVE_EVERY_S):
                event = await self._take()


async def answer_turn(request: Request, work: Work, caller: str) -> TurnAnswer | StreamingResponse:
    """Work on a turn and return its answer, or its events to whoever accepts them.

    Raises:
        RateLimited: the caller has too many turns under way, or all callers together.
    """
    state = request.app.state
    jobs: Jobs = state.memory_app.jobs
    turn = RunningTurn(work, state.turn_slots, caller, is_leaving=lambda: jobs.is_leaving)
    give_back_slot(request.scope)
    if EVENTS not in request.headers.get("accept", ""):
        return TurnAnswer.of(await turn.wait())
    first = await turn.begin()
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(turn.stream(first), media_type=EVENTS, headers=headers)


def _format_event(event: _Event) -> str:
    if isinstance(event, Answer):
        return _format("answer", TurnAnswer.of(event))
    if isinstance(event, Exception):
        return f"event: error\ndata: {json.dumps(describe_failure(event))}\n\n"
    if event.section is None:
        return _format("phase", TurnPhase(phase=event.phase.value, attempt=event.attempt))
    # The last phase saves, and writes no section.
    return _format("section", _describe_section(event, event.section)) if event.section else ""


def _describe_section(event: _Progress, section: str) -> TurnSection:
    """Return a section with the number and the title that its heading has."""
    number, _, title = section.partition("\n")[0].removeprefix("## ").partition(". ")
    return TurnSection.model_validate(
        {
            "phase": event.phase.value,
            "attempt": event.attempt,
            "number": number,
            "title": title,
            "text": section,
        }
    )


def _format(name: str, shape: Shape) -> str:
    return f"event: {name}\ndata: {shape.model_dump_json()}\n\n"


def _raise(error: Exception) -> NoReturn:
    raise error
