"""Until when thoughts are to be true: whose word gives one an end, and what of it is due. Pure.

An end says nothing against what is said later: whoever says the same after it makes it true again.
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


class SelectedEnds(NamedTuple):
    """What counts of the ends that were given.

    Attributes:
        expires_at: by seq, as its author, an admin or the open door said last.
        due: objections from when on thoughts are history, those of other members among them.
    """

    expires_at: Mapping[int, float]
    due: Sequence[Objection]


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


def select_ends(
    given: Sequence[GivenEnd], authors: Mapping[int, Author], *, at: float
) -> SelectedEnds:
    """Return which ends count at a moment, of those that were given until then, oldest first."""
    counting: dict[tuple[int, str | None], GivenEnd] = {}
    for end in given:
        is_of_others = end.by not in {None, authors[end.seq].owner} and not end.is_by_admin
        counting[end.seq, end.by if is_of_others else None] = end
    return SelectedEnds(
        {
            seq: end.expires_at
            for (seq, other), end in counting.items()
            if other is None and end.expires_at is not None
        },
        [
            Objection(
                end.seq,
                is_wrong=False,
                given_at=end.expires_at,
                by=end.by,
                is_by_admin=end.is_by_admin,
            )
            for end in counting.values()
            if end.expires_at is not None and end.expires_at <= at
        ],
    )
