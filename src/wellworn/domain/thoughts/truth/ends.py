"""Until when thoughts are to be true: whose word gives one an end, and what of it is due. Pure.

An end says nothing against what is said later: saying the same after it makes it true again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth.corroboration import Author
from wellworn.domain.thoughts.truth.models import Objection
from wellworn.errors import InvalidInput
from wellworn.kit.clock import end_of, to_iso

LAST_MOMENT: Final = 253_402_300_799
"""The end of the year 9999, in epoch seconds."""


class GivenEnd(NamedTuple):
    """Somebody gave a thought an end, or took back the one that they gave.

    Attributes:
        expires_at: from when on it is history, in epoch seconds; None takes it back.
        by: a member; None at the open door.
    """

    seq: int
    expires_at: float | None
    by: str | None = None
    is_by_admin: bool = False


def parse_end(text: str | None) -> float | None:
    """Return the end that a date or a time in ISO 8601 names; a day counts to its end.

    Raises:
        ValueError, OverflowError: it is no date and no time.
        InvalidInput: it is later than can be written.
    """
    if text is None:
        return None
    if (end := end_of(text)) > LAST_MOMENT:
        raise InvalidInput("expires_at must be before the end of the year 9999")
    return end


def require_after(expires_at: float | None, moment: float, what: str) -> None:
    """Refuse an end at which a thought would never have been true.

    Raises:
        InvalidInput: it is not after the moment.
    """
    if expires_at is not None and expires_at <= moment:
        raise InvalidInput(f"expires_at must be later than {what}, {to_iso(moment)}")


def select_ends(given: Sequence[GivenEnd], authors: Mapping[int, Author]) -> dict[int, GivenEnd]:
    """Return by seq the ends that count, of those that were given, oldest first.

    The last word is that of the author, an admin or the open door; that of others is none.
    """
    counting: dict[int, GivenEnd] = {}
    for end in given:
        if end.by in {None, authors[end.seq].owner} or end.is_by_admin:
            counting[end.seq] = end
    return {seq: end for seq, end in counting.items() if end.expires_at is not None}


def list_due(ends: Mapping[int, GivenEnd], at: float) -> list[Objection]:
    """Return the ends that have come at a moment, as objections from when they came."""
    return [
        Objection(seq, is_wrong=False, given_at=end.expires_at, by=end.by, is_by_admin=True)
        for seq, end in ends.items()
        if end.expires_at is not None and end.expires_at <= at
    ]
