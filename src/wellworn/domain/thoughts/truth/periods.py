"""Reads which time words name: days, weeks, parts of months, spans. English, in UTC; pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from wellworn.engines.retrieval.text import MONTHS, NamedDay, find_days

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE: Final = re.compile(
    r"\b(?:(?P<day>today|yesterday|the day before yesterday)"
    r"|(?P<which>last|this|past) (?P<unit>week|weekend|month|year|" + "|".join(WEEKDAYS) + r")"
    r"(?! (?:of|in) )"
    r"|(?P<count>\d{1,3}|a|an|two|three|four|five|six) (?P<units>day|week|month|year)s? ago"
    r"|(?:since|on) (?P<weekday>" + "|".join(WEEKDAYS) + r")(?!,? (?:the )?\d))\b",
    re.IGNORECASE,
)
_COUNTS: Final = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS_IN: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_WEEK_OF: Final = re.compile(
    r"\bweek (?P<how>of|from|start(?:ing|ed)|beginning|commencing|ending)\b", re.IGNORECASE
)
_PART_OF_MONTH: Final = re.compile(
    r"\b(?:(?P<week>first|second|third|fourth) week"
    r"|(?P<half>first|second) half"
    r"|(?P<start>beginning|start|first days|early)"
    r"|(?P<middle>middle|mid)"
    r"|(?P<end>end|last (?:days|week)|late))\b[ -](?:(?:of|in) )?$",
    re.IGNORECASE,
)
_ORDINALS: Final = ("first", "second", "third", "fourth")
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_TO: Final = r"(?: ?[-\u2013] ?| (?:and|to|until|till|through) )"
_MONTH: Final = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
#: "between 3 and 9 October", "October 3-9": the first day borrows its month from the second.
_DAYS_OF_MONTH: Final = re.compile(
    rf"\b(?:(?:between|from) )?(?:the )?{_DAY}{_TO}(?:the )?{_DAY}(?: of)? (?:{_MONTH})\b"
    rf"|\b(?:{_MONTH}) {_DAY}{_TO}{_DAY}\b(?![:.]\d)",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    r"\bbetween\b.+\band\b|\bfrom\b.+\b(?:to|until|till|through)\b", re.IGNORECASE
)


class Period(NamedTuple):
    """A time from `start` up to `end`, in epoch seconds; `end` is not part of it."""

    start: float
    end: float


def find_period(text: str, now: float) -> Period | None:
    """Return the time that a text names, in words or as a date; of several dates the first."""
    today = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if match := _RELATIVE.search(text):
        return _read_relative(match, today)
    days = find_days(text)
    if not days:
        return None
    return _read_span(text, days, today) or _read_date(text, days[0], today)


def _read_relative(match: re.Match[str], today: datetime) -> Period:
    if day := match["day"]:
        days = {"today": 0, "yesterday": 1}.get(day.lower(), 2)
        return _span(today - timedelta(days), 1)
    if match["count"]:
        count = _COUNTS.get(match["count"].lower()) or int(match["count"])
        unit = _DAYS_IN[match["units"].lower()]
        return _span(today - timedelta(count * unit), unit)
    name = (match["weekday"] or match["unit"]).lower()
    if name in WEEKDAYS:
        back = (today.weekday() - WEEKDAYS.index(name)) % 7 or 7
        return _span(today - timedelta(back), 1)
    return _read_calendar_unit(name, today, is_now=match["which"].lower() == "this")


def _read_calendar_unit(name: str, today: datetime, *, is_now: bool) -> Period:
    if name.startswith("week"):
        monday = _find_monday(today) - timedelta(0 if is_now else 7)
        return _span(monday + timedelta(5), 2) if name == "weekend" else _span(monday, 7)
    if name == "month":
        first = today.replace(day=1)
        first = first if is_now else (first - timedelta(1)).replace(day=1)
        return _span(first, monthrange(first.year, first.month)[1])
    first = today.replace(month=1, day=1, year=today.year - (0 if is_now else 1))
    return _span(first, 365)


def _read_span(text: str, days: list[NamedDay], today: datetime) -> Period | None:
    """Return the time between two days; None where the text names none."""
    if match := _DAYS_OF_MONTH.search(text):
        first, last = sorted(int(number) for number in match.groups() if number)
        month = next(day for day in days if day.month is not None)
        days = [month._replace(day=first), month._replace(day=last)]
    elif len(days) == 1 or not _BETWEEN.search(text):
        return None
    periods = [_read_date("", day, today) for day in days[:2]]
    if None in periods:
        return None
    start, end = sorted(period for period in periods if period)
    return Period(start.start, end.end)


def _read_date(text: str, named: NamedDay, today: datetime) -> Period | None:
    if named.month is None:
        first = datetime(named.year or today.year, 1, 1, tzinfo=UTC)
        return _span(first, 365)
    year = named.year
    if year is None:
        year = today.year - ((named.month, named.day or 1) > (today.month, today.day))
    length = monthrange(year, named.month)[1]
    if named.day is None:
        return _read_month(text, datetime(year, named.month, 1, tzinfo=UTC), length)
    if named.day > length:
        return None
    return _read_week(text, datetime(year, named.month, named.day, tzinfo=UTC))


def _read_week(text: str, day: datetime) -> Period:
    """Return the week around a day, where the text speaks of one, or else the day."""
    week = _WEEK_OF.search(text)
    if week is None:
        return _span(day, 1)
    how = week["how"].lower()
    if how == "of":
        return _span(_find_monday(day), 7)
    return _span(day - timedelta(6), 7) if how == "ending" else _span(day, 7)


def _read_month(text: str, first: datetime, length: int) -> Period:
    part = _PART_OF_MONTH.search(text[: _find_month(text, first.month)])
    if part is None:
        return _span(first, length)
    if part["week"]:
        return _span(first + timedelta(7 * _ORDINALS.index(part["week"].lower())), 7)
    if part["half"]:
        is_second = part["half"].lower() == "second"
        return _span(first + timedelta(15), length - 15) if is_second else _span(first, 15)
    third = length // 3
    if part["start"]:
        return _span(first, third)
    if part["middle"]:
        return _span(first + timedelta(third), third)
    return _span(first + timedelta(length - 7), 7)


def _find_month(text: str, month: int) -> int:
    return max(0, text.lower().find(MONTHS[month - 1][:3].lower()))


def _find_monday(day: datetime) -> datetime:
    return day - timedelta(day.weekday())


def _span(start: datetime, days: int) -> Period:
    return Period(start.timestamp(), (start + timedelta(days)).timestamp())
