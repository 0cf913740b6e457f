"""How far the life of a research document is, and who may find it. Pure.

Source: the specification of document IO, section 12.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from wellworn.domain.turns.research.documents import Research, ResearchScope

_HOUR_S: Final = 3_600
_PROVEN: Final = {
    ResearchScope.USER: (0.5, 3, 1 * _HOUR_S),
    ResearchScope.GLOBAL: (0.8, 10, 24 * _HOUR_S),
}
"""Least trust, uses, and age in seconds of each scope."""


class ResearchState(StrEnum):
    """How far the life of a document is."""

    ACTIVE = "active"
    STALE = "stale"
    """Its listings may have changed: they are read again before they are told."""
    EXPIRED = "expired"
    """Its listings are too old to be told at all; its facts stay."""
    SUPERSEDED = "superseded"
    """A later document replaced it; it is read by nobody but people."""


def find_state(
    *, expires_at: float | None, superseded_by: str | None, now: float, stale_s: float
) -> ResearchState:
    """Return the state at a moment; `stale_s` is how long listings are stale before they expire."""
    if superseded_by is not None:
        return ResearchState.SUPERSEDED
    if expires_at is None or now < expires_at:
        return ResearchState.ACTIVE
    return ResearchState.STALE if now < expires_at + stale_s else ResearchState.EXPIRED


def promote(
    scope: ResearchScope, *, trust: float, uses: int, age_s: float, is_read_by_others: bool
) -> ResearchScope:
    """Return the scope that a document has earned; it never loses one.

    Args:
        scope: what it has.
        trust: how reliable its sources are, 0 to 1.
        uses: how many later turns used it.
        age_s: its age in seconds.
        is_read_by_others: whether other users read each of its pages themselves, so that its words
            tell them nothing that only its own user could see.
    """
    reached = [
        each
        for each, (least_trust, least_uses, least_age) in _PROVEN.items()
        if trust >= least_trust and uses >= least_uses and age_s >= least_age
    ]
    if ResearchScope.GLOBAL in reached and is_read_by_others:
        return ResearchScope.GLOBAL
    if scope is ResearchScope.NEW and reached:
        return ResearchScope.USER
    return scope


def replaces(new: Research, old: Research) -> bool:
    """Tell whether a later document read every source of an earlier one anew."""
    return (
        new.turn > old.turn
        and bool(old.sources)
        and {source.url for source in old.sources} <= {source.url for source in new.sources}
    )
