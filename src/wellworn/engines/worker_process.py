"""Runs a pure function in a process that steps back behind whoever serves.

Its work takes neither the interpreter lock nor, while the processor is wanted, much of its time. It
is expendable: what it leaves unanswered is worked out by its parent. It ends with its parent, whose
pipe closes then, and gets nothing of the parent's environment but where its modules are.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from typing import IO, Any, Final, Generic, TypeVar, cast

from wellworn.kit.child_environment import build_child_environment

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

WORTH_A_PROCESS: Final = 64
"""Documents; starting a process takes as long as reading so many."""
_NICENESS: Final = 10
_log = logging.getLogger(__name__)


class WorkerProcess(Generic[_Item, _Result]):
    """A process that applies one function of a module to batches of items."""

    def __init__(self, function: Callable[[_Item], _Result]) -> None:
        """Start the process; if it cannot be, everything is worked out here."""
        self._function = function
        self._thread = ThreadPoolExecutor(1, "worker")
        self._child = _start(function.__module__, function.__name__)
        self._first = self.submit(())

    @property
    def is_ready(self) -> bool:
        """Tell whether the process has started, so that it answers without delay."""
        return self._first.done()

    def submit(self, items: Sequence[_Item]) -> Future[list[_Result]]:
        """Return what becomes the results of the items, in their order."""
        return self._thread.submit(self._apply, items)

    def close(self) -> None:
        """End the process in the middle of a batch if need be."""
        if self._child is not None:
            self._child.kill()
        self._thread.shutdown(cancel_futures=True)
        if self._child is not None:
            with suppress(OSError):  # what was not sent yet has nowhere to go
                self._child.communicate()

    def _apply(self, items: Sequence[_Item]) -> list[_Result]:
        if self._child is not None and self._child.poll() is None:
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                pickle.dump(items, cast("IO[bytes]", self._child.stdin))
                cast("IO[bytes]", self._child.stdin).flush()
                # From our own module, which only handles texts.
                return pickle.load(cast("IO[bytes]", self._child.stdout))  # noqa: S301
            _log.warning("a process that works in the background ended; its work is done here")
        return [self._function(item) for item in items]


@contextmanager
def open_worker(
    function: Callable[[_Item], _Result], documents: int, *, stays_here: bool
) -> Generator[WorkerProcess[_Item, _Result] | None]:
    """Yield a process for so many documents; None for few, and for what stays in this process."""
    if documents < WORTH_A_PROCESS or stays_here:
        yield None
        return
    with closing(WorkerProcess(function)) as worker:
        yield worker


def _start(module: str, name: str) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-P", "-m", "wellworn.engines.worker_process", module, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=build_child_environment(),
        )
    except OSError:
        _log.warning("a process that works in the background did not start; its work is done here")
        return None


def main(module: str, name: str) -> None:
    """Answer batches until the parent closes the pipe; an error ends the process."""
    os.nice(_NICENESS)
    # What a library prints must not be taken for an answer.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    function: Callable[[Any], Any] = getattr(import_module(module), name)
    with suppress(EOFError, BrokenPipeError):
        while True:
            items = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our parent alone
            pickle.dump([function(item) for item in items], replies)
            replies.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
