"""How many calls run at once, who waits, and whose turn it is.

Callers who wait take turns, so that one with many calls does not stand before one with a single
call. All of it happens on one event loop, and waiting takes no thread.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping
from typing import Any, Final

from wellworn.engines.slots.settings import SlotSettings
from wellworn.errors import Overloaded

RETRY_AFTER_S: Final = 1
SLOT: Final = "wellworn.slot"
"""Where in the scope of a request the slot is that it holds."""


class Slots:
    """The calls that run and wait."""

    def __init__(self, settings: SlotSettings) -> None:
        self._settings = settings
        self._taken: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.running = 0
        self.waiting = 0

    async def take(self, caller: str) -> Slot:
        """Return a slot as soon as one is free; whoever gets one gives it back.

        Raises:
            Overloaded: the caller has its share, or as many wait as may.
        """
        if self._taken[caller] >= self._settings.most_of_a_caller:
            message = "too many of your calls are under way; wait for some to end"
            raise Overloaded(message, retry_after_s=RETRY_AFTER_S)
        is_full = self.running >= self._settings.at_once
        if is_full and self.waiting >= self._settings.most_waiting:
            message = "the server has more calls than it can answer; wait and try again"
            raise Overloaded(message, retry_after_s=RETRY_AFTER_S)
        self._taken[caller] += 1
        if is_full:
            await self._wait(caller)
        else:
            self.running += 1
        return Slot(self, caller)

    async def _wait(self, caller: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.free(caller)
            else:
                self._leave(caller, turn)
            raise

    def _leave(self, caller: str, turn: asyncio.Future[None]) -> None:
        if turn not in self._queues.get(caller, ()):
            return  # A call that ended meanwhile passed it over.
        self._queues[caller].remove(turn)
        if not self._queues[caller]:
            del self._queues[caller]
        self.waiting -= 1
        self._forget(caller)

    def free(self, caller: str) -> None:
        """End a call; the next of another caller begins."""
        self._forget(caller)
        while self._queues:
            waiter, queue = self._queues.popitem(last=False)
            turn = queue.popleft()
            self.waiting -= 1
            if queue:
                self._queues[waiter] = queue
            if not turn.done():
                turn.set_result(None)
                return
            self._forget(waiter)
        self.running -= 1

    def _forget(self, caller: str) -> None:
        self._taken[caller] -= 1
        if not self._taken[caller]:
            del self._taken[caller]


class Slot:
    """A call that runs; given back once, however often that is asked."""

    def __init__(self, slots: Slots, caller: str) -> None:
        self._slots, self._caller = slots, caller
        self._is_held = True

    def give_back(self) -> None:
        """Let another call begin."""
        if self._is_held:
            self._is_held = False
            self._slots.free(self._caller)


def give_back_slot(scope: Mapping[str, Any]) -> None:
    """Let another call begin: the one of this scope waits, or is answered."""
    if SLOT in scope:
        scope[SLOT].give_back()
