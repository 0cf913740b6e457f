"""Runs jobs, each in a thread that the process can abandon, and returns how they ended.

It catches every exception, as a job's failure is an outcome. Only messages of `WellwornError`s are
shown; other errors may quote a document, so they are reported by their type and line.
"""

from __future__ import annotations

import contextvars
import logging
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic
from types import MappingProxyType
from typing import Any, Protocol

from wellworn.engines.jobs.models import JobRecord, JobStatus, split_ticket_id
from wellworn.engines.jobs.run import Checkpoint, JobRun, JobStopped
from wellworn.errors import WellwornError

JobFunction = Callable[[JobRun], None]
FailureListener = Callable[[str, str], None]
"""Takes the key of a job that failed, and why, in words that may be shown."""
JobOutcome = dict[str, str]

_LEFT_BEHIND_WITHIN_S = 10
_SEE_LOG = "it failed for a reason that the server's log tells"
_UNKNOWN = "this version of the server has no such kind of job"
_log = logging.getLogger(__name__)


class JobLedger(Protocol):
    """Records of jobs, as the worker needs them."""

    def get_record(self, ticket: str) -> JobRecord | None: ...

    def mark_interrupted(self, record: JobRecord) -> None: ...

    def abandon(self, ticket: str) -> None: ...

    def checkpoint(self, name: str, function: Callable[[], Any]) -> Any: ...


class Worker:
    """Runs jobs; threads may call it at the same time."""

    def __init__(
        self,
        kinds: Mapping[str, JobFunction],
        *,
        most_starts: int,
        listeners: Mapping[str, FailureListener] = MappingProxyType({}),
    ) -> None:
        """Set up; of a failed job the listener of its name is told before its end is saved."""
        self._kinds = kinds
        self._listeners = listeners
        self._most_starts = most_starts
        self._running: dict[str, _Running] = {}
        self._ended: dict[str, bool] = {}
        self._stopped: dict[str, float] = {}
        self._change = Condition()
        self._is_ending = False

    def work(self, ledger: JobLedger, ticket: str) -> JobOutcome:
        """Run a job and return how it ended.

        Raises:
            JobStopped: it did not end; it is run again later, or by the next process.
        """
        name, key = split_ticket_id(ticket)
        running = _Running(JobRun(key, ticket, _hide_step_errors(ledger.checkpoint)))
        with self._change:
            self._running[ticket] = running
            if self._is_ending:
                running.run.stopping.set()
        try:
            ended = self._execute(ledger, running, name)
            if ended["status"] == JobStatus.FAILED and name in self._listeners:
                self._listeners[name](key, ended["message"])
        except WellwornError as error:
            _log.warning("job %s waits for the next start: %s", ticket, describe_error(error))
            raise JobStopped from None
        except JobStopped:
            self._stopped[ticket] = monotonic()
            raise
        else:
            self._ended[ticket] = False
            return ended
        finally:
            with self._change:
                del self._running[ticket]
                self._change.notify_all()

    def stop_cancelled(self, ledger: JobLedger) -> None:
        """Stop the runs of jobs that this or another process cancelled."""
        with self._change:
            running = dict(self._running)
        for ticket, running_job in running.items():
            record = ledger.get_record(ticket)
            if record is not None and record.is_cancel_requested:
                running_job.run.stopping.set()

    def free_ended(self, ledger: JobLedger) -> None:
        """Free the keys of jobs that ended before the last call but whose end was not recorded.

        On a full disk no end is recorded; such a job would hold its key until the next start.
        """
        for ticket, was_seen in list(self._ended.items()):
            if not was_seen:
                # Its end may be being recorded at this moment.
                self._ended[ticket] = True
                continue
            record = ledger.get_record(ticket)
            if record is not None and not record.state.status.is_over:
                ledger.abandon(ticket)
            del self._ended[ticket]

    def take_stopped(self, for_s: float) -> list[str]:
        """Return the jobs that stopped by themselves so many seconds ago, each once."""
        before = monotonic() - for_s
        due = [ticket for ticket, moment in list(self._stopped.items()) if moment <= before]
        for ticket in due:
            del self._stopped[ticket]
        return due

    def end(self, stop_s: float) -> None:
        """Stop every run; abandon those that do not end within `stop_s`."""
        with self._change:
            self._is_ending = True
            for running_job in self._running.values():
                running_job.run.stopping.set()
            if self._change.wait_for(self._is_idle, timeout=stop_s):
                return
            for ticket, running_job in self._running.items():
                _log.warning("job %s did not stop in time; it is run again later", ticket)
                running_job.over.set()
            self._change.wait_for(self._is_idle, timeout=_LEFT_BEHIND_WITHIN_S)

    def _is_idle(self) -> bool:
        return not self._running

    def _execute(self, ledger: JobLedger, running: _Running, name: str) -> JobOutcome:
        ticket = running.run.id
        record = ledger.get_record(ticket)
        if record is None or record.is_cancel_requested:
            return _make_outcome(JobStatus.CANCELLED)
        if record.deaths >= self._most_starts:
            return _make_failure(
                f"the server died in each of its {record.deaths} runs; see to what it works on"
            )
        if name not in self._kinds:
            return _make_failure(_UNKNOWN)
        error = running.run_to_end(self._kinds[name])
        if error is None:
            return _make_outcome(JobStatus.DONE)
        if isinstance(error, Exception):
            _log.warning("job %s failed: %s", ticket, describe_error(error))
            return _make_failure(error.message if isinstance(error, WellwornError) else _SEE_LOG)
        now = ledger.get_record(ticket)
        if now is None or now.is_cancel_requested:
            return _make_outcome(JobStatus.CANCELLED)
        if isinstance(error, JobStopped):
            ledger.mark_interrupted(record)
        raise error


@dataclass(slots=True)
class _Running:
    """A run and its own thread; threads of a pool would keep the process alive."""

    run: JobRun
    over: Event = field(default_factory=Event)
    error: BaseException | None = field(default_factory=JobStopped)
    """Why it ended, if by an error; until it ends, it counts as stopped."""

    def run_to_end(self, kind: JobFunction) -> BaseException | None:
        """Run a job until it ends or is abandoned; return the error that ended it."""
        thread = Thread(
            # Checkpoints find their job in the context.
            target=contextvars.copy_context().run,
            args=(self._execute, kind),
            name=f"job {self.run.id}",
            daemon=True,
        )
        thread.start()
        self.over.wait()
        return self.error

    def _execute(self, kind: JobFunction) -> None:
        try:
            kind(self.run)
        except BaseException as error:  # noqa: BLE001 - a job's failure is its outcome
            self.error = error
        else:
            self.error = None
        finally:
            self.over.set()


class _StepBroke(BaseException):
    """Carries a step's error past the ledger, which would record its message."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _hide_step_errors(checkpoint: Checkpoint) -> Checkpoint:
    """Wrap a checkpoint so that it records nothing of a failing step."""

    def silent(name: str, function: Callable[[], Any]) -> Any:
        def run_step() -> Any:
            try:
                return function()
            except Exception as error:
                raise _StepBroke(error) from error

        try:
            return checkpoint(name, run_step)
        except _StepBroke as broke:
            raise broke.error from None

    return silent


def repeat(action: Callable[[], None], until: Event, *, every_s: float) -> None:
    """Call an action periodically until an event, whether or not it fails."""
    while True:
        try:
            action()
        except Exception as error:  # noqa: BLE001 - the ticks outlive a failing action
            _log.warning(
                "a tick of the jobs failed and will be tried again: %s", describe_error(error)
            )
        if until.wait(every_s):
            return


def describe_error(error: BaseException) -> str:
    """Return what may be logged of an error: a `WellwornError`'s message, else type and line."""
    if isinstance(error, WellwornError):
        return error.message
    trace = traceback.extract_tb(error.__traceback__)
    if not trace:
        return type(error).__name__
    last = trace[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno} in {last.name}"


def _make_outcome(status: JobStatus, message: str = "") -> JobOutcome:
    return {"status": status.value, "message": message}


def _make_failure(message: str) -> JobOutcome:
    return _make_outcome(JobStatus.FAILED, message)
