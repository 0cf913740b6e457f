"""The context that a job runs in: its key, its checkpoints, and the request to stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeVar, cast

_T = TypeVar("_T")
Checkpoint = Callable[[str, Callable[[], Any]], Any]

_LONGEST_RESULT = 2_000


class JobStopped(BaseException):
    """Ends a job that must stop, or cannot go on yet: it is run again later.

    No `Exception`, so that jobs do not catch it.
    """


def _call_directly(_name: str, function: Callable[[], Any]) -> Any:
    return function()


@dataclass(slots=True)
class JobRun:
    """One run of a job; by default, as in tests, without checkpoints and never stopped."""

    key: str
    id: str = ""
    checkpoint: Checkpoint = _call_directly
    stopping: Event = field(default_factory=Event)

    @property
    def slot(self) -> str:
        """The slot that the job was submitted for; it may say why."""
        return self.id.rpartition("/")[2]

    def check_stop(self) -> None:
        """Stop the job here if it must stop; call it about every second.

        Raises:
            JobStopped: the job was cancelled, or the server ends and will run it again later.
        """
        if self.stopping.is_set():
            raise JobStopped

    def step(self, name: str, function: Callable[[], _T]) -> _T:
        """Run a function and record its result; after a crash, return the recorded result.

        Steps must come in the same order in every run. A failed step records nothing. A step that
        was under way at a crash runs again, so it must be idempotent. The result must be
        JSON-serialisable and short (ids and counts), as it is stored unencrypted.

        Raises:
            JobStopped: the job must stop.
            ValueError: the result is too long.
            TypeError: the result is not JSON-serialisable.
        """
        self.check_stop()
        written = self.checkpoint(name, lambda: _shorten(json.dumps(function())))
        return cast("_T", json.loads(written))


def _shorten(written: str) -> str:
    if len(written) > _LONGEST_RESULT:
        message = f"a step returns at most {_LONGEST_RESULT} characters: ids, no content"
        raise ValueError(message)
    return written
