"""The limits in the words of a question: whose words, and of which time. Pure.

Each is kept, or said not to be: what a question leaves out must not come back in silence. A person
is known by the full name alone, beside a word that tells of what somebody says, or where nothing
but names and times is asked for.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from wellworn.domain.memory.routing import (
    LATELY,
    LONGEST,
    SPEAKS,
    TOKEN,
    is_general,
    is_token_general,
    strip_token,
)
from wellworn.domain.memory.speakers import NamedPeople, list_words
from wellworn.domain.thoughts.truth import (
    ANY_TIME,
    TimeScope,
    find_time,
    list_unread_times,
    read_scope,
)
from wellworn.kit.words import fold

_LOOKED_AT: Final = 500
"""Characters of a question in which limits are looked for."""


class LimitKind(StrEnum):
    PERSON = "person"
    TIME = "time"


class LimitState(StrEnum):
    """The fate of a limit."""

    KEPT = "kept"
    """Nothing is shown beyond it."""
    PREFERRED = "preferred"
    """Thoughts within it stand first; those of another time may tell of it."""
    MISSED = "missed"
    """Nothing within it is close, so what is shown is beyond it."""
    NOBODY = "nobody"
    """Nobody of that name has said anything in the space."""
    UNKNOWN = "unknown"
    """It was not understood, so it leaves nothing out."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a question.

    Attributes:
        words: of the question.
        since, until: the time that it is read as, in epoch seconds; `until` is not part of it.
        is_counted: whether it names how many units ago, which may be the end of what is meant.
        is_of_today: whether it names hours, and no day.
    """

    kind: LimitKind
    words: str
    state: LimitState
    since: float | None = None
    until: float | None = None
    is_of_today: bool = False
    is_counted: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits of a question, and the scope that they make.

    Attributes:
        is_general: whether nothing else is asked for.
    """

    scope: TimeScope = ANY_TIME
    limits: tuple[Limit, ...] = ()
    is_general: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether something is left out by them."""
        return any(limit.state is LimitState.KEPT for limit in self.limits)

    @property
    def asks_who_said(self) -> bool:
        """Whether it is asked what somebody said, and they said something."""
        told = {LimitState.KEPT, LimitState.MISSED}
        return any(each.kind is LimitKind.PERSON and each.state in told for each in self.limits)

    @property
    def lists_all(self) -> bool:
        """Whether all that was said within them is asked for."""
        return self.is_general and self.is_kept

    @property
    def within(self) -> TimeScope:
        """The scope of a search by words; any, where they name nobody and no time of events."""
        scope = self.scope
        return ANY_TIME if scope.within is scope.people is None else scope

    def narrow(self, scope: TimeScope) -> TimeScope:
        """Return a scope with these limits added to those that the caller set."""
        own = self.scope
        since = [at for at in (scope.since, own.since) if at is not None]
        until = [at for at in (scope.until, own.until) if at is not None]
        return replace(
            scope,
            about=own.about if scope.as_of is None else None,
            within=own.within,
            since=max(since, default=None),
            until=min(until, default=None),
            history=scope.history or own.history,
            people=own.people,
        )

    def relax(self) -> Limits | None:
        """Return them without the one to give up first, the time; None if all are given up."""
        kinds = [limit.kind for limit in self.limits if limit.state is LimitState.KEPT]
        if LimitKind.TIME in kinds:
            return replace(self.miss_time(), scope=replace(self.scope, since=None, until=None))
        if kinds:
            scope = replace(self.scope, people=None)
            return replace(self._miss(LimitKind.PERSON), scope=scope)
        return None

    def miss_time(self) -> Limits:
        """Return them where nothing is of the time that was asked for."""
        return self._miss(LimitKind.TIME)

    def _miss(self, kind: LimitKind) -> Limits:
        holding = {LimitState.KEPT, LimitState.PREFERRED}
        limits = tuple(
            replace(limit, state=LimitState.MISSED)
            if limit.kind is kind and limit.state in holding
            else limit
            for limit in self.limits
        )
        return replace(self, limits=limits)

    def drop(self, words: Container[str]) -> Limits:
        """Return them without those of some words of the question."""
        return replace(self, limits=tuple(each for each in self.limits if each.words not in words))

    def has_missed(self, kind: LimitKind) -> bool:
        return any(limit.kind is kind and limit.state is LimitState.MISSED for limit in self.limits)

    def list_words(self, kind: LimitKind, state: LimitState) -> list[str]:
        return [each.words for each in self.limits if each.kind is kind and each.state is state]

    def remove_from(self, text: str) -> str:
        """Return what is asked for within the limits, which what is found need not say again."""
        if self.lists_all:
            return ""
        for limit in self.limits:
            is_soft = limit.state is LimitState.PREFERRED and self.scope.within is not None
            if limit.state is LimitState.KEPT or is_soft:
                text = text.replace(limit.words, " ")
        if self.scope.people is None:
            return text
        # Beside a name, words such as "say" and "anything" only ask for what its bearer said.
        tokens = TOKEN.findall(text)
        return " ".join(each for each in tokens if not is_token_general(strip_token(fold(each))))


NO_LIMITS: Final = Limits()


def may_limit(question: str) -> bool:
    """Tell whether a question may name whose words it asks for."""
    words = list_words(question[:_LOOKED_AT])
    telling = sum(not word.is_general for word in words)
    return 0 < telling < len(words)


def read_limits(
    question: str, now: float, known: Iterable[tuple[str, str]] = (), *, asker: str = ""
) -> Limits:
    """Return the limits of a question.

    Args:
        question: what is asked.
        now: in epoch seconds.
        asker: the id of the agent that asks, which may call itself "I".
        known: the names of everybody who may be asked for, each with the key in scopes.
    """
    text = question[:_LOOKED_AT]
    named = find_time(text, now)
    rest = text if named is None else _hide(text, named.start, named.end)
    if lately := LATELY.search(rest):
        rest = _hide(rest, *lately.span())
    words = list_words(rest)
    people = NamedPeople(words, known, asker)
    speakers = people.find_speakers()
    unknown = [] if speakers else people.find_unknown()
    asks_all = people.is_general_beside(speakers)
    asks_all = (asks_all or is_general(rest)) and len(question) <= LONGEST
    is_said = bool(speakers or unknown) or any(word.text in SPEAKS for word in words)
    scope = read_scope(text, now)
    limits = [
        Limit(LimitKind.PERSON, rest[slice(*people.span(name))], state)
        for state, names in (
            (LimitState.KEPT, speakers),
            (LimitState.NOBODY, unknown),
            (LimitState.UNKNOWN, people.find_excluded(speakers)),
        )
        for name in names
    ]
    if named is not None:
        words_of_time = text[named.start : named.end]
        limit = Limit(
            LimitKind.TIME,
            words_of_time,
            LimitState.KEPT,
            *named.period,
            named.is_of_today,
            named.is_counted,
        )
        limit, scope = _limit_time(limit, scope, is_said=is_said, asks_all=asks_all)
        limits += [limit] if limit else []
    is_limited = is_said or asks_all or scope.within is not None
    unread = list_unread_times(text, now, is_limited=is_limited)
    limits += [Limit(LimitKind.TIME, each, LimitState.UNKNOWN) for each in unread]
    if lately and is_limited:
        state = LimitState.PREFERRED if asks_all else LimitState.UNKNOWN
        limits.append(Limit(LimitKind.TIME, lately[0], state))
    if speakers:
        keys = {key for name in speakers for key in name.keys}
        scope = replace(scope, people=tuple(sorted(keys)))
    return Limits(scope, tuple(limits), is_general=asks_all)


def _limit_time(
    limit: Limit, scope: TimeScope, *, is_said: bool, asks_all: bool
) -> tuple[Limit | None, TimeScope]:
    """Return the limit that a time is, if it is one, and the scope with it.

    When something was said is known; when it happened is mostly told later.
    """
    start, end = limit.since or 0.0, limit.until or 0.0
    if scope == ANY_TIME and not asks_all:
        # What is due then is asked for, or what is said of it.
        unknown = Limit(LimitKind.TIME, limit.words, LimitState.UNKNOWN)
        return (unknown if is_said else None), scope
    if is_said or asks_all or scope.since is not None:
        return limit, replace(scope, within=(start, end), about=None, since=start, until=end)
    return replace(limit, state=LimitState.PREFERRED), scope


def _hide(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
