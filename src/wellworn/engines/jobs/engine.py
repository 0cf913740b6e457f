"""DBOS behind one thin port: it keeps the queue and the checkpoints, and knows no job by name.

Only this module imports DBOS, and nothing imports this module before the first job: that costs a
second of processor time and some forty megabytes. Whatever is set here was seen to bite: the
console, pickles, a thread for every call, versions made of source code.

A run that must not be counted as finished, because the server ends, leaves by an exception that is
no `Exception`: DBOS then keeps it as pending, and the next start takes it up.

Source: DBOS Transact 3.4.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import Context
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from dbos import (
    DBOS,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    EnqueueOptions,
    WorkflowStatus,
    error,
)

from wellworn.engines.jobs.models import Entry, JobState, JobStatus, JobTicket, parts_of, ticket_id
from wellworn.engines.jobs.settings import JobSettings
from wellworn.engines.jobs.store import open_file, translated
from wellworn.errors import StorageUnavailable, StoreInUse

_T = TypeVar("_T")
Work = Callable[["Engine", str], dict[str, str]]

_APPLICATION = "wellworn"
# What is queued under one shape only that shape takes up; a new one is for steps that changed.
_SHAPE = "1"
_QUEUE = "jobs"
_JOB = "job"
_CANCEL, _BROKEN_OFF = "cancel", "broken_off"
_THREADS = 16
_PRUNED_AT_ONCE = 500
_STATUS = {
    "ENQUEUED": JobStatus.QUEUED,
    "DELAYED": JobStatus.QUEUED,
    "PENDING": JobStatus.RUNNING,
    "CANCELLED": JobStatus.CANCELLED,
}
_OVER = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_BROKE = "it broke in a way that is told in the server's log"
_log = logging.getLogger(__name__)
# DBOS keeps one of itself in a process.
_one = threading.Lock()


class Engine:
    """A launched DBOS. One in a process; several processes may share a database."""

    def __init__(
        self, where: Path | str, settings: JobSettings, executor_id: str, work: Work
    ) -> None:
        """Launch it; what this executor left unfinished is queued again.

        Raises:
            StoreInUse: another part of this process has launched it.
            DamagedStore, StorageUnavailable: the database cannot be used.
        """
        if not _one.acquire(blocking=False):
            raise StoreInUse("another memory in this process runs jobs already")
        self._file = open_file(where) if isinstance(where, Path) else None
        _quieten()
        try:
            with _answered():
                self._launch(where, settings, executor_id, work)
        except BaseException:
            self.close()
            raise

    def _launch(
        self, where: Path | str, settings: JobSettings, executor_id: str, work: Work
    ) -> None:
        config: DBOSConfig = {
            "name": _APPLICATION,
            "application_version": _SHAPE,
            "executor_id": executor_id,
            "max_executor_threads": _THREADS,
            "log_level": "WARNING",
            "serializer": DBOSPortableJSONSerializer(),
        }
        if self._file is not None:
            config["system_database_engine"] = self._file
        else:
            config["system_database_url"] = str(where)

        def job() -> dict[str, str]:
            return work(self, cast("str", DBOS.workflow_id))

        # How often a job is begun is counted by the worker, which can tell a death from a stop.
        DBOS.workflow(name=_JOB, max_recovery_attempts=None)(job)
        DBOS(config=config)
        DBOS.launch()
        DBOS.register_queue(
            _QUEUE,
            worker_concurrency=settings.most_at_once,
            polling_interval_sec=settings.poll_s,
            on_conflict="always_update",
        )

    def enqueue(self, name: str, key: str, slot: str) -> JobTicket:
        """Queue a job unless one for the key is under way, or the slot had one."""
        wanted = ticket_id(name, key, slot)
        options: EnqueueOptions = {
            "workflow_name": _JOB,
            "queue_name": _QUEUE,
            "workflow_id": wanted,
            "workflow_id_reuse_policy": "reject",
            "deduplication_id": f"{name}/{key}",
            "app_version": _SHAPE,
        }
        while True:
            try:
                _outside(lambda: DBOS.enqueue_workflow_with_options(options))
            except error.DBOSWorkflowIDInUseError:
                return JobTicket(wanted, is_new=False)
            except error.DBOSQueueDeduplicatedError:
                # It may have ended since; then the place is free.
                if (found := self.under_way(name, key)) is not None:
                    return JobTicket(found.id, is_new=False)
            else:
                return JobTicket(wanted, is_new=True)

    def under_way(self, name: str, key: str) -> JobState | None:
        """Return the queued or running job for a key."""
        found = _outside(
            lambda: DBOS.list_workflows(
                status=["ENQUEUED", "PENDING"],
                workflow_id_prefix=f"{name}/{key}/",
                load_input=False,
            )
        )
        # The prefix may be a pattern to the database.
        states = [_entry(one).state for one in found]
        return next((one for one in states if (one.name, one.key) == (name, key)), None)

    def entry(self, ticket: str) -> Entry | None:
        found = _outside(lambda: DBOS.get_workflow_status(ticket))
        return None if found is None else _entry(found)

    def cancel(self, ticket: str) -> None:
        """Mark a job as cancelled, and take it from the queue; a run that has begun sees the mark.

        The mark comes first: a job taken up between the two calls finds it and does nothing.
        """
        self._mark(ticket, {_CANCEL: True})
        found = self.entry(ticket)
        if found is not None and found.state.status is JobStatus.QUEUED:
            _outside(lambda: DBOS.cancel_workflow(ticket))

    def break_off(self, entry: Entry) -> None:
        """Note that a run ends with the server and is to be taken up again: no death."""
        self._mark(entry.state.id, {_BROKEN_OFF: entry.broken_off + 1})

    def give_up(self, ticket: str) -> None:
        """Call a job cancelled that will never tell how it ended; its key is free again."""
        _outside(lambda: DBOS.cancel_workflow(ticket))

    def prune(self, before: float) -> None:
        """Forget the jobs that ended before a moment in epoch seconds."""
        moment = datetime.fromtimestamp(before, tz=UTC).isoformat()
        while old := _outside(
            lambda: DBOS.list_workflows(
                status=_OVER,
                completed_before=moment,
                limit=_PRUNED_AT_ONCE,
                load_input=False,
                load_output=False,
            )
        ):
            gone = [one.workflow_id for one in old]
            _outside(lambda gone=gone: DBOS.delete_workflows(gone))

    def close(self) -> None:
        """Let go of the database; runs that are still going can no longer tell how they ended."""
        DBOS.destroy(destroy_registry=True)
        if self._file is not None:
            self._file.dispose()
        _one.release()

    def checkpoint(self, name: str, function: Callable[[], Any]) -> Any:
        """Return what a step gives, or gave in a run that died; to be called within a job."""
        with _answered():
            return DBOS.run_step({"name": name}, function)

    @staticmethod
    def _mark(ticket: str, attributes: dict[str, Any]) -> None:
        _outside(lambda: DBOS.update_workflow_attributes(ticket, attributes, merge=True))


def _outside(call: Callable[[], _T]) -> _T:
    """Make a call as if from outside any job: from inside, it would become one of its steps."""
    with _answered():
        return Context().run(call)


@contextmanager
def _answered() -> Generator[None]:
    with translated():
        try:
            yield
        except (error.DBOSQueueDeduplicatedError, error.DBOSWorkflowIDInUseError):
            raise
        except error.DBOSException as cause:
            raise StorageUnavailable("jobs cannot be run now; see the server's log") from cause


def _entry(found: WorkflowStatus) -> Entry:
    attributes = found.attributes or {}
    broken_off = int(attributes.get(_BROKEN_OFF, 0))
    starts = (found.recovery_attempts or 0) - broken_off
    name, key = parts_of(found.workflow_id)
    status, message = _outcome(found)
    state = JobState(
        id=found.workflow_id,
        name=name,
        key=key,
        status=status,
        message=message,
        queued_at=_seconds(found.created_at),
        started_at=_seconds(found.dequeued_at),
        ended_at=_seconds(found.completed_at),
    )
    # The run that is under way has not died.
    return Entry(state, max(0, starts - 1), broken_off, bool(attributes.get(_CANCEL)))


def _outcome(found: WorkflowStatus) -> tuple[JobStatus, str]:
    if found.status in _STATUS:
        return _STATUS[found.status], ""
    if found.status == "SUCCESS" and isinstance(found.output, dict):
        told = cast("dict[str, str]", found.output)
        return JobStatus(told["status"]), told["message"]
    return JobStatus.FAILED, _BROKE


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


class _ToOurLog(logging.Handler):
    """Passes on what DBOS says, without the traces of errors: those have words of jobs in them."""

    def emit(self, record: logging.LogRecord) -> None:
        _log.log(record.levelno, "%s", record.getMessage())


def _quieten() -> None:
    """Come before DBOS, which writes to the console where nobody else listens."""
    logger = logging.getLogger("dbos")
    logger.propagate = False
    if not any(isinstance(one, _ToOurLog) for one in logger.handlers):
        logger.addHandler(_ToOurLog())
