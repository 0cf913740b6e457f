"""Processes that search beside the server, so that many callers get more than one processor.

A search only reads, and is two thirds of what a call computes under the interpreter's lock. All
else of a call stays in the server, and so does whatever decides: who may call, what is stored, what
is sealed. A process has the database, read only, and the index in memory of its own, which follows
the server's: whatever was stored before a search was begun is found by it. Where none is free, or
it fails, the server searches by itself. Processes may be there always, or while many call at once.

Source: `docs/adr/0020-search-processes.md`.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Condition
from typing import Final, Protocol

from wellworn.domain.memory import PromptSearch, SearchOutcome
from wellworn.errors import WellwornError

UNDER_WAY: Final = 2
"""Questions that a process has at once, so that it need not wait for the next."""
CROWD: Final = 100
"""Searches that began beside another since the last look, by which many are calling at once."""
COUNTED_S: Final = 10.0
"""Seconds for which searches are counted at least."""
PATIENCE_S: Final = 600.0
"""Seconds after a crowd for which its processes stay."""
_log = logging.getLogger(__name__)


class SearchFailed(Exception):
    """A process could not search; the server does."""


class SearchProcess(Protocol):
    """A process that searches one question at a time."""

    @property
    def is_current(self) -> bool:
        """Whether it runs."""
        ...

    def begin(self) -> None:
        """Return when it is ready to search.

        Raises:
            SearchFailed: it ended before.
        """
        ...

    def search(self, asked: PromptSearch) -> SearchOutcome:
        """Return what the server would find.

        Raises:
            SearchFailed: it did not.
        """
        ...

    def close(self) -> None:
        """End it."""
        ...


class SearchProcesses:
    """Hands searches to processes and to the server itself, to the one free first."""

    def __init__(
        self,
        most: int,
        start: Callable[[], SearchProcess],
        search_here: Callable[[PromptSearch], SearchOutcome],
        *,
        for_crowds: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`start` starts one, which is not ready yet; it raises OSError or a WellwornError.

        With `for_crowds` there are processes only while many call at once; `now` is in seconds.
        """
        self._most = most
        self._for_crowds, self._now = for_crowds, now
        self._beside, self._counted_from, self._needed_until = 0, now(), now()
        self._start = start
        self._search_here = search_here
        self._processes: list[SearchProcess] = []
        self._under_way: Counter[SearchProcess | None] = Counter()
        self._changed = Condition()
        self._begun: SearchProcess | None = None
        self._is_over = False

    def search(self, asked: PromptSearch) -> SearchOutcome:
        """Search wherever it can be begun first."""
        with self._take_turn() as process:
            if process is not None:
                try:
                    return process.search(asked)
                except SearchFailed:
                    _log.warning("a search process failed, and the server searched instead")
            return self._search_here(asked)

    @contextmanager
    def _take_turn(self) -> Generator[SearchProcess | None]:
        """Yield a process, or None for the server: who comes alone spares the message."""
        with self._changed:
            self._beside += bool(self._under_way)
            self._changed.wait_for(
                lambda: self._has_room(None) or self._choose_process() or not self._processes
            )
            process = self._choose_process()
            if self._has_room(None) and not (process and self._under_way):
                process = None
            self._under_way[process] += 1
        try:
            yield process
        finally:
            with self._changed:
                self._under_way[process] -= 1
                # Without what is at zero, and so without the processes of before.
                self._under_way += Counter()
                self._changed.notify()

    def _has_room(self, searcher: SearchProcess | None) -> bool:
        return self._under_way[searcher] < (1 if searcher is None else UNDER_WAY)

    def _choose_process(self) -> SearchProcess | None:
        """Return the process with the fewest questions, if it may have another."""
        running = [process for process in self._processes if process.is_current]
        least = min(running, key=lambda process: self._under_way[process], default=None)
        return least if least is not None and self._has_room(least) else None

    def run_if_due(self) -> bool:
        """Start what processes are lacking and end those of before; tell whether any was due.

        For one thread alone.
        """
        wanted = self._most if self._are_needed() else 0
        current = [process for process in self._processes if process.is_current]
        for process in set(self._processes).difference(current[:wanted]):
            self._retire(process)
        missing = wanted - len(self._processes)
        for _ in range(missing):
            if self._is_over or not self._begin():
                break
        return missing > 0

    def _are_needed(self) -> bool:
        now = self._now()
        if now - self._counted_from >= COUNTED_S:
            if self._beside >= CROWD:
                self._needed_until = now + PATIENCE_S
            self._beside, self._counted_from = 0, now
        return not self._for_crowds or now < self._needed_until

    def _begin(self) -> bool:
        self._begun = None
        try:
            self._begun = self._start()
            if not self._is_over:
                self._begun.begin()
        except (OSError, SearchFailed, WellwornError):
            if not self._is_over:
                _log.exception("a search process did not start and will be tried again")
            self._retire(self._begun)
            return False
        with self._changed:
            self._processes.append(self._begun)
            self._changed.notify(UNDER_WAY)
        if self._is_over:
            self._retire(self._begun)
        return True

    def _retire(self, process: SearchProcess | None) -> None:
        if process is None:
            return
        with self._changed:
            if process in self._processes:
                self._processes.remove(process)
        process.close()

    def stop(self) -> None:
        """End all of them, also one that is not ready; the server searches by itself."""
        self._is_over = True
        for process in [self._begun, *self._processes]:
            self._retire(process)
