"""Reads the words of a text by which it may name a time, each as one sign; pure.

What a language says in words, and in its own order, becomes a row of signs, over which one grammar
of times is written. English, German, Spanish, French, Italian, Portuguese, Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from wellworn.engines.retrieval.text import detect_language, list_compounds
from wellworn.kit.words import load_words

_NUMBERED: Final = {
    "M": load_words(__name__, "months"),
    "W": load_words(__name__, "weekdays"),
    "N": load_words(__name__, "counts"),
    "O": load_words(__name__, "ordinals"),
    "D": load_words(__name__, "days_back"),
    "h": load_words(__name__, "short_units"),
}
"""Signs of months, weekdays, numbers, ordinals, days by how long ago they are, and short units."""
_NOTHING: Final = ""
OTHER: Final = "."
NO_YEAR: Final = "0000-"
"""The beginning of a date's value that names no year."""
UNREAD: Final = "?"
"""A date that may be either of two, or none."""
_BREAK: Final = "|"
_NUMBER: Final = re.compile(
    r"(?P<iso>\d{4}-\d\d(?:-\d\d)?)(?:/(?P<to>(?:\d{4}-)?(?:\d\d-)?\d\d))?(?![\d-])"
    r"|(?P<slashed>(?P<s1>\d{4}|\d{1,2})/(?P<s2>\d{1,2})/(?P<s3>\d{4}|\d{1,2}))(?![\d/])"
    r"|(?P<dotted>(?P<dd>\d{1,2})\.(?P<dm>\d{1,2})\.(?P<dy>\d{4})?)(?!\d)"
    r"|(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?\s?"
    r"(?P<half>[ap]\.?m\.?(?![^\W_])|uhr(?![^\W_])|o'clock|時(?!間))"
    r"|(?P<hours>[01]?\d|2[0-4])[:h](?P<minutes>[0-5]\d)(?![^\W_]|:\d)"
    r"|(?P<clock>\d+(?:[:.,]\d+)+|\d+[^\W\d_]*[%\u20ac$]|\d{1,3}(?:,\d{3})+)"
    r"|(?P<short>\d{1,4})(?=(?:h|hrs?|min)(?![^\W_]))"
    r"|(?P<n>\d{1,4})(?P<suffix>st|nd|rd|th|er|[\u00ba\u00aa\u00b0]|\.(?=\s+[^\W\d_])"
    r"|(?:日|月|年)(?!間|前))?(?:(?<=[日月年])|(?![^\W_\u3041-\u9fff]))"
)
_QUARTER: Final = re.compile(r"q([1-4])(?![^\W_])")
_MONTHS: Final = 12
_ORDINAL_SUFFIXES: Final = {"月": "M", "年": "Y"}
_YEARS: Final = range(1900, 2100)
_LATIN_WORD: Final = re.compile(r"[^\W_\u3041-\u9fff]+(?:['-][^\W_\u3041-\u9fff]+)*")
_GAP: Final = re.compile(r"[.?!;:\uff1f\u3002]+(?=\s|$)|'s\b|[^\w]")
_HALF_DAY_H: Final = 12
_COMPOUND: Final = "hälfte|woche|anfang|mitte|ende"
_HERE: Final = "hier"

Sign = tuple[str, int | str]


class TimeWord(NamedTuple):
    """A word that may be of a time: its sign, what it says, and its characters in the text."""

    sign: str
    value: int | str
    start: int
    end: int


def list_time_words(text: str) -> list[TimeWord]:
    """Return the signs of a text in order; those that say nothing of a time are left out."""
    folded = text.lower().replace("\u2019", "'")
    # A letter whose small form is longer would move all that follow.
    folded = folded if len(folded) == len(text) else text
    words = [word for word in _scan(folded) if word.sign]
    if any(folded[word.start : word.end] == _HERE for word in words if word.sign == "D"):
        is_german = detect_language(list_compounds(text)) == "german"
        words = [word for word in words if not (is_german and _HERE in folded[word.start :][:4])]
    return words


def _scan(text: str) -> Iterator[TimeWord]:
    at = 0
    while at < len(text):
        if text[at].isdecimal() and (match := _NUMBER.match(text, at)):
            yield from _read_interval(match) if match["to"] else [_read_number(match)]
        elif match := _QUARTER.match(text, at):
            yield TimeWord("Q", int(match[1]), at, match.end())
        elif match := (_PHRASE.match(text, at) or _UNSPACED.match(text, at)):
            for sign, value in _MEANINGS[match[0]]:
                yield TimeWord(sign, value, at, match.end())
        elif match := _LATIN_WORD.match(text, at):
            yield TimeWord(OTHER, "", at, match.end())
        elif match := _GAP.match(text, at):
            yield _read_gap(text, match)
        else:
            yield TimeWord(OTHER, "", at, at + 1)
            at += 1
            continue
        at = match.end()


def _read_number(match: re.Match[str]) -> TimeWord:
    start, end = match.span()
    if match["iso"]:
        return TimeWord("I", match["iso"], start, end)
    if match["slashed"]:
        named = _read_slashed(*match.group("s1", "s2", "s3"))
        return TimeWord("I" if named else UNREAD, named, start, end)
    if match["dotted"]:
        named = f"{match['dy'] or NO_YEAR[:-1]}-{match['dm']:0>2}-{match['dd']:0>2}"
        return TimeWord("I", named, start, end)
    if match["hour"] or match["hours"]:
        return TimeWord("c", _read_clock(match), start, end)
    if match["clock"]:
        return TimeWord(OTHER, "", start, end)
    number, suffix = int(match["short"] or match["n"]), match["suffix"]
    sign = _ORDINAL_SUFFIXES.get(suffix or "", "O" if suffix else "N")
    if number in _YEARS and suffix in {None, "年"}:
        sign = "Y"
    return TimeWord(sign, number, start, end)


def _read_interval(match: re.Match[str]) -> Iterator[TimeWord]:
    """Yield the ends of an interval of ISO 8601; the second borrows what it leaves out."""
    first, last = match["iso"].split("-"), match["to"].split("-")
    start, end = match.span("to")
    yield TimeWord("I", match["iso"], *match.span("iso"))
    yield TimeWord("t", "", start - 1, start)
    whole = "-".join([*first[: len(first) - len(last)], *last])
    is_read = len(last) <= len(first) and len(whole.partition("-")[0]) == len("2026")
    yield TimeWord("I" if is_read else UNREAD, whole, start, end)


def _read_slashed(first: str, second: str, third: str) -> str:
    """Return a date with slashes as ISO 8601; empty where day and month may be each other."""
    if len(first) > len("12"):
        return f"{first}-{second:0>2}-{third:0>2}"
    low, high = sorted((int(first), int(second)))
    is_told = low == high or low <= _MONTHS < high
    return f"{third}-{low:0>2}-{high:0>2}" if is_told and len(third) > len("12") else ""


def _read_clock(match: re.Match[str]) -> int:
    """Return a time of day in minutes."""
    hour, half = int(match["hour"] or match["hours"]), (match["half"] or "")[:1]
    if half in {"a", "p"}:
        hour = hour % _HALF_DAY_H + _HALF_DAY_H * (half == "p")
    return 60 * hour + int(match["minute"] or match["minutes"] or 0)


def _read_gap(text: str, match: re.Match[str]) -> TimeWord:
    start, end = match.span()
    if text[start] in "-\u2013\u2014" and re.match(r"\s?\w", text[end : end + 2]):
        is_between = re.search(r"[\d\s]$", text[:start]) is not None
        return TimeWord("t" if is_between else _NOTHING, "", start, end)
    return TimeWord(_BREAK if text[start] in ".?!;:\uff1f\u3002" else _NOTHING, "", start, end)


def _list_meanings() -> dict[str, tuple[Sign, ...]]:
    meanings: dict[str, tuple[Sign, ...]] = dict.fromkeys(
        _read_forms(load_words(__name__, "time_glue")), ((_NOTHING, ""),)
    )
    for line in load_words(__name__, "time_links"):
        name, _, forms = line.partition("=")
        meanings |= dict.fromkeys(_read_forms(forms.split("/")), _read_link(name))
    for line in load_words(__name__, "time_units"):
        name, _, forms = line.partition("=")
        meanings |= dict.fromkeys(_read_forms(forms.split("/")), (("U", name),))
    for line in load_words(__name__, "day_parts"):
        name, _, forms = line.partition("=")
        part: Sign = ("p", name) if "-" in name else ("c", 60 * int(name))
        meanings |= dict.fromkeys(_read_forms(forms.split("/")), (part,))
    for sign, lines in _NUMBERED.items():
        for line in lines:
            number, _, forms = line.partition("=")
            meanings |= dict.fromkeys(_read_forms(forms.split("/")), ((sign, int(number)),))
    return meanings


def _read_link(name: str) -> tuple[Sign, ...]:
    """Return the signs of a name in the list of links, two for a name such as `L.week`."""
    if name[0].isdecimal():
        return (("O", int(name[0])), (name[1:], ""))
    sign, _, unit = name.partition(".")
    return ((sign, ""), ("U", unit)) if unit else ((sign, ""),)


def _read_forms(forms: Sequence[str]) -> list[str]:
    return [form.replace("_", " ") for form in forms]


_MEANINGS: Final = _list_meanings()


def _match_forms(*, spaced: bool) -> re.Pattern[str]:
    forms = sorted((form for form in _MEANINGS if (form[-1] < "\u3041") is spaced), key=len)
    pattern = "|".join(map(re.escape, reversed(forms)))
    if not spaced:
        return re.compile(pattern)
    return re.compile(rf"(?:{pattern})(?:(?<=')|(?![^\W\d_\u3041-\u9fff])|(?={_COMPOUND}))")


_PHRASE: Final = _match_forms(spaced=True)
_UNSPACED: Final = _match_forms(spaced=False)
