"""From what was found to the reply: pure assembly of result and trace.

Source: thought tracing v0.2.0, sections 3.7 to 3.10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wellworn.domain.memory import wording
from wellworn.domain.memory.contribution import contributes
from wellworn.domain.memory.disambiguation import Clusters, is_relevant
from wellworn.domain.memory.models import (
    Cluster,
    Disambiguation,
    NeededNext,
    Prompt,
    Reply,
    Result,
    Source,
    Trace,
)
from wellworn.domain.memory.wording import Quote
from wellworn.domain.sources import Snippet
from wellworn.domain.thoughts import Affirmed, FoundThought, RankedThought, RetrievalMethod, Stored
from wellworn.domain.thoughts import NeededNext as Needed
from wellworn.kit.clock import iso
from wellworn.kit.text import preview

HIGHWAY_ACCESSES = 3
HIGHWAY_AGENTS = 2
MOST_HIGHWAYS = 5
MOST_SHOWN_OF_A_CLUSTER = 5


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave: what is shown, and the pool it was taken from."""

    shown: Sequence[FoundThought]
    pool: Sequence[RankedThought]
    clusters: Clusters | None
    method: RetrievalMethod
    passages: Sequence[Snippet] | None = None
    """Of documents; None unless they were asked for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the call did besides retrieving."""

    session_id: str
    newcomer: bool
    encouraged: bool
    kept_as: Stored | Affirmed | None
    needed_next: Sequence[Needed] = ()


def shown_of(
    hits: Sequence[RankedThought], clusters: Clusters | None, limit: int
) -> list[RankedThought]:
    """Return what of the pool is shown: the best, or the best of the largest cluster."""
    if clusters is None:
        return list(hits[:limit])
    largest = set(clusters.largest)
    members = [hit for hit in hits if hit.summary.thought_id in largest]
    return members[: min(limit, MOST_SHOWN_OF_A_CLUSTER)]


def reply_to(prompt: Prompt, found: Found, outcome: Outcome) -> Reply:
    """Assemble the reply."""
    return Reply(_result(prompt, found, outcome), _trace(prompt, found, outcome))


def _result(prompt: Prompt, found: Found, outcome: Outcome) -> Result:
    return Result(
        response=_response(found, outcome.kept_as),
        sources=_sources(prompt, found),
        highways_nearby=_highways_nearby(found),
        disambiguation=_disambiguation(found.clusters),
        guidance=wording.WELCOME if outcome.newcomer else None,
        often_needed_next=tuple(
            NeededNext(one.thought_id, wording.label(one.opening, one.tags), one.strength)
            for one in outcome.needed_next
        ),
    )


def _response(found: Found, kept_as: Stored | Affirmed | None) -> str:
    if found.clusters is not None:
        return wording.which_area(found.clusters.total_found, found.clusters.areas)
    quotes = [Quote(one.content, one.contributor_name) for one in found.shown]
    quotes += [Quote(one.text, one.citation) for one in found.passages or ()]
    near = any(is_relevant(one.score, one.keyword) for one in found.shown)
    near = near or any(is_relevant(one.score, 0.0) for one in found.passages or ())
    stored = isinstance(kept_as, Stored)
    held = isinstance(kept_as, Stored) and kept_as.held
    return wording.response(quotes, contributed=stored, held=held, near=near)


def _sources(prompt: Prompt, found: Found) -> tuple[Source, ...]:
    thoughts = tuple(_source(one, explain=prompt.explain) for one in found.shown)
    if found.passages is None:
        return thoughts
    said = tuple(replace(one, kind="thought") for one in thoughts)
    return said + tuple(_passage(one, explain=prompt.explain) for one in found.passages)


def _passage(one: Snippet, *, explain: bool) -> Source:
    plain = Source(
        thought_id=f"document:{one.document_id}",
        contributor=one.source,
        score=one.score,
        content_preview=preview(one.text),
        kind="document",
        citation=one.citation,
    )
    if not explain:
        return plain
    return replace(
        plain,
        content=one.text,
        tags=(),
        created_at=iso(one.fetched_at),
        rank_score=math.fsum(one.why.values()),
        why=one.why,
    )


def _source(one: FoundThought, *, explain: bool) -> Source:
    plain = Source(
        thought_id=one.thought_id,
        contributor=one.contributor_name,
        score=one.score,
        content_preview=preview(one.content),
    )
    if not explain:
        return plain
    return replace(
        plain,
        content=one.content,
        tags=one.tags,
        created_at=iso(one.created_at),
        rank_score=one.rank_score,
        why=one.parts,
    )


def _highways_nearby(found: Found) -> tuple[str, ...]:
    relevant = [hit for hit in found.pool if is_relevant(hit.ranked.cosine, hit.ranked.keyword)]
    worn = [
        hit.summary
        for hit in relevant
        if hit.summary.trail.access_count >= HIGHWAY_ACCESSES
        and hit.summary.trail.unique_users >= HIGHWAY_AGENTS
    ]
    worn.sort(key=lambda card: (-card.trail.use_score, -card.trail.traffic_score, card.seq))
    return tuple(
        wording.highway(
            card.opening,
            card.tags,
            accesses=card.trail.access_count,
            agents=card.trail.unique_users,
        )
        for card in worn[:MOST_HIGHWAYS]
    )


def _disambiguation(clusters: Clusters | None) -> Disambiguation | None:
    if clusters is None:
        return None
    return Disambiguation(
        clusters.total_found, tuple(Cluster(area.tag, area.count) for area in clusters.areas)
    )


def _trace(prompt: Prompt, found: Found, outcome: Outcome) -> Trace:
    return Trace(
        session_id=outcome.session_id,
        operations=_operations(found, outcome),
        thoughts_retrieved=len(found.shown),
        thoughts_contributed=int(isinstance(outcome.kept_as, Stored)),
        contribution_threshold_met=contributes(prompt.prompt),
        context_used=bool(prompt.context),
        retrieval_method=found.method.value,
        thought_id=outcome.kept_as.thought_id if outcome.kept_as else None,
    )


def _operations(found: Found, outcome: Outcome) -> tuple[str, ...]:
    done = {
        "retrieve": True,
        "reinforce": not all(one.held for one in found.shown),
        "contribute": isinstance(outcome.kept_as, Stored),
        "affirm": isinstance(outcome.kept_as, Affirmed),
        "quarantine": isinstance(outcome.kept_as, Stored) and outcome.kept_as.held,
        "feedback_implicit": outcome.encouraged,
        "disambiguate": found.clusters is not None,
        "onboard": outcome.newcomer,
    }
    return tuple(name for name, was_done in done.items() if was_done)
