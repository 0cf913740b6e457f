"""A time that a text names, and where in the text it does."""

from __future__ import annotations

from typing import NamedTuple


class Period(NamedTuple):
    """A time from `start` up to `end`, in epoch seconds; `end` is not part of it."""

    start: float
    end: float

    def overlaps(self, other: Period) -> bool:
        return self.start < other.end and other.start < self.end


class NamedTime(NamedTuple):
    """A time that a text names, and which of its characters name it.

    Attributes:
        is_date: whether it is told by a date, and not by how long ago it is.
        is_until_now: whether it lasts from a moment until now, as "the last 3 days" do.
        is_counted: whether it is told by how many units ago it is, and by nothing beside that.
        is_of_today: whether it is hours of a day that is not named, and so of today.
    """

    period: Period
    start: int
    end: int
    is_date: bool
    is_until_now: bool = False
    is_counted: bool = False
    is_of_today: bool = False

    def remove_from(self, text: str) -> str:
        """Return the text without the words for the time."""
        return f"{text[: self.start].rstrip()} {text[self.end :].lstrip()}".strip()
