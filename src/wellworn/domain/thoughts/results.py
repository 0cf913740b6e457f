"""Results as callers see them: content, trail, and what they replace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from wellworn.domain.thoughts.models import FoundThought
from wellworn.domain.thoughts.store.rows import ThoughtSummary
from wellworn.domain.thoughts.truth import (
    TELLING_CONFIDENCE,
    UNQUESTIONED,
    LinkedThought,
    ReplacementLink,
    ReplacementOrigin,
    Standing,
)
from wellworn.engines.retrieval import POLICY_VERSION, RankedResult


@dataclass(frozen=True, slots=True)
class RankedThought:
    """A result before its content is read."""

    ranked: RankedResult
    summary: ThoughtSummary
    policy_version: int = POLICY_VERSION
    standing: Standing = UNQUESTIONED


def build_result(
    hit: RankedThought, content: str, linked: Mapping[int, ThoughtSummary], now: float
) -> FoundThought:
    ranked, summary = hit.ranked, hit.summary
    return FoundThought(
        seq=summary.seq,
        thought_id=summary.thought_id,
        content=content,
        contributor_id=summary.contributor_id,
        contributor_name=summary.contributor_name,
        score=ranked.cosine,
        keyword=ranked.keyword,
        rank_score=ranked.rank_score,
        parts=ranked.parts,
        tags=summary.tags,
        pheromone_weight=summary.trail.weight_at(now),
        access_count=summary.trail.access_count,
        unique_users=summary.trail.unique_users,
        created_at=summary.created_at,
        owner=summary.owner,
        held=summary.held,
        policy_version=hit.policy_version,
        replaces=_describe(hit.standing.replaces, linked, lambda link: link.older),
        replaced_by=_describe(hit.standing.replaced_by, linked, lambda link: link.newer),
        outdated_at=hit.standing.outdated_at,
    )


def _describe(
    links: Iterable[ReplacementLink],
    linked: Mapping[int, ThoughtSummary],
    end: Callable[[ReplacementLink], int],
) -> tuple[LinkedThought, ...]:
    """Return the other ends of links that are sure enough to be told."""
    return tuple(
        LinkedThought(
            thought_id=linked[end(link)].thought_id,
            contributor_name=linked[end(link)].contributor_name,
            created_at=linked[end(link)].created_at,
            opening=linked[end(link)].opening,
            stated=link.is_stated,
            confidence=link.confidence,
            reason=link.reason,
        )
        for link in links
        if link.origin is not ReplacementOrigin.REFINED
        if link.confidence >= TELLING_CONFIDENCE and end(link) in linked
    )
