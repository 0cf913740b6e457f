"""Days that a question names, and whether it asks for one.

English, and the two ways of writing a date in numbers. In any other language nothing is found, and
nothing is lost but what this adds: .02 of recall@10 in conversations over months.

Source: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from wellworn.kit.words import load_phrases, load_words

MONTHS: Final = load_words(__name__, "months")
_NUMBER: Final = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH: Final = "|".join(
    [*MONTHS, "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sept?", "oct", "nov", "dec"]
)
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_WRITTEN: Final = re.compile(
    rf"(?:\b{_DAY}\s+(?:of\s+)?)?\b({_MONTH})\b\.?(?:\s+{_DAY}(?![\d:]))?(?:,?\s+(\d{{4}})\b)?",
    re.IGNORECASE,
)
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?(?!\d)")
_DOTTED: Final = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b")
_YEAR: Final = re.compile(r"\b((?:19|20)\d\d)\b")
#: "May" and "march" alone are verbs more often than months.
_AMBIGUOUS: Final = frozenset({"may", "march", "mar"})
_BEFORE_A_MONTH: Final = re.compile(
    r"\b(?:in|of|on|since|by|until|till|during|last|this|next)\s+$", re.IGNORECASE
)
_TELLING_MONTH: Final = (
    rf"(?!(?:may|mar|march)\b)(?:{_MONTH})|(?:(?<=in )|(?<=last )|(?<=\d ))(?:may|march)"
)
_ASKS_WHEN: Final = re.compile(
    r"\W*(?:when|how long|(?:what|which|in (?:what|which)) (?:date|day|month|year|time|week))\b",
    re.IGNORECASE,
)
_TELLS_WHEN: Final = re.compile(
    rf"\b(?:{load_phrases(__name__, 'time_words')}|{_TELLING_MONTH}|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
#: Ends of a phrase that tells a time; most texts have none of these words.
_LAST_WORDS: Final = frozenset(
    [
        *(phrase.split("_")[-1] for phrase in load_words(__name__, "time_words")),
        *re.findall("[a-z]+", _MONTH.lower()),
        "sep",
    ]
)
_WORD: Final = re.compile(r"[a-z]+")
#: Signs that a pattern that ignores case reads as i, s or k.
_EQUAL_IN_ANY_CASE: Final = re.compile("[\u0130\u0131\u017f\u212a]")
_RECENT_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NEAR_DAYS: Final = 7
#: Characters before a month in which a word that introduces it is looked for.
_BEFORE: Final = 12
_MOST: Final = 8
_LOOKED_AT: Final = 2_000


class NamedDay(NamedTuple):
    """A day, month or year that was named; what was not said of it is None."""

    year: int | None
    month: int | None
    day: int | None


def find_days(text: str) -> list[NamedDay]:
    """Return the days a question names; a year alone only where nothing better is named."""
    start = text[:_LOOKED_AT]
    days = [*_find_written_days(start)]
    days += [
        NamedDay(int(m[1]), int(m[2]), int(m[3]) if m[3] else None) for m in _ISO.finditer(start)
    ]
    days += [NamedDay(int(m[3]), int(m[2]), int(m[1])) for m in _DOTTED.finditer(start)]
    possible = [day for day in days if _is_possible(day)][:_MOST]
    if possible or days:
        return possible
    return [NamedDay(int(m[1]), None, None) for m in _YEAR.finditer(start)][:_MOST]


def asks_when(text: str) -> bool:
    """Tell whether a question asks for a time."""
    return bool(_ASKS_WHEN.match(text[:_LOOKED_AT]))


def count_time_words(text: str) -> int:
    """Count the words in a text that tell a time, up to two."""
    start = text[:_LOOKED_AT]
    if not (_EQUAL_IN_ANY_CASE.search(start) or _may_tell_when(start)):
        return 0
    matches = _TELLS_WHEN.finditer(start)
    return sum(1 for _, _ in zip(matches, range(2), strict=False))


def _may_tell_when(text: str) -> bool:
    words = _WORD.findall(text.lower())
    return not _LAST_WORDS.isdisjoint(words) or _RECENT_YEAR.search(text) is not None


def score_nearest_day(day: date, named: Sequence[NamedDay]) -> float:
    """Return how well a day fits: 1 in the month or year named, up to 2 on the very day."""
    return max((_score_day(day, candidate) for candidate in named), default=0.0)


def _find_written_days(text: str) -> list[NamedDay]:
    days: list[NamedDay] = []
    for match in _WRITTEN.finditer(text):
        first, month, second, year = match.groups()
        is_bare = not (first or second or year)
        if (
            is_bare
            and month.lower() in _AMBIGUOUS
            and not _BEFORE_A_MONTH.search(text, max(0, match.start() - _BEFORE), match.start())
        ):
            continue
        day = first or second
        days.append(
            NamedDay(
                int(year) if year else None,
                _NUMBER[month[:3].casefold()],
                int(day) if day else None,
            )
        )
    return days


def _is_possible(named: NamedDay) -> bool:
    year, month, day = named
    if year is not None and not date.min.year <= year < date.max.year:
        return False
    if month is not None and not 1 <= month <= len(MONTHS):
        return False
    if day is None:
        return True
    # A leap year where none is named: the day may be of one.
    return month is not None and 1 <= day <= monthrange(year or 2000, month)[1]


def _score_day(day: date, named: NamedDay) -> float:
    fit = float(named.year in {None, day.year} and named.month in {None, day.month})
    if named.day is None or named.month is None:
        return fit
    try:
        away = abs((day - date(named.year or day.year, named.month, named.day)).days)
    except ValueError:
        return fit
    return max(fit, 1 + 1 / (1 + away)) if away <= _NEAR_DAYS else fit
