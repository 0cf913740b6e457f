"""Results as callers see them: content, trail, and what they replace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypedDict

from wellworn.domain.thoughts.models import FoundThought
from wellworn.domain.thoughts.store.rows import ThoughtSummary
from wellworn.domain.thoughts.trail import Trail
from wellworn.domain.thoughts.truth import (
    LinkedThought,
    ReplacementLink,
    Standing,
)
from wellworn.engines.retrieval import POLICY_VERSION, RankedResult, Team


class RankedThought(NamedTuple):
    """A result before its content is read.

    Attributes:
        stands_for: results of the same search that it replaced, or that are of its history.
        tried: its place, from 0, by the weights on trial; None where none are.
        team: whose weights picked it; None before that, and where none are on trial.
        is_first: whether it was picked first.
    """

    ranked: RankedResult
    summary: ThoughtSummary
    policy_version: int = POLICY_VERSION
    standing: Standing = Standing()
    stands_for: tuple[RankedResult, ...] = ()
    tried: int | None = None
    team: Team | None = None
    is_first: bool = False

    @property
    def cosine(self) -> float:
        """The highest similarity to the query, of it and of what it stands for."""
        return max(result.cosine for result in (self.ranked, *self.stands_for))

    @property
    def keyword(self) -> float:
        """The highest BM25 score, of it and of what it stands for."""
        return max(result.keyword for result in (self.ranked, *self.stands_for))

    def with_part(self, name: str, amount: float) -> RankedThought:
        """Return the result with one more part of its score."""
        return self._replace(ranked=self.ranked.with_part(name, amount))

    def with_trail(self, trail: Trail | None) -> RankedThought:
        """Return the result with another trail, if there is one."""
        return self if trail is None else self._replace(summary=self.summary._replace(trail=trail))

    def without_links(self) -> RankedThought:
        """Return the result with the scores of what it stands for, but not with what that is."""
        if not self.stands_for:
            return self._replace(standing=Standing())
        best = RankedResult(self.ranked.id, self.cosine, self.keyword, {})
        return self._replace(standing=Standing(), stands_for=(best,))


def build_result(
    hit: RankedThought,
    content: str,
    linked: Mapping[int, ThoughtSummary],
    now: float,
    *,
    unconfirmed_until: float | None,
    rediscovered: int = 0,
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
        unconfirmed_until=unconfirmed_until,
        rediscovered=rediscovered,
        **describe_standing(hit.standing, linked),
    )


class DescribedStanding(TypedDict):
    """A thought's standing as callers see it."""

    replaces: tuple[LinkedThought, ...]
    replaced_by: tuple[LinkedThought, ...]
    outdated_at: float | None
    contested: bool
    expires_at: float | None


def describe_standing(
    standing: Standing, linked: Mapping[int, ThoughtSummary]
) -> DescribedStanding:
    """Return the fields of a thought that say what is known of its truth."""
    return {
        "replaces": _describe_links(standing.replaces, linked, newer=False),
        "replaced_by": _describe_links(standing.replaced_by, linked, newer=True),
        "outdated_at": standing.outdated_at,
        "contested": standing.is_contested,
        "expires_at": standing.expires_at,
    }


def _describe_links(
    links: Iterable[ReplacementLink], linked: Mapping[int, ThoughtSummary], *, newer: bool
) -> tuple[LinkedThought, ...]:
    """Return the newer or older ends of links that are sure enough to be told."""
    ends = [(link, linked.get(link.newer if newer else link.older)) for link in links]
    return tuple(
        LinkedThought(
            thought_id=thought.thought_id,
            contributor_name=thought.contributor_name,
            created_at=thought.created_at,
            opening=thought.opening,
            stated=link.is_stated,
            confidence=round(link.confidence, 2),
            reason=link.reason,
            contested=link.is_contested or link.contradicts,
        )
        for link, thought in ends
        if thought is not None and link.is_told
    )
