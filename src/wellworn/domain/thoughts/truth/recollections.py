"""Recognises sentences that recall the past, and those that go on about it. Pure.

Who comes upon an old handbook, meets a former landlord or remembers a winter tells of then in the
next sentences as well: what these let the old say, and what they tell in a tense of the past.

Source: `python -m benchmarks remembering`, the notes in `benchmarks/notes/supposed_within.jsonl`.
"""

from __future__ import annotations

import re
from typing import Final

from wellworn.kit.clock import get_year
from wellworn.kit.words import load_phrases

REACH: Final = 2
"""Sentences after one that recalls something, which may go on about it."""
_AGED: Final = load_phrases(__name__, "aged")
_RECORDS: Final = f"{load_phrases(__name__, 'records')}|{load_phrases(__name__, 'media')}"
_PEOPLE: Final = load_phrases(__name__, "people_of_then")
_SAYING: Final = load_phrases(__name__, "saying")
_OLD_SPEAKER: Final = rf"(?:{_AGED}) (?:\S+ )?(?:{_RECORDS}|{_PEOPLE})|(?:{_RECORDS}) (?:{_AGED})"
RECALLS: Final = re.compile(rf"(?<!\w)(?:{_OLD_SPEAKER}|{load_phrases(__name__, 'bygone')})(?!\w)")
_YEAR: Final = re.compile(
    rf"(?<!\w)(?:{load_phrases(__name__, 'before_a_year')}) ((?:19|20)\d\d)(?![\w:.,]?\w)"
)
_QUOTES: Final = re.compile(rf": \S|(?<!\w)(?:{_SAYING})(?!\w)")
_SPEAKER: Final = rf"(?:{load_phrases(__name__, 'referring')}|{_RECORDS}|{_PEOPLE})"
_LETS_SPEAK: Final = re.compile(
    rf"(?<!\w)(?:{_SPEAKER},? (?:\S+ ){{0,3}}?(?:{_SAYING})|(?:{_SAYING}) {_SPEAKER})(?!\w)"
    rf"|^(?:{load_phrases(__name__, 'speaking')})(?!\w)"
)
_POINTS_BACK: Final = re.compile(rf"(?:{load_phrases(__name__, 'pointing_back')})(?!\w)")
_LATELY: Final = re.compile(rf"(?<!\w)(?:{load_phrases(__name__, 'lately')})(?!\w)")


def recalls(folded: str, said_at: float | None) -> bool:
    """Tell whether a sentence names something old, somebody of then, or a year before the last.

    `said_at` is when it was said, in epoch seconds; without it no year is known to be past.
    """
    if RECALLS.search(folded):
        return True
    years = [int(match[1]) for match in _YEAR.finditer(folded)]
    return bool(years) and said_at is not None and min(years) < get_year(said_at) - 1


def quotes(folded: str) -> bool:
    """Tell whether a sentence says that something says something."""
    return _QUOTES.search(folded) is not None


def lets_speak(folded: str) -> bool:
    """Tell whether in a sentence somebody speaks who was named before."""
    return _LETS_SPEAK.search(folded) is not None


def points_back(folded: str) -> bool:
    """Tell whether a sentence begins with a word for the last one: "so says the old manual"."""
    return _POINTS_BACK.match(folded) is not None


def is_of_lately(folded: str) -> bool:
    """Tell whether a sentence is about what just happened."""
    return _LATELY.search(folded) is not None
