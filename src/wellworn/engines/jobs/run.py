"""What a job is given to run with: its key, its checkpoints, and the wish that it should stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeVar, cast

_T = TypeVar("_T")
Checkpoint = Callable[[str, Callable[[], Any]], Any]

_LONGEST_RESULT = 2_000


class Stopped(BaseException):
    """The job is to end now. No `Exception`, so that no job takes it for a failure of its own."""


def _straight(_name: str, function: Callable[[], Any]) -> Any:
    return function()


@dataclass(slots=True)
class Run:
    """One run of a job. Made by hand, as in a test, it has no checkpoints and is never stopped."""

    key: str
    id: str = ""
    checkpoint: Checkpoint = _straight
    stopping: Event = field(default_factory=Event)

    def check(self) -> None:
        """End the job here if it is to stop; to be called every second or so.

        Raises:
            Stopped: the server ends, and will run the job again; or the job was cancelled.
        """
        if self.stopping.is_set():
            raise Stopped

    def step(self, name: str, function: Callable[[], _T]) -> _T:
        """Return what a function gives, or gave before the process died: it is not run again then.

        Steps come in the same order in every run. One that fails leaves nothing. A step that was
        under way when the process died is run again, so it must bear being run twice. Its result
        is what JSON can hold, and short: ids and counts, for it is kept in the clear.

        Raises:
            Stopped: the job is to stop.
            ValueError: the result is too long to be ids.
            TypeError: JSON cannot hold it.
        """
        self.check()
        written = self.checkpoint(name, lambda: _short(json.dumps(function())))
        return cast("_T", json.loads(written))


def _short(written: str) -> str:
    if len(written) > _LONGEST_RESULT:
        message = f"a step returns at most {_LONGEST_RESULT} characters: ids, no content"
        raise ValueError(message)
    return written
