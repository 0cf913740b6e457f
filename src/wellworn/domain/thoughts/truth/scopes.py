"""Reads from a question's words which time it is about. Pure; times are UTC.

Days and periods are read in English, like those that ranking reads; that the past is asked for also
in German, Spanish and French. Any other question is about the present unless the caller says so.
"""

from __future__ import annotations

import re
from typing import Final

from wellworn.domain.thoughts.truth.models import ANY_TIME, TimeScope
from wellworn.domain.thoughts.truth.named_times import Period
from wellworn.domain.thoughts.truth.periods import find_period, find_time
from wellworn.domain.thoughts.truth.time_words import NO_YEAR, list_time_words
from wellworn.errors import InvalidInput
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
_WAS: Final = re.compile(
    rf"\b(?:was|were|had|could|as of|back (?:on|in)|{load_phrases(__name__, 'was')})\b",
    re.IGNORECASE,
)
#: What is, or is to be, may have a date as its content: "What is due on 1 December?"
_IS_PRESENT: Final = re.compile(
    r"\b(?:is|are|does|do|will|can|should|must|due|planned)\b(?! there\b)", re.IGNORECASE
)
#: "The release of 3 March": the date says which it is.
_BEHIND_A_NOUN: Final = re.compile(r"(?<!notes) of (?:the )?$", re.IGNORECASE)
_ASKS_EVENT: Final = re.compile(
    r"\W*(?:when|since when|who (?:said|wrote|told|decided)|what happened)\b",
    re.IGNORECASE,
)

#: "The last dozen days", "twenty hours ago", "vor mehr als 30 Tagen".
_UNREAD: Final = re.compile(r"[LP][.N]{1,3}[Uh]|[.N][Uh]g|v[.N]{1,3}[Uh]")
#: "Between 9 am and closing", "in the afternoon", "since Easter", "on 3/4/2026", "on 2026-02-30".
_UNREAD_TOO: Final = re.compile(
    rf"{_UNREAD.pattern}|Z?[Nc]?[tuf&]?c|p|[SA][.Q]|\?|I|[NO]MY|M[NO]Y|YM[NO]"
)

#: Of what happened, and not of how something was: "What broke in October?"
_ASKS_EVENTS: Final = re.compile(
    rf"\W*(?:what|which|who|whom|where|why|how)\b[^?]{{0,80}}?"
    rf"\b(?:did|{load_phrases(__name__, 'events')})\b",
    re.IGNORECASE,
)


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
        InvalidInput: `until` is not after `since`.
    """
    scope = TimeScope(
        as_of=None if as_of is None else end_of(as_of),
        since=None if since is None else from_iso(since),
        until=None if until is None else end_of(until),
        by=by,
        history=history,
    )
    if scope.since is not None and scope.until is not None and scope.until <= scope.since:
        message = "until must be after since: these times are the wrong way round"
        raise InvalidInput(message)
    return scope


def read_scope(question: str, now: float) -> TimeScope:
    """Return the time that a question is about: the present, the past, or a moment named."""
    text = question[:_LOOKED_AT]
    named = find_time(text, now)
    # "The weekend before" names a time, and asks for no history.
    rest = text if named is None else named.remove_from(text)
    history = _ASKS_HISTORY.search(rest) is not None or (
        _BEFORE.search(rest) is not None and _OF_PRESENT.search(rest) is None
    )
    if named is None:
        return TimeScope(history=True) if history else ANY_TIME
    if history:
        is_over = named.period.start <= now
        return TimeScope(history=True, within=named.period if is_over else None)
    if named.is_until_now:
        # What was said before can tell of nothing that happened in it.
        is_present = _IS_PRESENT.search(rest) is not None
        return TimeScope(within=named.period, since=None if is_present else named.period.start)
    if _ASKS_EVENTS.match(rest):
        # What was said before a time that lasts until now can tell of nothing that happened in it.
        lasts = named.period.start <= now < named.period.end
        since = named.period.start if lasts else None
        return TimeScope(within=named.period, since=since)
    # How something was is asked of a time that is over.
    is_over = named.period.end <= now
    if _WAS.search(rest) and is_over and not _ASKS_EVENT.match(rest):
        return TimeScope(about=named.period.end)
    is_content = _IS_PRESENT.search(rest) or _BEHIND_A_NOUN.search(text[: named.start])
    is_content = is_content or named.is_of_today
    is_future = named.period.start > now
    return ANY_TIME if is_content or is_future else TimeScope(within=named.period)


def list_unread_times(question: str, now: float, *, is_limited: bool) -> list[str]:
    """Return the words of a question that look like a time beside the one that it is read as.

    They are one whose number is not understood; where times limit what is asked for, also a second
    time, hours of no day, and what begins with something unknown.
    """
    text, unread = question[:_LOOKED_AT], list[str]()
    named = find_time(text, now)
    while named is not None:
        text = _hide(text, named.start, named.end)
        if (named := find_time(text, now)) is not None and is_limited:
            unread.append(question[named.start : named.end])
    words = list_time_words(text)
    pattern = _UNREAD_TOO if is_limited else _UNREAD
    for match in pattern.finditer("".join(word.sign for word in words)):
        first, last = words[match.start()], words[match.end() - 1]
        if match[0] == "I" and str(first.value).startswith(NO_YEAR):
            continue  # a number with dots, such as that of a section
        unread.append(question[first.start : last.end])
    return unread


def _hide(text: str, start: int, end: int) -> str:
    """Return a text, as long as before, without a time that parts what stands around it."""
    return f"{text[:start]};{' ' * (end - start - 1)}{text[end:]}"


def tells_of(text: str, said_at: float, within: tuple[float, float]) -> bool:
    """Tell whether a text names a time of a period; "yesterday" counts from when it was said."""
    named = find_period(text, said_at)
    return named is not None and named.overlaps(Period(*within))
