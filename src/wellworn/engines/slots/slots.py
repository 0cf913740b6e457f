"""Decides how many calls run at once, who waits, and whose turn it is.

Callers who wait take turns, so that one with many calls does not stand before one with a single
call; and where no more may wait, the last call of the caller with most makes room for one of
a caller with fewer. A caller is named with those who let them in: one who invites any number of
others has no more turns by that. All of it happens on one event loop, and waiting takes no thread.

Nobody has all slots: a caller's next call begins while it holds no more than are free then, so that
there is one for the next caller. A call with a long text counts there as several, because its
computing keeps others from theirs for longer.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from wellworn.engines.slots.settings import SlotSettings
from wellworn.errors import Overloaded

RETRY_AFTER_S: Final = 1
SLOT: Final = "wellworn.slot"
"""The key of a request's scope with the slot that it holds."""

Path = tuple[str, ...]
"""Callers from the first let in to this one; the end tells a caller from whom it let in."""
CALLER_END: Final = ""
_BYTES_OF_A_SLOT: Final = 1024
_SHARED_DEPTH: Final = 1
"""Of those whom one let in who was let in by nobody, each has a share: mostly they are a team."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    turn: asyncio.Future[None]
    weight: int


class Slots:
    """The calls that run and wait."""

    def __init__(self, settings: SlotSettings) -> None:
        self._settings = settings
        self._taken: Counter[Path] = Counter()
        self._weights: Counter[Path] = Counter()
        """Of what runs."""
        self._queues: dict[Path, deque[_Waiter]] = {}
        self._moments = count()
        self._lined_up: dict[Path, int] = {}
        """When those who wait went to the end of their lines, of each branch too."""
        self.running = 0
        self.waiting = 0
        self.refused = 0
        """Calls that were told to come again, since the start."""

    async def take(self, *callers: str, size: int = 0) -> Slot:
        """Return a slot as soon as there is one for the caller; the one who gets it gives it back.

        Args:
            callers: whose call it is, after those who let them in.
            size: of what comes with the call, in bytes.

        Raises:
            Overloaded: the caller has its share, or as many wait as may.
        """
        path = (*callers, CALLER_END)
        if self._taken[path] >= self._settings.most_of_a_caller:
            self.refused += 1
            message = "too many of your calls are under way; wait for some to end"
            raise Overloaded(message, retry_after_s=RETRY_AFTER_S)
        weight = 1 + min(size // _BYTES_OF_A_SLOT, self._settings.at_once // 2)
        begins = path not in self._queues and self._may_begin(path, weight)
        if not begins and self.waiting >= self._settings.most_waiting:
            self._make_room(path)
        self._taken.update(_list_branches(path))
        if begins:
            self._begin(path, weight)
        else:
            await self._wait(path, weight)
        return Slot(self, path, weight)

    def _may_begin(self, path: Path, weight: int) -> bool:
        """Tell whether a slot is free, and as many as the caller and who let it in would hold."""
        free = self._settings.at_once - self.running
        held = (
            self._weights[branch] for branch in _list_branches(path) if len(branch) > _SHARED_DEPTH
        )
        return free > 0 and all(not own or own + weight <= free for own in held)

    def _begin(self, path: Path, weight: int) -> None:
        self.running += 1
        self._weights.update(dict.fromkeys(_list_branches(path), weight))

    def _end(self, path: Path, weight: int) -> None:
        self.running -= 1
        _count_down(self._weights, path, weight)

    def _make_room(self, path: Path) -> None:
        """Refuse the last call of one who has more than the caller would have.

        Raises:
            Overloaded: nobody has more.
        """
        for own in _list_branches(path):
            beside = [branch for branch in self._list_waiting(len(own)) if branch[:-1] == own[:-1]]
            largest = max(beside, key=self._measure, default=own)
            if self._taken[largest] > self._taken[own] + 1:
                self._refuse_last(largest)
                return
        self.refused += 1
        raise _refuse()

    def _measure(self, branch: Path) -> tuple[int, int]:
        """Return how many calls a branch has; of equal ones the last in line is the largest."""
        return self._taken[branch], self._lined_up[branch]

    def _list_waiting(self, depth: int) -> Iterable[Path]:
        """Return the branches in which somebody waits, as far as they have that many parts."""
        return dict.fromkeys(path[:depth] for path in self._queues if len(path) >= depth)

    def _refuse_last(self, branch: Path) -> None:
        """Refuse the last call that waits of the one with most in a branch."""
        while branch not in self._queues:
            inner = (each for each in self._list_waiting(len(branch) + 1) if each[:-1] == branch)
            branch = max(inner, key=self._measure)
        turn = self._queues[branch].pop().turn
        self._leave_line(branch)
        if not turn.done():  # else its caller is just leaving
            self.refused += 1
            turn.set_exception(_refuse())

    async def _wait(self, path: Path, weight: int) -> None:
        turn = asyncio.get_running_loop().create_future()
        waiter = _Waiter(turn, weight)
        self._queues.setdefault(path, deque()).append(waiter)
        moment = next(self._moments)
        for branch in _list_branches(path):
            self._lined_up.setdefault(branch, moment)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.done() or turn.cancelled():
                self._give_up(path, waiter)
            elif turn.exception() is None:
                self.free(path, weight)
            raise

    def _give_up(self, path: Path, waiter: _Waiter) -> None:
        waiters = self._queues.get(path)
        if waiters is None or waiter not in waiters:
            return  # A call that ended meanwhile passed it over.
        waiters.remove(waiter)
        self._leave_line(path)

    def _leave_line(self, path: Path) -> None:
        """End a call that waited no longer, and was removed from its queue."""
        self.waiting -= 1
        self._drop_empty_line(path)
        self._forget(path)

    def free(self, path: Path, weight: int) -> None:
        """End a call; the next of others begin."""
        self._end(path, weight)
        self._forget(path)
        while (following := self._find_next()) is not None:
            waiter = self._queues[following].popleft()
            moment = next(self._moments)
            self._lined_up.update(dict.fromkeys(_list_branches(following), moment))
            self._drop_empty_line(following)
            self.waiting -= 1
            if waiter.turn.done():
                self._forget(following)
            else:
                self._begin(following, waiter.weight)
                waiter.turn.set_result(None)

    def _find_next(self) -> Path | None:
        """Return who waits and is next of those who may begin.

        Of each branch that one is next whose line is the longest there.
        """
        able = (
            path
            for path, waiters in self._queues.items()
            if self._may_begin(path, waiters[0].weight)
        )
        return min(
            able,
            key=lambda path: [self._lined_up[branch] for branch in _list_branches(path)],
            default=None,
        )

    def _drop_empty_line(self, path: Path) -> None:
        if self._queues[path]:
            return
        del self._queues[path]
        for branch in _list_branches(path):
            if branch not in self._list_waiting(len(branch)):
                del self._lined_up[branch]

    def _forget(self, path: Path) -> None:
        _count_down(self._taken, path, 1)


def _count_down(counts: Counter[Path], path: Path, many: int) -> None:
    for branch in _list_branches(path):
        counts[branch] -= many
        if not counts[branch]:
            del counts[branch]


def _list_branches(path: Path) -> Iterator[Path]:
    """Yield the branches that lead to a caller, the outermost first, and the caller."""
    return (path[:depth] for depth in range(1, len(path) + 1))


def _refuse() -> Overloaded:
    message = "the server has more calls than it can answer; wait and try again"
    return Overloaded(message, retry_after_s=RETRY_AFTER_S)


class Slot:
    """A call that runs; given back once, however often that is asked."""

    def __init__(self, slots: Slots, path: Path, weight: int) -> None:
        self._slots, self._path = slots, path
        self.weight = weight
        self._is_held = True

    def give_back(self) -> None:
        """Let another call begin."""
        if self._is_held:
            self._is_held = False
            self._slots.free(self._path, self.weight)


def give_back_slot(scope: Mapping[str, Any]) -> int:
    """Let another call begin: the one of this scope waits, or is answered; return its weight."""
    slot: Slot | None = scope.get(SLOT)
    if slot is None:
        return 1
    slot.give_back()
    return slot.weight
