"""Durable jobs: handed in once, run once, and run again when the process died in the midst.

Nothing is loaded before the first job. One look, twice a minute, at what is due stands for any
number of schedules: a slot makes one job, however often and by however many processes it is seen.

Taking over the jobs of a process that never comes back is not done here: with one server a folder,
the next start is what comes back. Several servers on one database would need a lock that tells who
lives, and would queue again what the dead left; the executor ids for it are there.

Source: `docs/adr/0008-one-writer.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from wellworn.engines.jobs.models import Due, JobState, JobTicket
from wellworn.engines.jobs.settings import JobSettings
from wellworn.engines.jobs.store import has_unfinished
from wellworn.engines.jobs.worker import Kind, Worker, repeat
from wellworn.errors import InvalidInput, NotFound, StorageUnavailable
from wellworn.kit.clock import Clock, SystemClock
from wellworn.kit.ids import new_id

if TYPE_CHECKING:
    from wellworn.engines.jobs.engine import Engine

Plan = Callable[[datetime], Iterable[Due]]

FILE = "jobs.sqlite3"
_DAY_S = 86_400
_PRUNED_EVERY_S = 3_600
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


class Jobs:
    """The jobs of a data folder, or of a database that several servers share."""

    def __init__(
        self,
        where: Path | str,
        settings: JobSettings | None = None,
        *,
        executor_id: str = "server",
        clock: Clock | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            where: a data folder, or a PostgreSQL URL.
            settings: the knobs.
            executor_id: who runs the jobs. Each process has its own; the next one of the same id
                takes up what it left.
            clock: says what is due.
        """
        self._where = where / FILE if isinstance(where, Path) else where
        self._settings = settings or JobSettings()
        self._executor_id = executor_id
        self._clock = clock or SystemClock()
        self._kinds: dict[str, Kind] = {}
        self._plans: list[Plan] = []
        self._worker = Worker(self._kinds, most_starts=self._settings.most_starts)
        self._engine: Engine | None = None
        self._starting = Lock()
        self._leaving = Event()
        self._closing = Event()
        self._ticking: Thread | None = None
        self._pruned_at = 0.0

    def register(self, name: str, run: Kind) -> None:
        """Say what a job of this name does; to be said before one can be taken up."""
        self._kinds[name] = run

    def plan(self, due: Plan) -> None:
        """Ask this, at every tick, which jobs are due at a moment in UTC."""
        self._plans.append(due)

    def begin(self) -> None:
        """Begin to tick, and with the first tick to run what an earlier process left."""
        self._ticking = Thread(
            target=repeat,
            args=(self.tick, self._closing),
            kwargs={"every_s": self._settings.tick_s},
            name="jobs",
            daemon=True,
        )
        self._ticking.start()

    def submit(self, name: str, key: str, *, slot: str = "") -> JobTicket:
        """Queue a job and return its ticket, or that of the one under way for the key.

        A slot is used up by its job: handed in again, it gives the ticket of that job. The first
        job of a process takes about a second to be queued.

        Raises:
            InvalidInput: nobody registered the name, or the parts cannot be in an id.
            StoreInUse: another part of this process has jobs of its own.
            DamagedStore, StorageUnavailable: the database of jobs cannot be used.
        """
        if name not in self._kinds:
            raise InvalidInput("there is no such kind of job")
        return self._started().enqueue(name, key, slot or new_id())

    def state(self, ticket_id: str) -> JobState:
        """Return how a job is.

        Raises:
            NotFound: there is none, or it ended longer ago than is kept.
        """
        found = self._started().entry(ticket_id) if self._is_there() else None
        if found is None:
            raise NotFound("there is no such job")
        return found.state

    def under_way(self, name: str, key: str) -> JobState | None:
        """Return the queued or running job for a key; quick while there are no jobs at all."""
        return self._started().under_way(name, key) if self._is_needed() else None

    def wait(self, ticket_id: str, timeout_s: float) -> JobState:
        """Return how a job ended, or how it is after so many seconds, or when the server ends.

        Raises:
            NotFound: there is no such job.
        """
        until = monotonic() + timeout_s
        pause_s = _SHORTEST_PAUSE_S
        while True:
            state = self.state(ticket_id)
            left_s = until - monotonic()
            if state.status.is_over or left_s <= 0 or self._leaving.wait(min(pause_s, left_s)):
                return state
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)

    def cancel(self, ticket_id: str) -> JobState:
        """Take a job from the queue, or have its run stop at its next check; return how it is then.

        A run in another process stops after that process's next tick.

        Raises:
            NotFound: there is no such job.
        """
        if not self.state(ticket_id).status.is_over:
            engine = self._started()
            engine.cancel(ticket_id)
            self._worker.stop_cancelled(engine)
        return self.state(ticket_id)

    def tick(self) -> None:
        """Do once what is done at every tick.

        Raises:
            WellwornError: what is due cannot be told, or the database of jobs cannot be used.
        """
        now = self._clock.now()
        if self._is_needed():
            self._look_after(self._started(), now)
        for due in self._plans:
            for one in due(datetime.fromtimestamp(now, tz=UTC)):
                self.submit(one.name, one.key, slot=one.slot)

    def stop_waiting(self) -> None:
        """Let go of all who wait for jobs; a server that ends answers them first."""
        self._leaving.set()

    def close(self) -> None:
        """Stop. Runs have `stop_s` to end by themselves; what did not end is run again."""
        self.stop_waiting()
        self._closing.set()
        if self._ticking is not None:
            self._ticking.join()
        with self._starting:
            if self._engine is not None:
                self._worker.end(self._settings.stop_s)
                self._engine.close()
                self._engine = None

    def _started(self) -> Engine:
        with self._starting:
            if self._closing.is_set():
                raise StorageUnavailable("the server is stopping and takes no more jobs")
            if self._engine is None:
                from wellworn.engines.jobs.engine import Engine  # noqa: PLC0415 - slow, and seldom needed

                self._engine = Engine(
                    self._where, self._settings, self._executor_id, self._worker.work
                )
            return self._engine

    def _is_there(self) -> bool:
        return (
            self._engine is not None or not isinstance(self._where, Path) or self._where.is_file()
        )

    def _is_needed(self) -> bool:
        if self._engine is not None or not isinstance(self._where, Path):
            return True
        return has_unfinished(self._where)

    def _look_after(self, engine: Engine, now: float) -> None:
        self._worker.stop_cancelled(engine)
        self._worker.free_ended(engine)
        if now - self._pruned_at >= _PRUNED_EVERY_S:
            engine.prune(now - self._settings.keep_days * _DAY_S)
            self._pruned_at = now
