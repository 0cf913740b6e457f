"""Limits how often a member may call: one window a minute for each class of calls.

Calls at the open door are not counted: their callers own the machine.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from wellworn.domain.spaces import SpaceSettings
from wellworn.errors import RateLimited


class CallClass(StrEnum):
    READ = "read"
    WRITE = "write"
    TRANSFER = "transfer"
    ADMINISTRATION = "administration"


@dataclass(frozen=True, slots=True)
class Allowance:
    """The rest of a window: calls, and seconds until the next window."""

    limit: int
    remaining: int
    reset_s: int


class RateLimits:
    """Counts in this process; several processes count each for itself."""

    def __init__(self, settings: SpaceSettings) -> None:
        self._windows = FixedWindowRateLimiter(MemoryStorage())
        self._items = {
            CallClass.READ: RateLimitItemPerMinute(settings.reads_a_minute),
            CallClass.WRITE: RateLimitItemPerMinute(settings.writes_a_minute),
            CallClass.TRANSFER: RateLimitItemPerMinute(settings.transfers_a_minute),
            CallClass.ADMINISTRATION: RateLimitItemPerMinute(settings.administration_a_minute),
        }

    def hit(self, member_id: str, kind: CallClass) -> Allowance:
        """Count one call.

        Raises:
            RateLimited: the window is full; the error says when the next begins.
        """
        item = self._items[kind]
        allowed = self._windows.hit(item, member_id, kind)
        reset_at, remaining = self._windows.get_window_stats(item, member_id, kind)
        reset_s = max(1, math.ceil(reset_at - time.time()))
        if not allowed:
            message = f"at most {item.amount} calls of this kind a minute; wait and try again"
            raise RateLimited(message, retry_after_s=reset_s, limit=item.amount)
        return Allowance(item.amount, remaining, reset_s)
