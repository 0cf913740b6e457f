"""Reads which time words name: days, weeks, parts of months, spans; in UTC; pure.

A grammar over the signs of `time_words`, so that it is the same for all languages. A time without a
year is the last one that has begun.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.hours import find_hours, find_hours_of_day
from wellworn.domain.thoughts.truth.named_times import NamedTime, Period
from wellworn.domain.thoughts.truth.time_words import TimeWord, list_time_words
from wellworn.kit.words import load_phrases, load_words

_DAY: Final = "(?:W?[NO]M(?![HU])Y?|W?M[NO]Y?|YM[NO]|I)"
_END: Final = f"(?:{_DAY}|[sme]?MY?|[sme]?YM|W)"
_LAST: Final = "[LPTXK]"
_NUMBER: Final = "[Ni]"
_DAYS_IN: Final = {"day": 1, "week": 7, "weekend": 2, "fortnight": 14}
_AROUND: Final = timedelta(3)
_FIRST_DAY: Final = date(1970, 1, 1)
_SECOND: Final = 2
_SATURDAY: Final = 5
_RARELY_MONTHS: Final = frozenset(load_words(__name__, "rarely_months"))
_BEFORE_A_MONTH: Final = re.compile(rf"\b(?:{load_phrases(__name__, 'before_a_month')})[ -]$")
_BEHIND_ARTICLE: Final = re.compile(rf"\b(?:{load_phrases(__name__, 'articles')})\s*$")
_BEFORE_A_DAY: Final = re.compile(
    rf"(?:\b(?:{load_phrases(__name__, 'before_a_day')}) (?:(?:the|dem|den) )?|\bl')$"
)


class _Days(NamedTuple):
    """Days from the first up to the last, which is not part of them."""

    first: date
    last: date

    @classmethod
    def of(cls, first: date, length: int = 1) -> _Days:
        return cls(first, first + timedelta(length))


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Signs that are read together, and the day on which they were said."""

    words: Sequence[TimeWord]
    today: date

    def get_number(self, signs: str) -> int | None:
        values = [word.value for word in self.words if word.sign in signs]
        return next((value for value in values if isinstance(value, int)), None)

    def list_counts(self) -> list[int]:
        """Return the numbers of units, in order of size; 1 where none is said."""
        values = [word.value for word in self.words if word.sign == "N"]
        return sorted(value for value in values if isinstance(value, int)) or [1]

    def get_name(self, signs: str) -> str:
        return next((str(word.value) for word in self.words if word.sign in signs), "")

    def get_sign(self, signs: str) -> str:
        return next((word.sign for word in self.words if word.sign in signs), "")


_Reader = Callable[[_Phrase], _Days]


def find_period(text: str, now: float) -> Period | None:
    """Return the time that a text names, in words or as a date; of several dates the first."""
    named = find_time(text, now)
    return None if named is None else named.period


def find_time(text: str, now: float) -> NamedTime | None:
    """Return the time that a text names, with its place in the text."""
    return _Text(text, now).read()


class _Text:
    def __init__(self, text: str, now: float, words: Sequence[TimeWord] | None = None) -> None:
        self._text = text.lower()
        self._now = now
        self._today = datetime.fromtimestamp(now, UTC).date()
        self._words = list_time_words(text) if words is None else words
        self._signs = "".join(word.sign for word in self._words)

    def read(self) -> NamedTime | None:
        """Return the first time; None where there is none, or it does not exist."""
        if (hours := find_hours(self._words, self._now)) is not None:
            first, last = hours.words[0], hours.words[-1]
            period, lasts = Period(*hours[:2]), hours.is_until_now
            named = NamedTime(period, first.start, last.end, is_date=False, is_until_now=lasts)
            return named._replace(is_counted=not lasts)
        if (of_day := find_hours_of_day(self._words)) is None:
            return self._read_days()
        rest = _Text(self._text, self._now, of_day.hide_from(self._words))
        return of_day.limit(rest._read_days(), self._words, self._read_today())

    def _read_today(self) -> Period:
        return _to_period(_Days.of(self._today))

    def _read_days(self) -> NamedTime | None:
        for rule, reader in _RULES:
            for match in rule.finditer(self._signs):
                if not self._is_meant(match, reader):
                    continue
                try:
                    days = reader(self._pick(*match.span()))
                    return self._read_around(match, days, reader)
                except (ValueError, OverflowError):
                    return None
        return None

    def _pick(self, start: int, end: int) -> _Phrase:
        return _Phrase(self._words[start:end], self._today)

    def _is_meant(self, match: re.Match[str], reader: _Reader) -> bool:
        """Tell a weekday, a number or a month from words that only look like one.

        "The last week" lasts until now, and "last week" does not.
        """
        word = self._words[match.start()]
        before = self._text[: word.start]
        if reader is _read_last:
            return _BEHIND_ARTICLE.search(before) is not None
        if match[0] in {"W", "O"}:
            is_named = match[0] == "W" or self._text[word.start].isdecimal()
            return is_named and _BEFORE_A_DAY.search(before) is not None
        is_ambiguous = self._text[word.start : word.end] in _RARELY_MONTHS
        return not (match[0] == "M" and is_ambiguous) or _BEFORE_A_MONTH.search(before) is not None

    def _read_around(self, match: re.Match[str], days: _Days, read_by: _Reader) -> NamedTime:
        """Read what stands on both sides: since it, the weekend before it, around it."""
        start, end = match.span()
        lasts, is_counted = read_by in {_read_past, _read_last}, read_by is _read_ago
        for place, reader in _BESIDE:
            if beside := place.search(self._signs[:start] + "<" + self._signs[end:]):
                first, last = beside.start(), end + beside.end() - start - 1
                words = [*self._words[first:start], *self._words[end:last]]
                days = reader(_Phrase(words, self._today), days)
                lasts = lasts if reader is _leave else "S" in [word.sign for word in words]
                is_counted = is_counted and reader is _leave
                start, end = first, last
                break
        is_date = re.search("[MIY]", match[0]) is not None
        first, last = self._words[start].start, self._words[end - 1].end
        return NamedTime(_to_period(days), first, last, is_date, lasts, is_counted)


def _to_period(days: _Days) -> Period:
    if days.last <= days.first:
        message = "it ends before it begins"
        raise ValueError(message)
    start, end = (datetime(*day.timetuple()[:3], tzinfo=UTC).timestamp() for day in days)
    return Period(start, end)


def _find_unit(unit: str, day: date) -> _Days:
    """Return the week, weekend, month or year that a day is in."""
    if unit == "month":
        return _Days.of(day.replace(day=1), monthrange(day.year, day.month)[1])
    if unit == "year":
        return _Days(date(day.year, 1, 1), date(day.year + 1, 1, 1))
    if unit in {"week", "weekend"}:
        monday = day - timedelta(day.weekday())
        return _Days.of(monday, 7) if unit == "week" else _Days.of(monday + timedelta(5), 2)
    return _Days.of(day, _DAYS_IN[unit])


def _go_back(unit: str, count: int, day: date) -> date:
    """Return the day so many units before another."""
    if unit == "year":
        return date(day.year - count, day.month, min(day.day, 28))
    if unit == "month":
        months = day.year * 12 + day.month - 1 - count
        return date(months // 12, months % 12 + 1, min(day.day, 28))
    return day - timedelta(count * (7 if unit == "weekend" else _DAYS_IN[unit]))


def _read_day(phrase: _Phrase) -> _Days:
    if iso := phrase.get_name("I"):
        year, month, *rest = (int(part) for part in iso.split("-"))
        day = rest[0] if rest else None
    else:
        year, month, day = map(phrase.get_number, ("Y", "M", "NO"))
    return _find_date(year, month or phrase.today.month, day, phrase.today)


def _find_date(year: int | None, month: int, day: int | None, today: date) -> _Days:
    """Return a day or month; the last that has begun if no year is told."""
    if not year:
        year = today.year - ((month, day or 1) > (today.month, today.day))
    return (
        _find_unit("month", date(year, month, 1))
        if day is None
        else _Days.of(date(year, month, day))
    )


def _read_bare_day(phrase: _Phrase) -> _Days:
    day = phrase.get_number("O") or 1
    month = phrase.today if day <= phrase.today.day else _go_back("month", 1, phrase.today)
    return _Days.of(date(month.year, month.month, day))


def _read_month(phrase: _Phrase) -> _Days:
    """Read a month, or a part of one."""
    month = _find_date(phrase.get_number("Y"), phrase.get_number("M") or 1, None, phrase.today)
    if phrase.get_sign("U") and phrase.get_sign("L"):
        return _Days(month.last - timedelta(7), month.last)
    if phrase.get_sign("U"):
        first = month.first + timedelta(7 * ((phrase.get_number("O") or 1) - 1))
        return _Days.of(first, 7)
    if phrase.get_sign("H"):
        half = month.first + timedelta(15)
        return (
            _Days(half, month.last)
            if phrase.get_number("O") == _SECOND
            else _Days(month.first, half)
        )
    return _find_part(phrase.get_sign("sme"), month)


def _read_quarter(phrase: _Phrase) -> _Days:
    year, quarter = phrase.get_number("Y") or 1, phrase.get_number("Q") or 1
    first, last = (_find_unit("month", date(year, 3 * quarter - back, 1)) for back in (2, 0))
    return _Days(first.first, last.last)


def _find_part(part: str, days: _Days) -> _Days:
    """Return the start, middle or end of a week, a month or a year; all of it for none of them."""
    third = (days.last - days.first) // 3
    if part == "s":
        return _Days(days.first, days.first + third)
    if part == "m":
        return _Days(days.first + third, days.first + 2 * third)
    is_month = third > timedelta(7)
    length = third if not is_month else min(third, timedelta(7))
    return _Days(days.last - length, days.last) if part == "e" else days


def _read_ago(phrase: _Phrase) -> _Days:
    """Read how long ago something was: a day, or so many days around it as the unit has.

    Between two numbers it is all that lies between them.
    """
    unit, counts = phrase.get_name("U"), phrase.list_counts()
    first, last = (_go_back(unit, count, phrase.today) for count in (counts[-1], counts[0]))
    about = {"day": 0, "week": 3, "weekend": 1, "fortnight": 3, "month": 15, "year": 183}[unit]
    return _Days(first - timedelta(about), last + timedelta(about + 1))


def _read_past(phrase: _Phrase) -> _Days:
    first = _go_back(phrase.get_name("U"), phrase.list_counts()[-1], phrase.today)
    return _Days(first, phrase.today + timedelta(1))


def _read_last(phrase: _Phrase) -> _Days:
    """Read "the last week", which lasts until now; last week, and a weekend, are over."""
    is_over = phrase.get_name("U") == "weekend"
    return _read_relative(phrase) if is_over else _read_past(phrase)


def _read_relative(phrase: _Phrase) -> _Days:
    """Read "last week", "this month", "last Tuesday", "the week before last"."""
    back = {"T": 0, "L": 1, "P": 1, "X": -1, "K": 2, "B": 2}[phrase.get_sign("KBLPTX")]
    unit, weekday = phrase.get_name("U"), phrase.get_number("W")
    if weekday is not None and not unit:
        return _find_weekday(weekday, phrase.today, is_next=back < 0)
    days = _find_unit(unit, _go_back(unit, back, phrase.today))
    if weekday is not None:
        return _Days.of(days.first + timedelta(weekday))
    return _find_part(phrase.get_sign("sme"), days)


def _find_weekday(weekday: int, day: date, *, is_next: bool = False) -> _Days:
    """Return the last such day before another, or the next."""
    if is_next:
        return _Days.of(day + timedelta((weekday - day.weekday()) % 7 or 7))
    return _Days.of(day - timedelta((day.weekday() - weekday) % 7 or 7))


def _read_range(phrase: _Phrase) -> _Days:
    """Read from one day to another; the first borrows its month from the second, or gives it."""
    words = list(phrase.words)
    links = [at for at, word in enumerate(words) if word.sign in "tuif&" and at]
    ends = [replace(phrase, words=part) for part in (words[: links[0]], words[links[0] + 1 :])]
    months = [word for word in words if word.sign in "MY" or word.sign == "I"]
    if months and months[0].sign != "I":
        ends = [
            end if end.get_sign("MI") else replace(end, words=[*end.words, *months[-2:]])
            for end in ends
        ]
    start, last = (_read_end(end) for end in ends)
    if last.last <= start.first and phrase.get_sign("W"):
        start = _Days.of(start.first - timedelta(7))
    elif last.last <= start.first:
        start, last = last, start
    return _Days(start.first, last.last)


def _read_end(phrase: _Phrase) -> _Days:
    if phrase.get_sign("I") or phrase.get_sign("NO"):
        return _read_day(phrase)
    if phrase.get_sign("M"):
        return _read_month(phrase)
    return _find_weekday(phrase.get_number("W") or 0, phrase.today)


def _read_numbered_week(phrase: _Phrase) -> _Days:
    week = date.fromisocalendar(phrase.today.year, phrase.get_number("N") or 1, 1)
    return _Days.of(week, 7)


def _read_year(phrase: _Phrase) -> _Days:
    return _find_unit("year", date(phrase.get_number("Y") or 1, 1, 1))


def _read_days_back(phrase: _Phrase) -> _Days:
    return _Days.of(phrase.today - timedelta(phrase.get_number("D") or 0))


def _read_weekday(phrase: _Phrase) -> _Days:
    return _find_weekday(phrase.get_number("W") or 0, phrase.today)


_RULES: Final[list[tuple[re.Pattern[str], _Reader]]] = [
    (re.compile(rule), reader)
    for rule, reader in (
        (f"[ZS]?{_END}[tuf]{_END}u?|Z{_END}&{_END}|[ZS]?[NO][tuif&]{_DAY}", _read_range),
        (f"{_DAY}[tuif&][NO](?!M)u?|[ZS]W[tuif&]W", _read_range),
        (_DAY, _read_day),
        ("LUMY?|OUMY?|MO?U|OMU|O?HMY?|MOH|OMH|[sme]MY?|Y?M[sme]", _read_month),
        (f"v(?:N[tu&])?{_NUMBER}U|(?:Z?N[tu&])?i?{_NUMBER}U[gv]", _read_ago),
        ("[LP](?:N[tu&])?NU|N[LP]U", _read_past),
        ("LU(?![WM])", _read_last),
        (f"W{_LAST}U|{_LAST}UW|UBL|[sme]?{_LAST}U|[sme]?U[LPK]|{_LAST}W|W[LPX]", _read_relative),
        ("D", _read_days_back),
        ("QY|YQ", _read_quarter),
        ("MY|YM|M", _read_month),
        ("UN", _read_numbered_week),
        ("W", _read_weekday),
        ("O", _read_bare_day),
        ("Y", _read_year),
    )
]


def _place_unit(phrase: _Phrase, days: _Days) -> _Days:
    """Read "the weekend before", "the week after", "the Friday before", "the week of"."""
    sign, weekday = phrase.get_sign("BvA"), phrase.get_number("W")
    unit = phrase.get_name("U")
    if weekday is not None:
        anchor = days.first if sign != "A" else days.last - timedelta(1)
        return _find_weekday(weekday, anchor, is_next=sign == "A")
    if not sign:
        how = phrase.get_sign("se")
        if how == "e":
            return _Days(days.last - timedelta(7), days.last)
        return _Days.of(days.first, 7) if how == "s" else _find_unit(unit, days.first)
    if unit == "day":
        return _Days.of(days.last if sign == "A" else days.first - timedelta(1))
    step = timedelta(7) if unit in {"week", "weekend"} else days.last - days.first
    is_before_it = unit == "weekend" and sign != "A" and days.first.weekday() < _SATURDAY
    beside = days.first - step if sign != "A" else days.last - timedelta(1) + step
    if unit == "weekend" and sign == "A" and days.last <= _find_unit(unit, days.first).first:
        beside = days.first
    return _find_unit(unit, beside if not is_before_it else days.first - timedelta(7))


def _open(phrase: _Phrase, days: _Days) -> _Days:
    """Read "since", "after", "until" and "before", up to now or from the beginning."""
    sign, tomorrow = phrase.get_sign("SfAuBv"), phrase.today + timedelta(1)
    if sign in {"S", "f"}:
        return _Days(days.first, max(tomorrow, days.last))
    if sign == "A":
        return _Days(days.last, max(tomorrow, days.last + timedelta(1)))
    return _Days(_FIRST_DAY, days.last if sign == "u" else days.first)


def _widen(phrase: _Phrase, days: _Days) -> _Days:
    del phrase
    return _Days(days.first - _AROUND, days.last + _AROUND)


def _leave(phrase: _Phrase, days: _Days) -> _Days:
    del phrase
    return days


#: Words beside a time, which is written `<`.
_BESIDE: Final[list[tuple[re.Pattern[str], Callable[[_Phrase, _Days], _Days]]]] = [
    (re.compile(place), reader)
    for place, reader in (
        ("[UW][BvA]<|<v[UW]", _place_unit),
        ("U[seZ]?<", _place_unit),
        ("a<|<a", _widen),
        ("[SuBvA]<|<[fBA]", _open),
        ("<", _leave),
    )
]
