"""One end for everything a fetch does: a server that drips bytes must not stretch it."""

from __future__ import annotations

import time


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Return the seconds that are left; 0.0 when it has passed."""
        return max(0.0, self._end - time.monotonic())
