"""Counts the calls under way, for work that makes way for them."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Event
from typing import Final

from wellworn.domain.audit import Action
from wellworn.engines.jobs import JobRun

_NOT_IN_A_HURRY = frozenset({Action.SOURCE_SYNCED, Action.SOURCE_READ, Action.SPACE_READ})
"""Syncs run for long, and those who wait for work in the background ask for it often: a
source how far it is, or the health of the memory."""
_BRINGING = frozenset({Action.SOURCE_SYNCED, Action.IMPORT_MADE})
"""Calls after which there may be something to embed."""


_MOST_TIMES: Final = 512


@dataclass(frozen=True, slots=True)
class CallTimes:
    """How many calls of a kind went by since the start, and how long the last 512 took, in s."""

    action: Action
    calls: int
    median_s: float
    slow_s: float


class CallActivity:
    """Counts the calls that nothing in the background should slow down, and times all."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._changed = Condition()
        self._running = 0
        self._ended_at = -float("inf")
        self._counts: Counter[Action] = Counter()
        self._times: dict[Action, deque[float]] = {}
        self.has_brought = Event()
        """Set when a call may have brought something to embed, for who waits for that."""

    @contextmanager
    def track(self, action: Action) -> Generator[None]:
        """Count a call while the block runs."""
        began_at = self._now()
        try:
            if action in _NOT_IN_A_HURRY:
                yield
            else:
                with self._count():
                    yield
        finally:
            if action in _BRINGING:
                self.has_brought.set()
            with self._changed:
                self._counts[action] += 1
                times = self._times.setdefault(action, deque(maxlen=_MOST_TIMES))
                times.append(self._now() - began_at)

    def list_times(self) -> list[CallTimes]:
        """Return how long calls took, the most frequent kinds first."""
        with self._changed:
            times = {action: sorted(each) for action, each in self._times.items()}
            counts = self._counts.most_common()
        return [
            CallTimes(action, calls, _rank(times[action], 0.5), _rank(times[action], 0.95))
            for action, calls in counts
        ]

    @contextmanager
    def _count(self) -> Generator[None]:
        with self._changed:
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._ended_at = self._now()
                self._changed.notify_all()

    def is_quiet(self, for_s: float) -> bool:
        """Tell whether no call runs, and none has for that long."""
        return not self._running and self._now() - self._ended_at >= for_s

    def wait_for_quiet(self, for_s: float, *, longest_s: float) -> None:
        """Return when it is quiet, or after `longest_s`: who calls without end gets most of it."""
        until = self._now() + longest_s
        with self._changed:
            while not self.is_quiet(for_s) and (left_s := until - self._now()) > 0:
                pause_s = left_s if self._running else self._ended_at + for_s - self._now()
                self._changed.wait(min(left_s, max(pause_s, 0.001)))


def _rank(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


_PAUSE_S: Final = 0.3
"""The silence before work goes on: those who call again and again are left alone."""
_LONGEST_PAUSE_S: Final = 0.3
_PAUSES: Final = 9
"""A share: beside calls without end, work in the background gets a tenth of the time."""
_LONGEST_PART_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """The time that work in the background waits for calls."""

    pause_s: float = _PAUSE_S
    longest_s: float = _LONGEST_PAUSE_S


class WayMaker:
    """Lets work in the background make way for calls, between one part of it and the next."""

    def __init__(self, activity: CallActivity, patience: Patience | None = None) -> None:
        self._activity = activity
        self._patience = patience or Patience()
        self._went_on_at = time.monotonic()

    def make_way(self) -> None:
        """Wait until nobody has called for a moment, or nine times as long as the last part."""
        took_s = min(_LONGEST_PART_S, time.monotonic() - self._went_on_at)
        longest_s = max(self._patience.longest_s, _PAUSES * took_s)
        self._activity.wait_for_quiet(self._patience.pause_s, longest_s=longest_s)
        self._went_on_at = time.monotonic()


def build_pause(run: JobRun, activity: CallActivity) -> Callable[[], None]:
    """Return what a job calls between its parts: it makes way for calls, or stops there."""
    way_maker = WayMaker(activity)

    def pause() -> None:
        run.check_stop()
        way_maker.make_way()

    return pause
