"""A turn at work as HTTP tells it: its answer at the end, or each of its events as it happens."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

from anyio import move_on_after
from fastapi import Request
from fastapi.responses import StreamingResponse

from wellworn.application.calls import App, RunningTurn, TurnEnd, TurnProgress
from wellworn.client.models import Shape, TurnAnswer, TurnPhase, TurnSection
from wellworn.domain.turns import Listener
from wellworn.domain.turns import TurnAnswer as Answer
from wellworn.engines.slots import give_back_slot
from wellworn.interfaces.event_stream import EVENTS, format_event, stream
from wellworn.interfaces.http.errors import describe_failure

_KEPT_ALIVE_EVERY_S: Final = 10.0
_STILL_THERE: Final = ": the turn is being worked on\n\n"

Work = Callable[[Listener], Answer]


async def answer_turn(
    request: Request, work: Work, caller: Sequence[str]
) -> TurnAnswer | StreamingResponse:
    """Work on a turn and return its answer, or its events to whoever accepts them.

    Raises:
        RateLimited: the caller has too many turns under way, or all callers together.
    """
    app: App = request.app.state.memory_app
    weight = give_back_slot(request.scope)
    turn = await RunningTurn[Answer].begin_in_slot(
        work, app.turns.slots, caller, weight=weight, is_leaving=lambda: app.jobs.is_leaving
    )
    if EVENTS not in request.headers.get("accept", ""):
        return TurnAnswer.of(await turn.wait())
    first = await turn.begin()
    return stream(stream_events(turn, first))


async def stream_events(
    turn: RunningTurn[Answer], first: TurnProgress | TurnEnd[Answer]
) -> AsyncGenerator[str]:
    """Yield every event of a turn as it happens, and comments while nothing does."""
    event: TurnProgress | TurnEnd[Answer] | Exception | None = first
    while True:
        text = _STILL_THERE if event is None else _format_event(event)
        if text:
            yield text
        if isinstance(event, TurnEnd | Exception):
            return
        event = None
        with move_on_after(_KEPT_ALIVE_EVERY_S):
            event = await turn.take()


def _format_event(event: TurnProgress | TurnEnd[Answer] | Exception) -> str:
    if isinstance(event, TurnEnd):
        return _format("answer", TurnAnswer.of(event.answer))
    if isinstance(event, Exception):
        return format_event(json.dumps(describe_failure(event)), name="error")
    if event.section is None:
        return _format("phase", TurnPhase(phase=event.phase.value, attempt=event.attempt))
    # The last phase saves, and writes no section.
    return _format("section", _describe_section(event, event.section)) if event.section else ""


def _describe_section(event: TurnProgress, section: str) -> TurnSection:
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
    return format_event(shape.model_dump_json(), name=name)
