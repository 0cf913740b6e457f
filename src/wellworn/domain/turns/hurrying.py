"""Waiting that ends when the turn has to: its space is about to be changed, deleted or closed.

Tools and engines may take as long as whoever they ask. They are left to themselves in threads of
their own then: a tool is told that nobody waits for it, and an engine writes nothing.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from threading import Thread
from time import monotonic
from typing import Final, TypeVar

from wellworn.domain.turns.briefs import Brief, Recollection, ToolDescription, TurnEngine
from wellworn.domain.turns.models import (
    CoordinatorAction,
    Evidence,
    QueryAnalysis,
    Reflection,
    Response,
    TaskPlan,
    Validation,
)

_LOOKED_EVERY_S: Final = 0.2
_Answer = TypeVar("_Answer")


def wait_for(
    work: Callable[[], _Answer], check: Callable[[], None], timeout_s: float = float("inf")
) -> _Answer:
    """Return what work gives, or raises, in a thread of its own.

    Raises:
        TimeoutError: it takes longer; nobody waits for it any more.
        WellwornError: so says `check`, which is asked a few times a second.
    """
    future: Future[_Answer] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            future.set_exception(error)

    Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
    ends_at = monotonic() + timeout_s
    while not future.done():
        if monotonic() >= ends_at:
            raise TimeoutError
        check()
        wait([future], min(_LOOKED_EVERY_S, ends_at - monotonic()))
    return future.result()


class HurriedEngine:
    """An engine for whose decisions nobody waits when the turn has to end."""

    def __init__(self, engine: TurnEngine, check: Callable[[], None]) -> None:
        self.name = engine.name
        self._engine = engine
        self._check = check

    def analyze(self, query: str, known: Recollection) -> QueryAnalysis:
        return wait_for(partial(self._engine.analyze, query, known), self._check)

    def reflect(self, brief: Brief) -> Reflection:
        return wait_for(partial(self._engine.reflect, brief), self._check)

    def select(self, brief: Brief, candidates: Sequence[Evidence]) -> list[Evidence]:
        return wait_for(partial(self._engine.select, brief, candidates), self._check)

    def plan(self, brief: Brief) -> TaskPlan:
        return wait_for(partial(self._engine.plan, brief), self._check)

    def choose_action(self, brief: Brief, tools: Sequence[ToolDescription]) -> CoordinatorAction:
        return wait_for(partial(self._engine.choose_action, brief, tools), self._check)

    def synthesize(self, brief: Brief) -> Response:
        return wait_for(partial(self._engine.synthesize, brief), self._check)

    def validate(self, brief: Brief) -> Validation:
        return wait_for(partial(self._engine.validate, brief), self._check)

    def compress(self, text: str, limit_words: int) -> str | None:
        return wait_for(partial(self._engine.compress, text, limit_words), self._check)
