"""The values of truth over time: frozen, without behaviour but their own reading."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from wellworn.kit.likelihood import PROBABLE, is_in_part, limit_verb, qualify
from wellworn.kit.words import fold

LEAST_CONFIDENCE: Final = 0.3
"""A link of less is not told."""
SURE_CONFIDENCE: Final = 0.85
OPENING_LENGTH: Final = 80
"""Characters of a thought that are read where the rest is not needed."""


class ReplacementOrigin(StrEnum):
    """The origin of a link."""

    STATED = "stated"
    INFERRED = "inferred"
    REFINED = "refined"
    """The newer says better what the older said, which stays true."""
    CONTRADICTS = "contradicts"
    """Two members seem to say differently of one matter; neither replaces the other."""


class ReplacementLink(NamedTuple):
    """A thought replaces another; a tuple, because a search reads hundreds of them.

    Attributes:
        newer, older: seqs.
        since: since when, in epoch seconds; the older was true until then.
        confidence: 0 to 1; 1 for what was stated.
        is_contested: one member contradicts another, and nobody else confirmed it; the newer
            stands beside the older, below it.
        is_older_contested: nobody else confirmed the older either.
        is_by_admin: an admin stated it, whose word nobody has to confirm.
    """

    newer: int
    older: int
    origin: ReplacementOrigin
    reason: str
    confidence: float
    since: float
    is_contested: bool = False
    is_older_contested: bool = False
    is_by_admin: bool = False

    @property
    def replaces(self) -> bool:
        """Whether the newer takes the older's place, surely or not."""
        is_sure_enough = self.confidence >= LEAST_CONFIDENCE
        return is_sure_enough and not (self.is_contested or self.contradicts)

    @property
    def contradicts(self) -> bool:
        return self.origin is ReplacementOrigin.CONTRADICTS

    @property
    def is_stated(self) -> bool:
        return self.origin is ReplacementOrigin.STATED and not self.is_contested

    @property
    def is_sure(self) -> bool:
        """Whether the newer takes the older's place, whatever the question."""
        return self.confidence >= SURE_CONFIDENCE and self.replaces

    @property
    def is_told(self) -> bool:
        """Whether callers see it: one that orders results, and says what was true before."""
        return self.confidence >= LEAST_CONFIDENCE and self.origin is not ReplacementOrigin.REFINED

    @property
    def is_surely_contested(self) -> bool:
        """Whether each is shown wherever the other is."""
        return self.confidence >= SURE_CONFIDENCE and (self.is_contested or self.contradicts)


@dataclass(frozen=True, slots=True)
class LinkedThought:
    """A thought that another replaces, or is replaced by.

    Attributes:
        opening: its first 80 characters.
        stated: somebody said so; otherwise it was inferred.
        confidence: 0 to 1; 1 for what was stated.
        contested: one member contradicts another, and neither has replaced the other.
    """

    thought_id: str
    contributor_name: str
    created_at: float
    opening: str
    stated: bool
    confidence: float
    reason: str
    contested: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether its opening is all of it."""
        return len(self.opening) < OPENING_LENGTH

    @property
    def is_probable(self) -> bool:
        """Whether the one rather takes the other's place than not, and nobody contests it."""
        return self.confidence >= PROBABLE and not self.contested

    @property
    def is_partial(self) -> bool:
        """Whether the older says more than what the newer tells again, which still holds."""
        return is_in_part(self.reason)

    def qualify(self, verb: str) -> str:
        """Return a verb for the link with how sure it is, and whether it is of a part."""
        verb = limit_verb(verb, self.reason)
        return qualify(verb, self.confidence, is_stated=self.stated or self.contested)


@dataclass(frozen=True, slots=True)
class Alike:
    """A count of results that said the same in the same words, and the names of who did."""

    count: int
    contributors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Objection:
    """Somebody called a thought outdated or wrong; `by` is a member, None at the open door."""

    seq: int
    is_wrong: bool
    given_at: float
    by: str | None = None
    is_by_admin: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """The truth of a thought, as it is known at a moment.

    Attributes:
        replaces, replaced_by: links, the surest first.
        outdated_at: since when it is not true any more, in epoch seconds; None while it is.
        expires_at: from when on it is history, or has been, as it was said; None without an end.
        is_retracted: it was called wrong.
        is_doubted: another member called it outdated or wrong, which alone ends nothing.
    """

    replaces: tuple[ReplacementLink, ...] = ()
    replaced_by: tuple[ReplacementLink, ...] = ()
    outdated_at: float | None = None
    is_retracted: bool = False
    is_doubted: bool = False
    expires_at: float | None = None

    @property
    def links(self) -> tuple[ReplacementLink, ...]:
        return self.replaces + self.replaced_by

    @property
    def ends(self) -> list[int]:
        """The thoughts that its told links name, itself among them."""
        return sorted({end for link in self.links if link.is_told for end in link[:2]})

    @property
    def is_contested(self) -> bool:
        """Whether another member says otherwise, and nobody but its author has confirmed it."""
        return (
            self.is_doubted
            or any(link.is_contested and link.is_told for link in self.replaces)
            or any(link.is_older_contested and link.is_told for link in self.replaced_by)
        )

    @property
    def is_current(self) -> bool:
        return self.outdated_at is None and not self.is_retracted


@dataclass(frozen=True, slots=True)
class TimeScope:
    """The time a question is about; by default the present.

    Attributes:
        as_of: the moment whose truth is asked for, in epoch seconds; what was said later is left
            out.
        about: the moment that a question seems to be about; what was said later only ranks lower.
        within: from when to when what a question asks for seems to have happened; what was said
            at another time only ranks lower.
        since, until: when a thought was said, in epoch seconds; `until` is not part of it.
        by: id or name of who said it, or id of the member whose credential they used.
        people: the same of those whom a question names, each in its place; everybody if None.
        history: bring what was true before, too.
    """

    as_of: float | None = None
    about: float | None = None
    within: tuple[float, float] | None = None
    since: float | None = None
    until: float | None = None
    by: str | None = None
    history: bool = False
    people: tuple[str, ...] | None = None

    def moment(self, now: float) -> float:
        """Return the moment whose truth is asked for."""
        return next(at for at in (self.as_of, self.about, now) if at is not None)

    @property
    def is_present(self) -> bool:
        """Whether it asks for what is true now."""
        return self.as_of is self.about is None

    @property
    def is_open(self) -> bool:
        """Whether it names no time at all."""
        times = (self.as_of, self.about, self.within, self.since, self.until)
        return not self.history and all(time is None for time in times)

    @property
    def is_narrow(self) -> bool:
        """Whether it leaves thoughts out by when or by whom they were said."""
        return not (self.as_of is self.since is self.until is self.by is self.people is None)

    def includes(self, said_at: float, *contributor: str) -> bool:
        """Tell whether a thought said then, by somebody of these names, is in the scope."""
        names = set(map(fold, contributor)) if self.by or self.people is not None else set[str]()
        return (
            (self.as_of is None or said_at <= self.as_of)
            and (self.since is None or said_at >= self.since)
            and (self.until is None or said_at < self.until)
            and (self.by is None or fold(self.by) in names)
            and (self.people is None or not names.isdisjoint(self.people))
        )


ANY_TIME: Final = TimeScope()
UNQUESTIONED: Final = Standing()
"""Nothing replaces it, and nobody called it outdated or wrong."""
