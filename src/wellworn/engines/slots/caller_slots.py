"""Limits how many long calls each caller may have under way, and all callers together.

Long calls do not end soon by themselves, so where all slots are taken, the caller with most of them
gives up the one that they have held for longest: it counts no more, and its work, which asks, ends
at the next good place. As in `slots`, a caller is named with those who let them in, and a call with
a long text counts as several of its caller, because it computes for longer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final

from wellworn.engines.slots.slots import CALLER_END, Path
from wellworn.errors import Overloaded, RateLimited

MOST: Final = 16
MOST_OF_A_CALLER: Final = 4
_RETRY_AFTER_S: Final = 1
_LONGEST_WAIT_S: Final = 2.0
"""Most turns last less than a second, so that a slot is soon free."""
_TRUSTED_DEPTH: Final = 2
"""Below the members whom the first ones let in, few slots are given up: there somebody invents
members, who bring nobody any number of calls that are yet to end."""


@dataclass(eq=False, slots=True)
class CallerSlot:
    """A long call that is under way; the one who took it gives it back."""

    path: Path
    kind: str
    weight: int = 1
    is_given_up: bool = False

    def check(self) -> None:
        """Go on, unless the slot was given up.

        Raises:
            Overloaded: others wait for a slot, of whom each has fewer.
        """
        if self.is_given_up:
            message = f"it ended because others wait, and you had most {self.kind} under way"
            raise Overloaded(message, retry_after_s=_RETRY_AFTER_S)


class CallerSlots:
    """Counts calls of one kind, such as exports."""

    def __init__(
        self, kind: str, *, most: int = MOST, most_of_a_caller: int = MOST_OF_A_CALLER
    ) -> None:
        self._kind = kind
        self._most, self._most_of_a_caller = most, most_of_a_caller
        self._taken: list[CallerSlot] = []
        """Those held for longest come first."""
        self._wakers: set[Callable[[], object]] = set()
        self._guard = Lock()

    def take(self, *callers: str, weight: int = 1) -> CallerSlot:
        """Take a slot.

        Args:
            callers: whose call it is, after those who let them in.
            weight: as how many calls of its caller it counts; one alone always fits.

        Raises:
            RateLimited: the caller has too many, or all callers together and nobody has more.
        """
        share = self._most_of_a_caller
        slot = CallerSlot((*callers, CALLER_END), self._kind, min(weight, share))
        with self._guard:
            own = sum(each.weight for each in self._taken if each.path == slot.path)
            if own + slot.weight > share or not self._has_room(slot.path):
                counts = f", and this one counts as {slot.weight}" if slot.weight > 1 else ""
                message = f"at most {share} {self._kind} at once{counts}; read or end one first"
                raise RateLimited(message, retry_after_s=_RETRY_AFTER_S, limit=share)
            self._taken.append(slot)
        return slot

    def _has_room(self, path: Path) -> bool:
        """Make room for a caller if there is none; tell whether there is."""
        active = [slot for slot in self._taken if not slot.is_given_up]
        if len(active) < self._most:
            return True
        heaviest = self._find_heavier(path, active)
        if heaviest is None:
            return False
        next(slot for slot in active if slot.path == heaviest).is_given_up = True
        return True

    def _find_heavier(self, path: Path, active: Sequence[CallerSlot]) -> Path | None:
        """Return who has most calls where somebody has more than the caller would have."""
        for depth in range(len(path)):
            inviter = path[:depth]
            ending = sum(slot.is_given_up and slot.path[:depth] == inviter for slot in self._taken)
            if depth >= _TRUSTED_DEPTH and ending >= self._most_of_a_caller:
                return None
            counts = _count_branches(inviter, active)
            branch, most = max(counts.items(), key=lambda item: item[1], default=(path, 0))
            if most > counts[path[: depth + 1]] + 1:
                while branch[-1] != CALLER_END:
                    [(branch, _)] = _count_branches(branch, active).most_common(1)
                return branch
        return None

    async def take_soon(
        self, *callers: str, weight: int = 1, within_s: float = _LONGEST_WAIT_S
    ) -> CallerSlot:
        """Take a slot as soon as one is free, or fail as `take` does after a while."""
        freed = asyncio.Event()
        wake = partial(asyncio.get_running_loop().call_soon_threadsafe, freed.set)
        self._wakers.add(wake)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(within_s):
                    while True:
                        with suppress(RateLimited):
                            return self.take(*callers, weight=weight)
                        await freed.wait()
                        freed.clear()
            return self.take(*callers, weight=weight)
        finally:
            self._wakers.discard(wake)

    @contextmanager
    def hold(self, *callers: str) -> Generator[CallerSlot]:
        """Hold a slot for the length of the block; raises as `take`."""
        slot = self.take(*callers)
        try:
            yield slot
        finally:
            self.give_back(slot)

    def count_taken(self) -> int:
        """Return how many slots are taken."""
        return len(self._taken)

    def give_back(self, slot: CallerSlot) -> None:
        """Free a slot."""
        with self._guard:
            self._taken.remove(slot)
        for wake in tuple(self._wakers):
            with suppress(RuntimeError):  # The loop has ended, and so has who waited.
                wake()


def _count_branches(inviter: Path, active: Sequence[CallerSlot]) -> Counter[Path]:
    """Return how many calls each has whom somebody let in, and that one too."""
    depth = len(inviter)
    return Counter(slot.path[: depth + 1] for slot in active if slot.path[:depth] == inviter)
