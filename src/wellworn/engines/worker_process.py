"""Runs a pure function in a process that steps back behind those who serve.

Its work takes neither the interpreter lock nor, while the processor is wanted, much of its time. It
is expendable: what it leaves unanswered is worked out by its parent, but for what took it longer
than an item may take. It ends with its parent, whose pipe closes then, and gets nothing of the
parent's environment but where its modules are.

Source: setitimer(2): the system ends a process whose time is up, whatever it is at.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any, Final, Generic, TypeVar, cast

from wellworn.kit.child_environment import build_child_environment
from wellworn.kit.late_faces import load_faces_late
from wellworn.kit.process_memory import collect_seldom

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

WORTH_A_PROCESS: Final = 64
"""Documents; starting a process takes as long as reading so many."""
_NICENESS: Final = 10
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TimeLimit(Generic[_Item, _Result]):
    """The limit of an item's time.

    Attributes:
        measure_s: tells how many seconds of processor time an item may take.
        pass_over: returns what stands for the result of one that takes longer.
    """

    measure_s: Callable[[_Item], float]
    pass_over: Callable[[_Item], _Result]


class WorkerProcess(Generic[_Item, _Result]):
    """A process that applies one function of a module to batches of items."""

    def __init__(
        self, function: Callable[[_Item], _Result], limit: TimeLimit[_Item, _Result] | None = None
    ) -> None:
        """Start the process; if it cannot be, everything is worked out here."""
        self._function = function
        self._limit = limit
        self._is_closed = False
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
        self._is_closed = True
        if self._child is not None:
            self._child.kill()
        self._thread.shutdown(cancel_futures=True)
        if self._child is not None:
            with suppress(OSError):  # what was not sent yet has nowhere to go
                self._child.communicate()

    def _apply(self, items: Sequence[_Item]) -> list[_Result]:
        results: list[_Result] = []
        while self._child is not None and self._child.poll() is None and not self._is_closed:
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                self._ask(items[len(results) :], results)
                return results
            if self._limit is None or self._child.wait() != -signal.SIGPROF:
                break
            results.append(self._limit.pass_over(items[len(results)]))
            with suppress(OSError):  # what was not sent yet has nowhere to go
                self._child.communicate()
            self._child = _start(self._function.__module__, self._function.__name__)
        # Nobody waits for what was closed.
        rest = () if self._is_closed else items[len(results) :]
        if rest:
            _log.warning("a process that works in the background ended; its work is done here")
        return [*results, *map(self._function, rest)]

    def _ask(self, items: Sequence[_Item], results: list[_Result]) -> None:
        """Add the results of items one by one, as the process answers."""
        child = cast("subprocess.Popen[bytes]", self._child)
        requests, replies = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
        limits = [self._limit.measure_s(item) if self._limit else 0.0 for item in items]
        pickle.dump((items, limits), requests)
        requests.flush()
        # From our own module, which only handles texts.
        pickle.load(replies)  # noqa: S301
        for _ in items:
            results.append(pickle.load(replies))  # noqa: PERF401, S301 - each counts as it comes


@contextmanager
def open_worker(
    function: Callable[[_Item], _Result], documents: int, *, stays_here: bool
) -> Generator[WorkerProcess[_Item, _Result] | None]:
    """Yield a process for so many documents; None for few, and for what stays in this process."""
    if not is_worth_a_process(documents, stays_here=stays_here):
        yield None
        return
    with closing(WorkerProcess(function)) as worker:
        yield worker


def is_worth_a_process(documents: int, *, stays_here: bool) -> bool:
    """Tell whether a process is started for so many documents."""
    return documents >= WORTH_A_PROCESS and not stays_here


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
    load_faces_late()
    collect_seldom()
    # What a library prints must not pass for an answer.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    function: Callable[[Any], Any] = getattr(import_module(module), name)
    with suppress(EOFError, BrokenPipeError):
        while True:
            items, limits = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our parent alone
            pickle.dump(len(items), replies)
            replies.flush()
            for item, limit_s in zip(items, limits, strict=True):
                signal.setitimer(signal.ITIMER_PROF, limit_s)
                result = function(item)
                signal.setitimer(signal.ITIMER_PROF, 0)
                pickle.dump(result, replies)
                replies.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
