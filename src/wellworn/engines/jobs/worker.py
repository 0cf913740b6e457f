"""Runs jobs, each in a thread that the process can leave behind, and says how they ended.

The one place here that catches everything: a job's failure is an outcome, not an error of ours.

A failure is told without the words of the error, which may be those of a document: by the kind of
error and the line it came from. The words of our own errors are written to be shown.
"""

from __future__ import annotations

import contextvars
import logging
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any, Protocol

from wellworn.engines.jobs.models import Entry, JobStatus, parts_of
from wellworn.engines.jobs.run import Checkpoint, Run, Stopped
from wellworn.errors import WellwornError

Kind = Callable[[Run], None]
Ended = dict[str, str]

_LEFT_BEHIND_WITHIN_S = 10
_SEE_LOG = "it failed for a reason that the server's log tells"
_UNKNOWN = "this version of the server has no such kind of job"
_log = logging.getLogger(__name__)


class Ledger(Protocol):
    """Where jobs are written down."""

    def entry(self, ticket: str) -> Entry | None: ...

    def break_off(self, entry: Entry) -> None: ...

    def give_up(self, ticket: str) -> None: ...

    def checkpoint(self, name: str, function: Callable[[], Any]) -> Any: ...


class Worker:
    """Runs what it is handed, as many at once as it is called by threads."""

    def __init__(self, kinds: Mapping[str, Kind], *, most_starts: int) -> None:
        self._kinds = kinds
        self._most_starts = most_starts
        self._running: dict[str, _Running] = {}
        self._ended: dict[str, bool] = {}
        self._change = Condition()
        self._is_ending = False

    def work(self, ledger: Ledger, ticket: str) -> Ended:
        """Run a job to its end and return how it ended.

        Raises:
            Stopped: it did not end; it is to be run again by the next process.
        """
        name, key = parts_of(ticket)
        running = _Running(Run(key, ticket, _silent(ledger.checkpoint)))
        with self._change:
            self._running[ticket] = running
            if self._is_ending:
                running.run.stopping.set()
        try:
            ended = self._carried_out(ledger, running, name)
        except WellwornError as error:
            _log.warning("job %s waits for the next start: %s", ticket, told(error))
            raise Stopped from None
        else:
            self._ended[ticket] = False
            return ended
        finally:
            with self._change:
                del self._running[ticket]
                self._change.notify_all()

    def stop_cancelled(self, ledger: Ledger) -> None:
        """Tell the runs whose jobs were cancelled, here or by another process."""
        with self._change:
            running = dict(self._running)
        for ticket, one in running.items():
            entry = ledger.entry(ticket)
            if entry is not None and entry.is_to_be_cancelled:
                one.run.stopping.set()

    def free_ended(self, ledger: Ledger) -> None:
        """Free the keys of jobs that ended before the last look, and whose end nobody could write.

        A full disk takes no ends; a job without one would hold its key until the next start.
        """
        for ticket, was_seen in list(self._ended.items()):
            if not was_seen:
                # Its end may be written at this moment.
                self._ended[ticket] = True
                continue
            entry = ledger.entry(ticket)
            if entry is not None and not entry.state.status.is_over:
                ledger.give_up(ticket)
            del self._ended[ticket]

    def end(self, stop_s: float) -> None:
        """Have every run stop; leave behind those that did not within some seconds."""
        with self._change:
            self._is_ending = True
            for one in self._running.values():
                one.run.stopping.set()
            if self._change.wait_for(self._is_idle, timeout=stop_s):
                return
            for ticket, one in self._running.items():
                _log.warning("job %s did not stop in time; it is run again later", ticket)
                one.over.set()
            self._change.wait_for(self._is_idle, timeout=_LEFT_BEHIND_WITHIN_S)

    def _is_idle(self) -> bool:
        return not self._running

    def _carried_out(self, ledger: Ledger, running: _Running, name: str) -> Ended:
        ticket = running.run.id
        entry = ledger.entry(ticket)
        if entry is None or entry.is_to_be_cancelled:
            return _ended(JobStatus.CANCELLED)
        if entry.deaths >= self._most_starts:
            return _failed(
                f"the server died in each of its {entry.deaths} runs; see to what it works on"
            )
        if name not in self._kinds:
            return _failed(_UNKNOWN)
        error = running.through(self._kinds[name])
        if error is None:
            return _ended(JobStatus.DONE)
        if isinstance(error, Exception):
            _log.warning("job %s failed: %s", ticket, told(error))
            return _failed(error.message if isinstance(error, WellwornError) else _SEE_LOG)
        now = ledger.entry(ticket)
        if now is None or now.is_to_be_cancelled:
            return _ended(JobStatus.CANCELLED)
        if isinstance(error, Stopped):
            ledger.break_off(entry)
        raise error


@dataclass(slots=True)
class _Running:
    """A run, and the thread it has of its own: a pool's threads would keep the process alive."""

    run: Run
    over: Event = field(default_factory=Event)
    error: BaseException | None = field(default_factory=Stopped)
    """Why it ended, or none; as long as it goes on, it counts as stopped."""

    def through(self, kind: Kind) -> BaseException | None:
        """Run a job until it ends or is left behind; return what it ended with."""
        thread = Thread(
            # Checkpoints know by the context in which job they are.
            target=contextvars.copy_context().run,
            args=(self._go, kind),
            name=f"job {self.run.id}",
            daemon=True,
        )
        thread.start()
        self.over.wait()
        return self.error

    def _go(self, kind: Kind) -> None:
        try:
            kind(self.run)
        except BaseException as error:  # noqa: BLE001 - a job's failure is its outcome
            self.error = error
        else:
            self.error = None
        finally:
            self.over.set()


class _StepBroke(BaseException):
    """Carries a step's error past the ledger, which would write down its words."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _silent(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint that writes down nothing of a step that fails."""

    def silent(name: str, function: Callable[[], Any]) -> Any:
        def carried() -> Any:
            try:
                return function()
            except Exception as error:
                raise _StepBroke(error) from error

        try:
            return checkpoint(name, carried)
        except _StepBroke as broke:
            raise broke.error from None

    return silent


def repeat(action: Callable[[], None], until: Event, *, every_s: float) -> None:
    """Do something again and again until an event; what fails once is tried again."""
    while True:
        try:
            action()
        except Exception as error:  # noqa: BLE001 - the clockwork outlives what it moves
            _log.warning("a tick of the jobs failed and will be tried again: %s", told(error))
        if until.wait(every_s):
            return


def told(error: BaseException) -> str:
    """Return what a log may say about an error: our own words, or its kind and its line."""
    if isinstance(error, WellwornError):
        return error.message
    trace = traceback.extract_tb(error.__traceback__)
    if not trace:
        return type(error).__name__
    last = trace[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno} in {last.name}"


def _ended(status: JobStatus, message: str = "") -> Ended:
    return {"status": status.value, "message": message}


def _failed(message: str) -> Ended:
    return _ended(JobStatus.FAILED, message)
