"""Decides how far the life of a research document is, and who may find it. Pure.

Source: the specification of document IO, section 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.research.documents import Research, ResearchScope

_HOUR_S: Final = 3_600
_PROVEN: Final = {
    ResearchScope.USER: (0.5, 3, 1 * _HOUR_S),
    ResearchScope.GLOBAL: (0.8, 10, 24 * _HOUR_S),
}
"""Least trust, uses, and age in seconds of each scope."""


class ResearchState(StrEnum):
    """The stage in the life of a document."""

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
    """Tell whether a later document read every source of an earlier one again."""
    return (
        new.turn > old.turn
        and bool(old.sources)
        and {source.url for source in old.sources} <= {source.url for source in new.sources}
    )


def cite_research(
    research: Research, state: ResearchState, *, is_own: bool, wants_fresh: bool
) -> Iterator[Evidence]:
    """Yield what each source says; its numbers are given when it is recorded.

    Args:
        research: the document.
        state: how far its life is; listings that expired are left out.
        is_own: whether the user has the file.
        wants_fresh: whether listings are to be read again, however new they are.
    """
    added = [fact.text for fact in research.facts if not fact.source]
    if added:
        text = "\n\n".join(added)
        yield _make_evidence(research, research.query, text, research.path, is_own=is_own)
    for number, source in enumerate(research.sources, 1):
        title, url, moment = source.title or source.vendor, source.url, source.moment
        facts = [fact.text for fact in research.facts if fact.source == number]
        if facts:
            text = "\n\n".join(facts)
            yield _make_evidence(research, title, text, url, is_own=is_own, moment=moment)
        lines = [f"- {each.line}" for each in research.listings if each.source == number]
        if lines and state is not ResearchState.EXPIRED:
            is_stale = wants_fresh or state is not ResearchState.ACTIVE
            yield _make_evidence(
                research,
                title,
                "\n".join(lines),
                url,
                is_own=is_own,
                moment=moment,
                is_stale=is_stale,
            )


def _make_evidence(
    research: Research,
    title: str,
    text: str,
    source: str,
    *,
    is_own: bool,
    moment: float | None = None,
    is_stale: bool = False,
) -> Evidence:
    return Evidence(
        0,
        EvidenceKind.RESEARCH,
        title,
        text,
        source,
        link=research.path if is_own else None,
        relevance=research.quality,
        moment=research.created_at if moment is None else moment,
        is_stale=is_stale,
        topic=research.topic,
    )
