"""Reads times of less than a day: the last 36 hours, 20 minutes ago, between 3 and 5 pm; in UTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.named_times import NamedTime, Period
from wellworn.domain.thoughts.truth.time_words import OTHER, TimeWord

_HOURS: Final = re.compile("[LP]N?h|N[LP]h|v[Ni]h|H?i?[Ni]h[gv]")
_SPAN: Final = frozenset("LP")
_HALF: Final = "H"
_OF_DAY: Final = re.compile("Z?[Nc][tuf&]c|(?<!Z)[SAuBvaf]?c|p")
_THIS: Final = "T"
_HALF_DAY_MIN, _DAY_MIN, _DAY_S = 720, 1_440, 86_400
_AROUND_MIN: Final = 30
"""The tolerance of a time: "at 3 pm" is about then."""


class NamedHours(NamedTuple):
    """A time in epoch seconds, and which words of a text name it."""

    start: float
    end: float
    words: Sequence[TimeWord]
    is_until_now: bool


class HoursOfDay(NamedTuple):
    """Hours of any day, in minutes from its beginning, and which words of a text name them.

    Attributes:
        is_part: they are a part of a day, such as its morning, which means nothing without one.
    """

    start: int
    end: int
    words: Sequence[TimeWord]
    is_part: bool

    @property
    def span(self) -> tuple[int, int]:
        """The span of these words in the text."""
        return self.words[0].start, self.words[-1].end

    def hide_from(self, words: Sequence[TimeWord]) -> list[TimeWord]:
        """Return the words of a text with these as one that names no time."""
        at = words.index(self.words[0])
        return [*words[:at], TimeWord(OTHER, "", *self.span), *words[at + len(self.words) :]]

    def limit(
        self, day: NamedTime | None, words: Sequence[TimeWord], today: Period
    ) -> NamedTime | None:
        """Return the hours of the day that stands beside them, or of today where none is named.

        Beside another time than a day, or apart from it, they are of something else.
        """
        before = words[: words.index(self.words[0])]
        start, end = self.span
        is_of_today = day is None and not self.is_part
        if is_of_today:
            day = NamedTime(today, start, end, is_date=False, is_of_today=True)
        elif day is None and before and before[-1].sign == _THIS:
            day = NamedTime(today, before[-1].start, end, is_date=False)
        if day is None or day.period.end - day.period.start > _DAY_S:
            return day
        between = (min(day.end, end), max(day.start, start))
        if any(between[0] <= word.start < between[1] for word in words):
            return day
        midnight = day.period.start
        period = Period(midnight + 60 * self.start, midnight + 60 * self.end)
        return day._replace(period=period, start=min(day.start, start), end=max(day.end, end))


def find_hours(words: Sequence[TimeWord], now: float) -> NamedHours | None:
    """Return the first such time among the time words of a text.

    How long ago something was is said roughly, so it is looked for around that moment.
    """
    match = _HOURS.search("".join(word.sign for word in words))
    if match is None:
        return None
    named = words[match.start() : match.end()]
    values = {word.sign: word.value for word in named}
    unit, count = values["h"], values.get("N") or 1
    if not (isinstance(unit, int) and isinstance(count, int)):
        return None
    length = unit * count / (2 if _HALF in values else 1)
    at, around = now - length, max(unit, length / 4)
    # What is said in this moment is part of what was said until now.
    is_span = not _SPAN.isdisjoint(values)
    start, end = (at, now + 1) if is_span else (at - around, at + around)
    return NamedHours(start, end, named, is_until_now=is_span)


def find_hours_of_day(words: Sequence[TimeWord]) -> HoursOfDay | None:
    """Return the first hours of a day among the time words of a text."""
    match = _OF_DAY.search("".join(word.sign for word in words))
    if match is None:
        return None
    named = words[match.start() : match.end()]
    first, last = named[0], named[-1]
    if last.sign == "p":
        start, end = (60 * int(hour) for hour in str(last.value).split("-"))
        return HoursOfDay(start, end, named, is_part=True)
    ends = [int(word.value) for word in named if word.sign in "Nc"]
    if len(ends) > 1:
        start, end = _read_range(*ends, borrows="N" in [word.sign for word in named])
    elif first.sign in "SAf":
        start, end = ends[0], _DAY_MIN
    elif first.sign in "uBv":
        start, end = 0, ends[0]
    else:
        start, end = ends[0] - _AROUND_MIN, ends[0] + _AROUND_MIN
    return HoursOfDay(start, end, named, is_part=False) if start < _DAY_MIN else None


def _read_range(start: int, end: int, *, borrows: bool) -> tuple[int, int]:
    """Return both ends in minutes; the first may borrow half of the day from the second."""
    if borrows:
        start *= 60
        start += _HALF_DAY_MIN * (start + _HALF_DAY_MIN < end)
    return start, end + _DAY_MIN * (end <= start)
