"""A replaceable clock, so that a week passes in a test without waiting, and ISO 8601."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Return seconds since the Unix epoch, UTC."""
        ...


class SystemClock:
    """The wall clock."""

    def now(self) -> float:
        return time.time()


def to_iso(moment: float) -> str:
    """Write epoch seconds as ISO 8601 in UTC, e.g. 2026-02-23T15:00:00.000000Z."""
    return (
        datetime.fromtimestamp(moment, tz=UTC)
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )


def from_iso(text: str) -> float:
    """Read ISO 8601, a time without a zone as UTC; `ValueError` for any other text."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
