"""Durable jobs: each runs to its end once, and again after a crash.

DBOS is loaded with the first job. A single tick, twice a minute, serves any number of schedules:
each slot makes one job, however often and by however many processes it is submitted.

A job is resumed by the next process with the same executor id. Of servers that share a database,
each has an id of its own and a lease that ends with it: the others take over what it had begun.

Source: `docs/adr/0008-one-writer.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from wellworn.engines.jobs.models import DueJob, JobState, JobTicket
from wellworn.engines.jobs.settings import JobSettings
from wellworn.engines.jobs.store import has_unfinished
from wellworn.engines.jobs.worker import FailureListener, JobFunction, Worker, repeat
from wellworn.errors import InvalidInput, NotFound, StorageUnavailable
from wellworn.kit.clock import Clock, SystemClock
from wellworn.kit.ids import new_id

if TYPE_CHECKING:
    from wellworn.engines.jobs.engine import JobEngine


class Leases(Protocol):
    """What servers that share a database have for as long as they live."""

    def take_lease(self, name: str) -> bool: ...

    def renew_leases(self) -> None:
        """Show that this server lives; one that was cut off asks for its leases again."""
        ...

    def find_leased(self, names: Sequence[str]) -> set[str]: ...


Planner = Callable[[datetime], Iterable[DueJob]]

_log = logging.getLogger(__name__)

FILE = "jobs.sqlite3"
_DAY_S = 86_400
_PRUNED_EVERY_S = 3_600
_LOOKED_AFTER_S = 3.0
"""Seconds between two looks for servers that are gone: one that two looks miss is."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


class Jobs:
    """The jobs of a data folder, or of a database that several servers share."""

    def __init__(
        self,
        where: Path | str,
        settings: JobSettings | None = None,
        *,
        executor_id: str = "server",
        leases: Leases | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Set up without opening the database.

        Args:
            where: a data folder, or a PostgreSQL URL.
            settings: limits and intervals.
            executor_id: identifies the process; the next one with this id resumes its jobs.
            leases: tells, where servers share the database, which of them live.
            clock: decides which jobs are due.
        """
        self._where = where / FILE if isinstance(where, Path) else where
        self._settings = settings or JobSettings()
        self._executor_id = executor_id
        self._leases = leases
        self._missed = set[str]()
        self._every_s = self._settings.tick_s
        if leases is not None:
            self._every_s = min(self._every_s, _LOOKED_AFTER_S)
        self._clock = clock or SystemClock()
        self._kinds: dict[str, JobFunction] = {}
        self._listeners: dict[str, FailureListener] = {}
        self._planners: list[Planner] = []
        self._worker = Worker(
            self._kinds, most_starts=self._settings.most_starts, listeners=self._listeners
        )
        self._engine: JobEngine | None = None
        self._starting = Lock()
        self._leaving = Event()
        self._closing = Event()
        self._ticking: Thread | None = None
        self._pruned_at = 0.0

    def register(
        self, name: str, run: JobFunction, on_failure: FailureListener | None = None
    ) -> None:
        """Register the function for jobs of a name; call it before `start`.

        `on_failure` is told of each that failed; a `WellwornError` of it, and it is told again by
        the next process.
        """
        self._kinds[name] = run
        if on_failure is not None:
            self._listeners[name] = on_failure

    def add_planner(self, find_due: Planner) -> None:
        """Add a function that returns, at every tick, the jobs due at a moment in UTC."""
        self._planners.append(find_due)

    def start(self) -> None:
        """Start the ticks; the first one resumes what an earlier process left."""
        self._ticking = Thread(
            target=repeat,
            args=(self.tick, self._closing),
            kwargs={"every_s": self._every_s},
            name="jobs",
            daemon=True,
        )
        self._ticking.start()

    def submit(self, name: str, key: str, *, slot: str = "") -> JobTicket:
        """Queue a job and return its ticket, or that of the active job for the key.

        Submitting a slot again returns the ticket of its job. The first job of a process takes
        about a second to queue.

        Raises:
            InvalidInput: the name is not registered, or a part is not allowed in an id.
            StoreInUse: another part of this process runs jobs.
            DamagedStore, StorageUnavailable: the database of jobs cannot be used.
        """
        if name not in self._kinds:
            raise InvalidInput("there is no such kind of job")
        return self._open_engine().enqueue(name, key, slot or new_id())

    def get_state(self, ticket_id: str) -> JobState:
        """Return the state of a job.

        Raises:
            NotFound: there is none, or it ended more than `keep_days` ago.
        """
        record = self._open_engine().get_record(ticket_id) if self._has_database() else None
        if record is None:
            raise NotFound("there is no such job")
        return record.state

    def is_unfinished(self, ticket_id: str) -> bool:
        """Tell whether a job has not ended; costs less than `get_state`."""
        return self._has_database() and self._open_engine().is_unfinished(ticket_id)

    def find_active(self, name: str, key: str) -> JobState | None:
        """Return the queued or running job for a key."""
        return self._open_engine().find_active(name, key) if self._is_needed() else None

    def list_newest(self, limit: int) -> list[JobState]:
        """Return the newest jobs; where none was ever queued, nothing is opened for it.

        Raises:
            DamagedStore, StorageUnavailable: the database of jobs cannot be used.
        """
        return self._open_engine().list_newest(limit) if self._has_database() else []

    def wait(self, ticket_id: str, timeout_s: float) -> JobState:
        """Wait until a job or the server ends, or the time is over; return the job's state.

        Raises:
            NotFound: there is no such job.
        """
        until = monotonic() + timeout_s
        pause_s = _SHORTEST_PAUSE_S
        while True:
            state = self.get_state(ticket_id)
            left_s = until - monotonic()
            if state.status.is_over or left_s <= 0 or self._leaving.wait(min(pause_s, left_s)):
                return state
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)

    def cancel(self, ticket_id: str) -> JobState:
        """Remove a job from the queue, or stop its run at its next check; return its state.

        A run in another process stops after that process's next tick.

        Raises:
            NotFound: there is no such job.
        """
        if not self.get_state(ticket_id).status.is_over:
            engine = self._open_engine()
            engine.cancel(ticket_id)
            self._worker.stop_cancelled(engine)
        return self.get_state(ticket_id)

    def tick(self) -> None:
        """Maintain the queue and submit the jobs that are due.

        Raises:
            WellwornError: a planner failed, or the database of jobs cannot be used.
        """
        now = self._clock.now()
        if self._leases is not None:
            self._leases.renew_leases()
        if self._is_needed():
            self._maintain(self._open_engine(), now)
        for find_due in self._planners:
            for due_job in find_due(datetime.fromtimestamp(now, tz=UTC)):
                self.submit(due_job.name, due_job.key, slot=due_job.slot)

    @property
    def is_leaving(self) -> bool:
        """Tell whether nobody may wait any more."""
        return self._leaving.is_set()

    def stop_waiting(self) -> None:
        """Return every pending `wait`, so that a server that ends can answer its callers."""
        self._leaving.set()

    def close(self) -> None:
        """Stop; jobs that do not end within `stop_s` run again at the next start."""
        self.stop_waiting()
        self._closing.set()
        if self._ticking is not None:
            self._ticking.join()
        with self._starting:
            if self._engine is not None:
                self._worker.end(self._settings.stop_s)
                self._engine.close()
                self._engine = None

    def _open_engine(self) -> JobEngine:
        with self._starting:
            if self._closing.is_set():
                raise StorageUnavailable("the server is stopping and takes no more jobs")
            if self._engine is None:
                from wellworn.engines.jobs.engine import JobEngine  # noqa: PLC0415 - slow, and seldom needed

                if self._leases is not None:
                    self._leases.take_lease(_name_lease(self._executor_id))
                self._engine = JobEngine(
                    self._where, self._settings, self._executor_id, self._worker.work
                )
            return self._engine

    def _has_database(self) -> bool:
        if self._engine is None and isinstance(self._where, Path):
            return self._where.is_file()
        return self._engine is not None or has_unfinished(self._where) is not None

    def _is_needed(self) -> bool:
        return self._engine is not None or bool(has_unfinished(self._where))

    def _maintain(self, engine: JobEngine, now: float) -> None:
        self._worker.stop_cancelled(engine)
        self._worker.free_ended(engine)
        for ticket in self._worker.take_stopped(self._settings.tick_s):
            engine.queue_again(ticket)
        if self._leases is not None:
            self._take_over(engine, self._leases)
        if now - self._pruned_at >= _PRUNED_EVERY_S:
            engine.prune(now - self._settings.keep_days * _DAY_S)
            self._pruned_at = now

    def _take_over(self, engine: JobEngine, leases: Leases) -> None:
        """Queue again what servers left that are gone; one may just be cut off for a moment."""
        leases.take_lease(_name_lease(self._executor_id))
        others = engine.list_executors() - {self._executor_id}
        alive = leases.find_leased([*map(_name_lease, others)]) if others else set[str]()
        gone = {other for other in others if _name_lease(other) not in alive}
        if lost := gone & self._missed:
            _log.warning("%d servers are gone; their jobs go on here or elsewhere", len(lost))
            engine.take_over(lost)
        self._missed = gone


def _name_lease(executor_id: str) -> str:
    return f"jobs of {executor_id}"
