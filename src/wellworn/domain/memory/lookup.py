"""Searches for thoughts outside of the conversation: without a trace, or with one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from wellworn.domain.memory.answer_reading import AnswerReader
from wellworn.domain.memory.answering import merge_shared
from wellworn.domain.memory.models import Retrieval
from wellworn.domain.memory.searching import encode_retrieval
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import (
    Exposure,
    FoundThought,
    RetrievalMethod,
    SearchQuery,
    Thoughts,
)
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope
from wellworn.engines.embedding import Embedder, encode_question
from wellworn.engines.safety import redact
from wellworn.kit.folding import fold_forms
from wellworn.kit.ids import new_id


class ThoughtLookup:
    """Searches thoughts by words or by a vector; what is found is read beside the question."""

    def __init__(self, thoughts: Thoughts, embedder: Embedder, answers: AnswerReader) -> None:
        self._thoughts = thoughts
        self._embedder = embedder
        self._answers = answers

    def look_up(
        self,
        access: Access,
        text: str,
        *,
        limit: int = 10,
        filter_tags: Sequence[str] = (),
        scope: TimeScope = ANY_TIME,
        agent_id: str = "",
        least: Callable[[FoundThought], bool] | None = None,
    ) -> list[FoundThought]:
        """Search by words without leaving a trace; an agent may ask of itself.

        Only what `least` lets pass is returned, and not all of that is read: it is put in order,
        and not told what each answers.
        """
        text, agent_id = fold_forms(redact(text).text), redact(agent_id).text
        asked = encode_question(self._embedder, text)
        search = SearchQuery(
            vector=asked.vector,
            pieces=asked.pieces,
            spans=asked.spans,
            text=text,
            agent_id=agent_id,
            limit=limit,
            filter_tags=tuple(filter_tags),
            method=self._thoughts.settings.retrieval_method,
            scope=scope,
        )
        pool = self._thoughts.searcher.rank(access, search)
        hits = self._thoughts.searcher.load_distinct(access, pool, limit)
        if access.shared is not None:
            shared = self._thoughts.search(access.shared, search)
            shared = [replace(each, space=access.shared.space) for each in shared]
            hits = merge_shared(hits, shared, limit)
        if least is not None:
            hits = [each for each in hits if least(each)]
        found = self._answers.arrange(access, search, hits, tells=least is None)[:limit]
        self._thoughts.sightings.note(access, _list_told(found), agent_id)
        return found

    def retrieve(self, access: Access, retrieval: Retrieval) -> list[FoundThought]:
        """Search and strengthen the trails of the results; a new session is opened.

        Raises:
            SessionNotFound: the session is another agent's.
            InvalidInput: the query's own vector is not as long as the encoder's.
        """
        query = retrieval.query and redact(retrieval.query).text
        retrieval = replace(retrieval, query=query, agent_id=redact(retrieval.agent_id).text)
        asked = encode_retrieval(self._embedder, retrieval)
        method = retrieval.retrieval_method or self._thoughts.settings.retrieval_method
        if retrieval.query is None:
            method = RetrievalMethod.VECTOR
        search = SearchQuery(
            vector=asked.vector,
            pieces=asked.pieces,
            spans=asked.spans,
            text=fold_forms(retrieval.query or ""),
            agent_id=retrieval.agent_id,
            limit=retrieval.limit,
            filter_tags=tuple(retrieval.filter_tags),
            match_all_tags=retrieval.match_all_tags,
            exclude_self=retrieval.exclude_self,
            min_score=retrieval.min_score,
            method=method,
            include_unverified=retrieval.include_unverified,
            scope=retrieval.scope,
        )
        exposure = Exposure(
            query_id=retrieval.query_id or new_id(),
            agent_id=retrieval.agent_id,
            session_id=retrieval.session_id,
            query_text=retrieval.query or "",
            context_text=None,
            vector=asked.vector if asked.has_meaning else None,
            method=method,
            may_repeat=retrieval.query_id is not None,
        )
        thoughts = self._thoughts.retrieve(access, search, exposure)
        if method is not RetrievalMethod.HYBRID:
            return thoughts
        return self._answers.arrange(access, search, thoughts, brings=False)


def list_linked(thoughts: Iterable[FoundThought]) -> Iterator[str]:
    """Yield the ids of what thoughts replace or are replaced by, whose openings are told."""
    for thought in thoughts:
        yield from (link.thought_id for link in (*thought.replaces, *thought.replaced_by))


def _list_told(thoughts: Sequence[FoundThought]) -> list[str]:
    return [*(thought.thought_id for thought in thoughts), *list_linked(thoughts)]
