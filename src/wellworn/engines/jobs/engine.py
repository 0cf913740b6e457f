"""The job queue and its checkpoints, on DBOS.

Only this module imports DBOS, and it is imported with the first job, as that costs a second of
processor time and some forty megabytes. Its configuration replaces defaults that caused trouble:
console output, pickles, a thread for every call, versions derived from source code.

A run interrupted by the end of the server raises a `BaseException` that is no `Exception`: DBOS
keeps the job as pending, and the next start resumes it.

Source: DBOS Transact 3.4.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Generator
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

from wellworn.engines.jobs.models import (
    JobRecord,
    JobState,
    JobStatus,
    JobTicket,
    make_ticket_id,
    split_ticket_id,
)
from wellworn.engines.jobs.settings import JobSettings
from wellworn.engines.jobs.store import (
    JobDatabase,
    is_unfinished,
    list_executors,
    open_database,
    translate_errors,
)
from wellworn.errors import StorageUnavailable, StoreInUse

_T = TypeVar("_T")
JobRunner = Callable[["JobEngine", str], dict[str, str]]

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
_launch_lock = threading.Lock()


class JobEngine:
    """A running DBOS instance: one in a process; several processes may share a database."""

    def __init__(
        self, where: Path | str, settings: JobSettings, executor_id: str, work: JobRunner
    ) -> None:
        """Launch DBOS and queue again what this executor left unfinished.

        Raises:
            StoreInUse: DBOS is already running in this process.
            DamagedStore, StorageUnavailable: the database cannot be used.
        """
        if not _launch_lock.acquire(blocking=False):
            raise StoreInUse("another memory in this process runs jobs already")
        self._database: JobDatabase | None = None
        self._executor_id = executor_id
        _redirect_log()
        try:
            with _translate_dbos_errors():
                self._database = open_database(where)
                self._launch(self._database, settings, executor_id, work)
        except BaseException:
            self.close()
            raise

    def _launch(
        self, database: JobDatabase, settings: JobSettings, executor_id: str, work: JobRunner
    ) -> None:
        config: DBOSConfig = {
            "name": _APPLICATION,
            "application_version": _SHAPE,
            "executor_id": executor_id,
            "max_executor_threads": _THREADS,
            "log_level": "WARNING",
            "serializer": DBOSPortableJSONSerializer(),
            "system_database_engine": database,
        }

        def job() -> dict[str, str]:
            return work(self, cast("str", DBOS.workflow_id))

        # The worker counts the attempts, as it can tell a crash from a shutdown.
        DBOS.workflow(name=_JOB, max_recovery_attempts=None)(job)
        self._system = DBOS(config=config)
        if not settings.most_at_once:
            DBOS.listen_queues([])
        DBOS.launch()
        DBOS.register_queue(
            _QUEUE,
            worker_concurrency=settings.most_at_once or None,
            polling_interval_sec=settings.poll_s,
            # What it says holds for all processes of a database.
            on_conflict="always_update" if settings.most_at_once else "never_update",
        )

    def enqueue(self, name: str, key: str, slot: str) -> JobTicket:
        """Queue a job unless one for the key is active, or the slot already had one."""
        wanted = make_ticket_id(name, key, slot)
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
                _call_outside_job(lambda: DBOS.enqueue_workflow_with_options(options))
            except error.DBOSWorkflowIDInUseError:
                return JobTicket(wanted, is_new=False)
            except error.DBOSQueueDeduplicatedError:
                # That job may have ended since; then try again.
                if (active := self.find_active(name, key)) is not None:
                    return JobTicket(active.id, is_new=False)
            else:
                return JobTicket(wanted, is_new=True)

    def find_active(self, name: str, key: str) -> JobState | None:
        """Return the queued or running job for a key."""
        statuses = _call_outside_job(
            lambda: DBOS.list_workflows(
                status=["ENQUEUED", "PENDING"],
                workflow_id_prefix=f"{name}/{key}/",
                load_input=False,
            )
        )
        # The database may take the prefix for a pattern.
        states = [_to_record(workflow).state for workflow in statuses]
        return next((state for state in states if (state.name, state.key) == (name, key)), None)

    def list_newest(self, limit: int) -> list[JobState]:
        """Return the newest jobs, in whatever state."""
        listed = _call_outside_job(
            lambda: DBOS.list_workflows(name=_JOB, limit=limit, sort_desc=True, load_input=False)
        )
        return [_to_record(workflow).state for workflow in listed]

    def get_record(self, ticket: str) -> JobRecord | None:
        status = _call_outside_job(lambda: DBOS.get_workflow_status(ticket))
        return None if status is None else _to_record(status)

    def is_unfinished(self, ticket: str) -> bool:
        """Tell whether a job has not ended; many who wait ask for it now and then."""
        return self._database is not None and is_unfinished(self._database, ticket)

    def list_executors(self) -> set[str]:
        """Return the processes whose jobs have begun and not ended."""
        return set[str]() if self._database is None else list_executors(self._database)

    def take_over(self, executor_ids: Collection[str]) -> None:
        """Queue again what processes began that are gone; of several who do so one succeeds.

        Each job counts the death of its process, and goes on after its last finished step.
        """
        # `resume_workflows` would free their keys, forget the deaths, and queue what runs again.
        recover = DBOS._recover_pending_workflows  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        _call_outside_job(lambda: recover([*executor_ids]))

    def queue_again(self, ticket: str) -> None:
        """Queue a job again that this process began and did not end; nothing if it has ended."""
        database = self._system._sys_db  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        _call_outside_job(
            lambda: database.reenqueue_for_recovery(ticket, [self._executor_id], _QUEUE)
        )

    def cancel(self, ticket: str) -> None:
        """Mark a job as cancelled and remove it from the queue; a run under way sees the mark.

        The mark comes first: a job that starts between the two calls finds it and does nothing.
        """
        self._mark(ticket, {_CANCEL: True})
        record = self.get_record(ticket)
        if record is not None and record.state.status is JobStatus.QUEUED:
            _call_outside_job(lambda: DBOS.cancel_workflow(ticket))

    def mark_interrupted(self, record: JobRecord) -> None:
        """Record that the server ended during a run, which does not count as a crash."""
        self._mark(record.state.id, {_BROKEN_OFF: record.interruptions + 1})

    def abandon(self, ticket: str) -> None:
        """Mark a job whose end was never recorded as cancelled; this frees its key."""
        _call_outside_job(lambda: DBOS.cancel_workflow(ticket))

    def prune(self, before: float) -> None:
        """Delete the jobs that ended before a moment in epoch seconds."""
        moment = datetime.fromtimestamp(before, tz=UTC).isoformat()
        while old := _call_outside_job(
            lambda: DBOS.list_workflows(
                status=_OVER,
                completed_before=moment,
                limit=_PRUNED_AT_ONCE,
                load_input=False,
                load_output=False,
            )
        ):
            gone = [workflow.workflow_id for workflow in old]
            _call_outside_job(lambda gone=gone: DBOS.delete_workflows(gone))

    def close(self) -> None:
        """Close the database; runs still under way can no longer record how they ended."""
        DBOS.destroy(destroy_registry=True)
        if self._database is not None:
            self._database.dispose()
        _launch_lock.release()

    def checkpoint(self, name: str, function: Callable[[], Any]) -> Any:
        """Run a step, or return its recorded result from an earlier run; call it within a job."""
        with _translate_dbos_errors():
            return DBOS.run_step({"name": name}, function)

    @staticmethod
    def _mark(ticket: str, attributes: dict[str, Any]) -> None:
        _call_outside_job(lambda: DBOS.update_workflow_attributes(ticket, attributes, merge=True))


def _call_outside_job(call: Callable[[], _T]) -> _T:
    """Call outside the context of any job, where DBOS would make the call a step of that job."""
    with _translate_dbos_errors():
        return Context().run(call)


@contextmanager
def _translate_dbos_errors() -> Generator[None]:
    with translate_errors():
        try:
            yield
        except (error.DBOSQueueDeduplicatedError, error.DBOSWorkflowIDInUseError):
            raise
        except error.DBOSException as cause:
            raise StorageUnavailable("jobs cannot be run now; see the server's log") from cause


def _to_record(workflow: WorkflowStatus) -> JobRecord:
    attributes = workflow.attributes or {}
    interruptions = int(attributes.get(_BROKEN_OFF, 0))
    starts = (workflow.recovery_attempts or 0) - interruptions
    name, key = split_ticket_id(workflow.workflow_id)
    status, message = _read_outcome(workflow)
    state = JobState(
        id=workflow.workflow_id,
        name=name,
        key=key,
        status=status,
        message=message,
        queued_at=_to_seconds(workflow.created_at),
        started_at=_to_seconds(workflow.dequeued_at),
        ended_at=_to_seconds(workflow.completed_at),
    )
    # The run under way has not crashed.
    return JobRecord(state, max(0, starts - 1), interruptions, bool(attributes.get(_CANCEL)))


def _read_outcome(workflow: WorkflowStatus) -> tuple[JobStatus, str]:
    if workflow.status in _STATUS:
        return _STATUS[workflow.status], ""
    if workflow.status == "SUCCESS" and isinstance(workflow.output, dict):
        outcome = cast("dict[str, str]", workflow.output)
        return JobStatus(outcome["status"]), outcome["message"]
    return JobStatus.FAILED, _BROKE


def _to_seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


class _LogForwarder(logging.Handler):
    """Forwards DBOS's log messages without tracebacks, which may quote the content of jobs."""

    def emit(self, record: logging.LogRecord) -> None:
        _log.log(record.levelno, "%s", record.getMessage())


def _redirect_log() -> None:
    """Install our handler before DBOS, which otherwise logs to the console."""
    logger = logging.getLogger("dbos")
    logger.propagate = False
    if not any(isinstance(handler, _LogForwarder) for handler in logger.handlers):
        logger.addHandler(_LogForwarder())
