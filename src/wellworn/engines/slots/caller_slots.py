"""How many of the calls that last long each caller may have under way, and all callers together."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import Final

from wellworn.errors import RateLimited

MOST: Final = 16
MOST_OF_A_CALLER: Final = 4
_RETRY_AFTER_S: Final = 1


class CallerSlots:
    """Counts calls of one kind, such as exports."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._taken: Counter[str] = Counter()
        self._guard = Lock()

    def take(self, caller: str) -> None:
        """Take a slot.

        Raises:
            RateLimited: the caller has too many, or all callers together.
        """
        with self._guard:
            if self._taken[caller] >= MOST_OF_A_CALLER or self._taken.total() >= MOST:
                message = f"at most {MOST_OF_A_CALLER} {self._kind} at once; read or end one first"
                raise RateLimited(message, retry_after_s=_RETRY_AFTER_S, limit=MOST_OF_A_CALLER)
            self._taken[caller] += 1

    def give_back(self, caller: str) -> None:
        """Free a slot."""
        with self._guard:
            self._taken[caller] -= 1
            self._taken += Counter()
