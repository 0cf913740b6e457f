"""Reads from a question's words which time it is about. Pure; times are UTC.

Days and periods are read in English, like those that ranking reads; that the past is asked for also
in German, Spanish and French. Any other question is about the present unless the caller says so.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.models import ANY_TIME, TimeScope
from wellworn.engines.retrieval.text import MONTHS, NamedDay, find_days
from wellworn.kit.clock import end_of, from_iso
from wellworn.kit.words import load_phrases

_LOOKED_AT: Final = 500
_ASKS_HISTORY: Final = re.compile(
    rf"\b(?:{load_phrases(__name__, 'asks_history')}"
    rf"|(?:{load_phrases(__name__, 'before')})(?=\W*$|[?.!,;]| (?:that|this|then)\b)"
    r"|(?:how|has|have|did)\b.{1,80}\b(?:changed?|developed?|evolved?|climb(?:ed)?"
    r"|gone|pushed|moved|rise|risen|grown|dropped))\b",
    re.IGNORECASE,
)
#: "Who did it before ana?", and not "what is to be done before the release?"
_BEFORE: Final = re.compile(rf"\b(?:{load_phrases(__name__, 'before')})\b", re.IGNORECASE)
_OF_PRESENT: Final = re.compile(rf"\b(?:{load_phrases(__name__, 'asks_present')})\b", re.IGNORECASE)
_PAST: Final = re.compile(r"\b(?:was|were|did|had|could|as of|back (?:on|in))\b", re.IGNORECASE)
_ASKS_EVENT: Final = re.compile(
    r"\W*(?:when|since when|who (?:said|wrote|told|decided)|what happened|what did \w+ say"
    r"|what did \w+ write)\b",
    re.IGNORECASE,
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE: Final = re.compile(
    r"\b(?:(?P<day>today|yesterday|the day before yesterday)"
    r"|(?P<which>last|this|past) (?P<unit>week|month|year|" + "|".join(_WEEKDAYS) + r")"
    r"|(?P<count>\d{1,3}|a|an|two|three|four|five|six) (?P<units>day|week|month|year)s? ago"
    r"|(?:since|on) (?P<weekday>" + "|".join(_WEEKDAYS) + r"))\b",
    re.IGNORECASE,
)
_COUNTS: Final = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS_IN: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_PART_OF_MONTH: Final = re.compile(
    r"\b(?:(?P<start>beginning|start|first (?:days|week)|early)"
    r"|(?P<middle>middle|mid)|(?P<end>end|last (?:days|week)|late))\b[ -](?:of |in )?$",
    re.IGNORECASE,
)


class Period(NamedTuple):
    """A time from `start` up to `end`, in epoch seconds; `end` is not part of it."""

    start: float
    end: float


def parse_scope(
    *,
    as_of: str | None = None,
    since: str | None = None,
    until: str | None = None,
    by: str | None = None,
    history: bool = False,
) -> TimeScope:
    """Return the scope that dates and times in ISO 8601 name; a day counts to its end.

    Raises:
        ValueError, OverflowError: one is no date and no time.
    """
    return TimeScope(
        as_of=None if as_of is None else end_of(as_of),
        since=None if since is None else from_iso(since),
        until=None if until is None else end_of(until),
        by=by,
        history=history,
    )


def read_scope(question: str, now: float) -> TimeScope:
    """Return the time that a question is about: the present, the past, or a moment named."""
    text = question[:_LOOKED_AT]
    history = _ASKS_HISTORY.search(text) is not None or (
        _BEFORE.search(text) is not None and _OF_PRESENT.search(text) is None
    )
    period = find_period(text, now)
    is_state = _PAST.search(text) is not None and not _ASKS_EVENT.match(text)
    if period is not None and is_state and not history:
        return TimeScope(about=period.end)
    return TimeScope(history=True) if history else ANY_TIME


def find_period(text: str, now: float) -> Period | None:
    """Return the time that a text names, in words or as a date; of several dates the first."""
    today = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if match := _RELATIVE.search(text):
        return _read_relative(match, today)
    days = find_days(text)
    return _read_date(text, days[0], today) if days else None


def _read_relative(match: re.Match[str], today: datetime) -> Period:
    if day := match["day"]:
        days = {"today": 0, "yesterday": 1}.get(day.lower(), 2)
        return _span(today - timedelta(days), 1)
    if match["count"]:
        count = _COUNTS.get(match["count"].lower()) or int(match["count"])
        unit = _DAYS_IN[match["units"].lower()]
        return _span(today - timedelta(count * unit), unit)
    name = (match["weekday"] or match["unit"]).lower()
    if name in _WEEKDAYS:
        back = (today.weekday() - _WEEKDAYS.index(name)) % 7 or 7
        return _span(today - timedelta(back), 1)
    is_now = match["which"].lower() == "this"
    if name == "week":
        monday = today - timedelta(today.weekday() + (0 if is_now else 7))
        return _span(monday, 7)
    if name == "month":
        first = today.replace(day=1)
        first = first if is_now else (first - timedelta(1)).replace(day=1)
        return _span(first, monthrange(first.year, first.month)[1])
    first = today.replace(month=1, day=1, year=today.year - (0 if is_now else 1))
    return _span(first, 365)


def _read_date(text: str, named: NamedDay, today: datetime) -> Period | None:
    if named.month is None:
        first = datetime(named.year or today.year, 1, 1, tzinfo=UTC)
        return _span(first, 365)
    year = named.year
    if year is None:
        year = today.year - ((named.month, named.day or 1) > (today.month, today.day))
    length = monthrange(year, named.month)[1]
    if named.day is not None:
        if named.day > length:
            return None
        return _span(datetime(year, named.month, named.day, tzinfo=UTC), 1)
    first = datetime(year, named.month, 1, tzinfo=UTC)
    part = _PART_OF_MONTH.search(text[: _find_month(text, named.month)])
    if part is None:
        return _span(first, length)
    third = length // 3
    if part["start"]:
        return _span(first, third)
    return (
        _span(first + timedelta(third), third)
        if part["middle"]
        else _span(first + timedelta(length - 7), 7)
    )


def _find_month(text: str, month: int) -> int:
    return max(0, text.lower().find(MONTHS[month - 1][:3].lower()))


def _span(start: datetime, days: int) -> Period:
    return Period(start.timestamp(), (start + timedelta(days)).timestamp())
