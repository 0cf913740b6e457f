"""How many calls run at once, who waits, and whose turn it is.

Callers who wait take turns, so that one with many calls does not stand before one with a single
call; and where no more may wait, the last call of whoever has most of them makes room for one of
whoever has fewer. A caller is named with those who let them in: whoever invites any number of
others has no more turns by that. All of it happens on one event loop, and waiting takes no thread.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from wellworn.engines.slots.settings import SlotSettings
from wellworn.errors import Overloaded

RETRY_AFTER_S: Final = 1
SLOT: Final = "wellworn.slot"
"""Where in the scope of a request the slot is that it holds."""

Path = tuple[str, ...]
"""Who was let in first, and so on to the caller; the end tells a caller from whom it let in."""
CALLER_END: Final = ""


class Slots:
    """The calls that run and wait."""

    def __init__(self, settings: SlotSettings) -> None:
        self._settings = settings
        self._taken: Counter[Path] = Counter()
        self._queues: dict[Path, deque[asyncio.Future[None]]] = {}
        self._moments = count()
        self._lined_up: dict[Path, int] = {}
        """When those who wait went to the end of their lines, of each branch too."""
        self.running = 0
        self.waiting = 0

    async def take(self, *callers: str) -> Slot:
        """Return a slot as soon as one is free; whoever gets one gives it back.

        Args:
            callers: whose call it is, after those who let them in.

        Raises:
            Overloaded: the caller has its share, or as many wait as may.
        """
        path = (*callers, CALLER_END)
        if self._taken[path] >= self._settings.most_of_a_caller:
            message = "too many of your calls are under way; wait for some to end"
            raise Overloaded(message, retry_after_s=RETRY_AFTER_S)
        is_full = self.running >= self._settings.at_once
        if is_full and self.waiting >= self._settings.most_waiting:
            self._make_room(path)
        self._taken.update(_list_branches(path))
        if is_full:
            await self._wait(path)
        else:
            self.running += 1
        return Slot(self, path)

    def _make_room(self, path: Path) -> None:
        """Refuse the last call of whoever has more than the caller would have.

        Raises:
            Overloaded: nobody has more.
        """
        for own in _list_branches(path):
            beside = [branch for branch in self._list_waiting(len(own)) if branch[:-1] == own[:-1]]
            largest = max(beside, key=self._measure, default=own)
            if self._taken[largest] > self._taken[own] + 1:
                self._refuse_last(largest)
                return
        raise _refuse()

    def _measure(self, branch: Path) -> tuple[int, int]:
        """Return how many calls a branch has; of equal ones the last in line is the largest."""
        return self._taken[branch], self._lined_up[branch]

    def _list_waiting(self, depth: int) -> Iterable[Path]:
        """Return the branches in which somebody waits, as far as they have that many parts."""
        return dict.fromkeys(path[:depth] for path in self._queues if len(path) >= depth)

    def _refuse_last(self, branch: Path) -> None:
        """Refuse the last call that waits of whoever has most in a branch."""
        while branch not in self._queues:
            inner = (each for each in self._list_waiting(len(branch) + 1) if each[:-1] == branch)
            branch = max(inner, key=self._measure)
        turn = self._queues[branch].pop()
        self._leave_line(branch)
        if not turn.done():  # else its caller is just leaving
            turn.set_exception(_refuse())

    async def _wait(self, path: Path) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._queues.setdefault(path, deque()).append(turn)
        moment = next(self._moments)
        for branch in _list_branches(path):
            self._lined_up.setdefault(branch, moment)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.done() or turn.cancelled():
                self._give_up(path, turn)
            elif turn.exception() is None:
                self.free(path)
            raise

    def _give_up(self, path: Path, turn: asyncio.Future[None]) -> None:
        turns = self._queues.get(path)
        if turns is None or turn not in turns:
            return  # A call that ended meanwhile passed it over.
        turns.remove(turn)
        self._leave_line(path)

    def _leave_line(self, path: Path) -> None:
        """End a call that waited no longer, and was taken out of its queue."""
        self.waiting -= 1
        self._drop_empty_line(path)
        self._forget(path)

    def free(self, path: Path) -> None:
        """End a call; the next of another caller begins."""
        self._forget(path)
        while self._queues:
            waiter, turn = self._pop_next()
            self.waiting -= 1
            if not turn.done():
                turn.set_result(None)
                return
            self._forget(waiter)
        self.running -= 1

    def _pop_next(self) -> tuple[Path, asyncio.Future[None]]:
        """Take out who waits and is next; its branches go to the end of their lines."""
        branch: Path = ()
        while branch not in self._queues:
            inner = (each for each in self._list_waiting(len(branch) + 1) if each[:-1] == branch)
            branch = min(inner, key=self._lined_up.__getitem__)
        turn = self._queues[branch].popleft()
        moment = next(self._moments)
        self._lined_up.update(dict.fromkeys(_list_branches(branch), moment))
        self._drop_empty_line(branch)
        return branch, turn

    def _drop_empty_line(self, path: Path) -> None:
        if self._queues[path]:
            return
        del self._queues[path]
        for branch in _list_branches(path):
            if branch not in self._list_waiting(len(branch)):
                del self._lined_up[branch]

    def _forget(self, path: Path) -> None:
        for branch in _list_branches(path):
            self._taken[branch] -= 1
            if not self._taken[branch]:
                del self._taken[branch]


def _list_branches(path: Path) -> Iterator[Path]:
    """Yield the branches that lead to a caller, the outermost first, and the caller."""
    return (path[:depth] for depth in range(1, len(path) + 1))


def _refuse() -> Overloaded:
    message = "the server has more calls than it can answer; wait and try again"
    return Overloaded(message, retry_after_s=RETRY_AFTER_S)


class Slot:
    """A call that runs; given back once, however often that is asked."""

    def __init__(self, slots: Slots, path: tuple[str, ...]) -> None:
        self._slots, self._path = slots, path
        self._is_held = True

    def give_back(self) -> None:
        """Let another call begin."""
        if self._is_held:
            self._is_held = False
            self._slots.free(self._path)


def give_back_slot(scope: Mapping[str, Any]) -> None:
    """Let another call begin: the one of this scope waits, or is answered."""
    if SLOT in scope:
        scope[SLOT].give_back()
