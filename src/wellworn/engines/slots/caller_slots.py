"""How many of the calls that last long each caller may have under way, and all callers together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Final

from wellworn.errors import RateLimited

MOST: Final = 16
MOST_OF_A_CALLER: Final = 4
_RETRY_AFTER_S: Final = 1
_LONGEST_WAIT_S: Final = 2.0
"""Most turns last less than a second, so that a slot is soon free."""


class CallerSlots:
    """Counts calls of one kind, such as exports."""

    def __init__(
        self, kind: str, *, most: int = MOST, most_of_a_caller: int = MOST_OF_A_CALLER
    ) -> None:
        self._kind = kind
        self._most, self._most_of_a_caller = most, most_of_a_caller
        self._taken: Counter[str] = Counter()
        self._wakers: set[Callable[[], object]] = set()
        self._guard = Lock()

    def take(self, caller: str) -> None:
        """Take a slot.

        Raises:
            RateLimited: the caller has too many, or all callers together.
        """
        with self._guard:
            share = self._most_of_a_caller
            if self._taken[caller] >= share or self._taken.total() >= self._most:
                message = f"at most {share} {self._kind} at once; read or end one first"
                raise RateLimited(message, retry_after_s=_RETRY_AFTER_S, limit=share)
            self._taken[caller] += 1

    async def take_soon(self, caller: str, *, within_s: float = _LONGEST_WAIT_S) -> None:
        """Take a slot as soon as one is free, or fail as `take` does after a while."""
        freed = asyncio.Event()
        wake = partial(asyncio.get_running_loop().call_soon_threadsafe, freed.set)
        self._wakers.add(wake)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(within_s):
                    while True:
                        with suppress(RateLimited):
                            return self.take(caller)
                        await freed.wait()
                        freed.clear()
            self.take(caller)
        finally:
            self._wakers.discard(wake)

    @contextmanager
    def hold(self, caller: str) -> Generator[None]:
        """Hold a slot for the length of the block; raises as `take`."""
        self.take(caller)
        try:
            yield
        finally:
            self.give_back(caller)

    def give_back(self, caller: str) -> None:
        """Free a slot."""
        with self._guard:
            self._taken[caller] -= 1
            self._taken += Counter()
        for wake in tuple(self._wakers):
            with suppress(RuntimeError):  # The loop has ended, and so has who waited.
                wake()
