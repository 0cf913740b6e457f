"""Runs what is due in the background step by step, so that one that fails keeps no other from it.

Among the steps are some that a promise hangs on: an idle space is locked, what was erased leaves
the files. Nothing that anybody stored may end them by making an earlier one fail.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.application.calls.pool import SpacePool
from wellworn.errors import IndexUnavailable
from wellworn.kit.clock import Clock, SystemClock

_log = logging.getLogger(__name__)

Step = Callable[[], object]


class Repair(Protocol):
    """A repair that makes one index agree with the database."""

    def missing(self) -> list[int]: ...

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = ...) -> None: ...


@dataclass(frozen=True, slots=True)
class UpkeepFailure:
    """A step that fails; `error` is the kind of the last one, times are in epoch seconds."""

    name: str
    error: str
    times: int
    first_at: float
    last_at: float


class Upkeep:
    """Runs the steps; `failing` are those that failed when they were last run, by name."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self.failing: dict[str, UpkeepFailure] = {}

    @property
    def failures(self) -> tuple[str, ...]:
        """The names of the steps that fail."""
        return tuple(self.failing)

    def run(self, steps: Iterable[Step], *, is_over: Callable[[], bool]) -> None:
        """Run each step, until it is over; what one raises is logged, and it is tried next time."""
        failing: dict[str, UpkeepFailure] = {}
        for step in steps:
            if is_over():
                return
            try:
                step()
            except Exception as error:  # noqa: BLE001 - whatever it is, the other steps are due
                name, now = step.__name__, self._clock.now()
                _log.exception("%s failed in the background and is tried again", name)
                before = self.failing.get(name)
                failing[name] = UpkeepFailure(
                    name,
                    type(error).__name__,
                    before.times + 1 if before else 1,
                    before.first_at if before else now,
                    now,
                )
        self.failing = failing


class SpaceUpkeep:
    """The steps for what the open spaces hold."""

    def __init__(self, pool: SpacePool) -> None:
        self._pool = pool

    def judge_needs(self) -> None:
        """Judge for every space what its log says of co-use, where that is due."""
        self._pool.visit_all(lambda services: services.thoughts.needed_next.update_if_due())

    def learn_weights(self) -> None:
        """Learn the order of results from the feedback of every space, where that is due."""
        self._pool.visit_all(
            lambda services: services.thoughts.learner.learn_if_due(), IndexUnavailable
        )

    def make_topics(self) -> None:
        """Sort the thoughts of all large spaces into topics, where that is due."""
        self._pool.visit_all(lambda services: services.thoughts.topics.update_if_due())

    def sleep(self) -> None:
        """Bring together what several thoughts say, in every space where that is due."""
        self._pool.visit_all(lambda services: services.thoughts.sleeper.sleep_if_due())

    def archive_old_turns(self) -> None:
        """Archive old turns of open spaces; those of a sealed one are for its members to archive.

        Raises:
            StorageUnavailable: the rest waits.
        """
        self._pool.shared.turns.archive_old()

    def drop_old_decisions(self) -> None:
        """Drop, in every space, what was stored of decisions for as long as the settings say."""
        self._pool.visit_all(lambda services: services.thoughts.decisions.drop_old())

    def drop_expired(self) -> None:
        """Delete for good, in every space, the documents that vanished long ago."""
        self._pool.visit_all(lambda services: services.sources.drop_expired())
