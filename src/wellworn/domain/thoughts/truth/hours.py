"""Reads times that are counted in hours and minutes from now: the last 36 hours, 20 minutes ago."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.time_words import TimeWord

_HOURS: Final = re.compile("LN?h|NLh|v[Ni]h|H?i?[Ni]h[gv]")
_SPAN: Final = "L"
_HALF: Final = "H"


class NamedHours(NamedTuple):
    """A time in epoch seconds, and which words of a text name it."""

    start: float
    end: float
    words: Sequence[TimeWord]


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
    start, end = (at, now + 1) if _SPAN in values else (at - around, at + around)
    return NamedHours(start, end, named)
