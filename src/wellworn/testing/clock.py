"""ManualClock: time stands still until a test moves it, so a month passes in an instant."""

from __future__ import annotations

SECONDS_PER_HOUR = 3600.0


class ManualClock:
    """Fills the clock port; starts at 2026-02-23T15:00:00Z unless told otherwise.

    Example:
        clock = ManualClock()
        clock.advance(hours=24 * 30)
    """

    def __init__(self, now: float = 1_771_858_800.0) -> None:
        self._now = now

    def now(self) -> float:
        """Return the epoch seconds it was last moved to, UTC."""
        return self._now

    def advance(self, seconds: float = 0.0, *, hours: float = 0.0) -> None:
        """Move on, or back with a negative number, as the clocks of real machines do."""
        self._now += seconds + hours * SECONDS_PER_HOUR
