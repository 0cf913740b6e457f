"""A replaceable clock, so that a week passes in a test without waiting, and ISO 8601."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, Protocol

_DAY_S: Final = 86_400.0
_REST_OF_SECOND_S: Final = 0.999999
_FRACTION: Final = re.compile(r"[.,]\d")
_LOST_PLUS: Final = re.compile(r"(\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) (\d\d:?\d\d)$")
_WITH_FRACTION: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z")
_WRITTEN_DAYS: Final = (
    *(f"%Y{sign}%m{sign}%d" for sign in "/."),
    *(
        f"{first}{sign}{second}{sign}%Y"
        for sign in "-/"
        for first, second in (("%d", "%m"), ("%m", "%d"))
    ),
    *("%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y"),
)
_LONGEST_DAY: Final = 40


class Clock(Protocol):
    """The time of the system, or of a test.

    Example:
        clock: Clock = SystemClock()
        began_at = clock.now()
    """

    def now(self) -> float:
        """Return seconds since the Unix epoch, UTC."""
        ...


class SystemClock:
    """The wall clock."""

    def now(self) -> float:
        # In full microseconds, so that a moment that was written and read is the same moment.
        return time.time_ns() // 1000 / 1e6


def measure_thread_s() -> float:
    """Return the processor seconds that the calling thread has used."""
    return time.thread_time()


def to_iso(moment: float) -> str:
    """Write epoch seconds as ISO 8601 in UTC, e.g. 2026-02-23T15:00:00.000000Z."""
    return (
        datetime.fromtimestamp(moment, tz=UTC)
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )


def format_day(moment: float) -> str:
    """Return the day of a moment in epoch seconds, as `2026-09-03`; UTC."""
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def to_iso_if_any(moment: float | None) -> str | None:
    """Write epoch seconds as `to_iso` does, and None as None."""
    return None if moment is None else to_iso(moment)


def drop_fraction(text: str) -> str:
    """Return a moment that `to_iso` wrote to the second, and any other text as it is."""
    match = _WITH_FRACTION.fullmatch(text)
    return f"{match[1]}Z" if match else text


def from_iso(text: str) -> float:
    """Read ISO 8601, a time without a zone as UTC; `ValueError` for any other text.

    The plus of a zone may have become a blank, as it does in an address.
    """
    moment = datetime.fromisoformat(_LOST_PLUS.sub(r"\1+\2", text.upper()))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def parse_moment(text: str) -> float | None:
    """Read ISO 8601 as `from_iso` does; None for any other text."""
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        return None


def parse_written_moment(text: str) -> float | None:
    """Read ISO 8601, or a day as people write it if it can be one day alone; None for any other.

    25-12-2024 is one; 07-01-2024 may be two.
    """
    moment = parse_moment(text)
    if moment is not None or len(text) > _LONGEST_DAY:
        return moment
    days: set[datetime] = set()
    for form in _WRITTEN_DAYS:
        with suppress(ValueError):
            days.add(datetime.strptime(text.strip(), form).replace(tzinfo=UTC))
    return days.pop().timestamp() if len(days) == 1 else None


def end_of(text: str) -> float:
    """Read ISO 8601 as `from_iso` does, but what names no smaller part as its end.

    That is a day without a time, and a time without a fraction of its second.
    """
    if len(text) <= len("2026-02-23"):
        return from_iso(text) + _DAY_S
    return from_iso(text) + (0.0 if _FRACTION.search(text) else _REST_OF_SECOND_S)
