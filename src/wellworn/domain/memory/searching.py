"""From a prompt to the search that it asks for."""

from __future__ import annotations

from wellworn.domain.memory.calls import PriorState
from wellworn.domain.memory.models import Prompt
from wellworn.domain.memory.screening import build_query
from wellworn.domain.thoughts import RetrievalMethod, SearchQuery
from wellworn.domain.thoughts.truth import ANY_TIME, read_scope
from wellworn.engines.embedding import Encoded


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
