"""From a prompt to the search that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wellworn.domain.memory.calls import PriorState
from wellworn.domain.memory.models import Prompt
from wellworn.domain.memory.relevance import select_relevant
from wellworn.domain.memory.screening import build_query
from wellworn.domain.sources import Snippet, Sources
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import FoundThought, RetrievalMethod, SearchQuery, Thoughts
from wellworn.domain.thoughts.truth import ANY_TIME, read_scope
from wellworn.engines.embedding import Encoded

MOST_PASSAGES = 5
"""Passages of documents that are shown after thoughts."""


def build_search(
    prompt: Prompt, before: PriorState, asked: Encoded, *, method: RetrievalMethod, now: float
) -> SearchQuery:
    """Return the search of a prompt, by `method` unless it names one.

    The time it is about is what the caller set, or else what the words say.
    """
    chosen = () if before.chosen_tag is None else (before.chosen_tag,)
    return SearchQuery(
        vector=asked.vector,
        pieces=asked.pieces,
        spans=asked.spans,
        text=build_query(prompt),
        agent_id=prompt.agent_id,
        limit=prompt.limit,
        filter_tags=prompt.filter_tags or chosen,
        match_all_tags=prompt.match_all_tags,
        exclude_self=prompt.exclude_self,
        min_score=prompt.min_score,
        method=prompt.retrieval_method or method,
        include_unverified=prompt.include_unverified,
        scope=read_scope(prompt.prompt, now) if prompt.scope == ANY_TIME else prompt.scope,
    )


def find_shared(
    thoughts: Thoughts, shared: Access, prompt: Prompt, search: SearchQuery, *, model: str
) -> list[FoundThought]:
    """Find what has to do with a prompt in the space that all projects share."""
    hits = thoughts.searcher.rank(shared, search)
    relevant = select_relevant(hits, search.method, prompt, model=model)
    shown = thoughts.searcher.load(shared, relevant[: search.limit])
    return [replace(thought, space=shared.space) for thought in shown]


def find_passages(
    sources: Sources | None, access: Access, prompt: Prompt, asked: Encoded
) -> Sequence[Snippet] | None:
    """Find passages of documents if they were asked for; they leave no trail."""
    if not prompt.include_knowledge or sources is None:
        return None
    if access.shared is not None and not sources.list_sources(access):
        access = access.shared
    limit = min(prompt.limit, MOST_PASSAGES)
    return sources.search_encoded(access, build_query(prompt), asked, limit=limit)
