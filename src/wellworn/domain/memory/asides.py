"""Answers to what is no search, in the shape of every other answer.

They show what is worn, or where things stand, and leave no trail: nobody looked for the thoughts in
them. They are not kept for a retry either, which reads again what is there.

Source: issue 4, point 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wellworn.domain.memory import wording
from wellworn.domain.memory.answering import HIGHWAY_ACCESSES, HIGHWAY_AGENTS
from wellworn.domain.memory.contribution import contributes
from wellworn.domain.memory.models import Prompt, Reply, Result, Source, Trace
from wellworn.domain.memory.routing import Highways, OutlineOf, request_in
from wellworn.domain.outline import Outline, Outlined
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Catalogue, Highway, HighwayOrder, ThoughtExcerpt, Thoughts
from wellworn.engines.storage.sql import Database
from wellworn.errors import NotFound
from wellworn.kit.clock import iso
from wellworn.kit.text import preview

HIGHWAYS = "highways"
OUTLINE = "outline"
"""How these answers name themselves in `retrieval_method`."""
_INSTEAD = {"topics": "tags"}
"""What is shown where a space has nothing of the kind."""


@dataclass(frozen=True, slots=True)
class Aside:
    """An answer before it is known whose session it is."""

    method: str
    response: str
    sources: tuple[Source, ...] = ()
    highways: tuple[str, ...] = ()


class Asides:
    """Answers from highways and from the outline."""

    def __init__(self, database: Database, thoughts: Thoughts, outline: Outline | None) -> None:
        self._database = database
        self._thoughts = thoughts
        self._outline = outline

    def answer(self, access: Access, prompt: Prompt) -> Aside | None:
        """Return the answer to a prompt that is no search, or None: then it is one."""
        if _is_narrowed(prompt):
            return None
        request = request_in(prompt.prompt)
        if isinstance(request, Highways):
            return self._highways(access, prompt)
        return None if request is None else self._outlined(access, request)

    def _highways(self, access: Access, prompt: Prompt) -> Aside:
        roads = self._thoughts.list_highways(
            access,
            min_access=HIGHWAY_ACCESSES,
            min_users=HIGHWAY_AGENTS,
            limit=prompt.limit,
            sort_by=HighwayOrder.USE,
        )
        with self._database.read() as transaction:
            entries = Catalogue(transaction, access).find_excerpts(
                [one.thought_id for one in roads]
            )
        known = [(one, entries[one.thought_id]) for one in roads if one.thought_id in entries]
        lines = _lines([one for one, _ in known])
        sources = tuple(_source(one, entry, explain=prompt.explain) for one, entry in known)
        return Aside(HIGHWAYS, wording.highways(lines), sources, lines)

    def _outlined(self, access: Access, request: OutlineOf) -> Aside | None:
        found = self._found(access, request)
        return None if found is None else Aside(OUTLINE, wording.outlined(found))

    def _found(self, access: Access, request: OutlineOf) -> Outlined | None:
        if self._outline is None:
            return None
        for name in (request.name, _INSTEAD.get(request.name)):
            if name is None:
                continue
            try:
                found = self._outline.outline(access, name, depth=request.depth)
            except NotFound:
                continue
            if name not in _INSTEAD or found.node is None or found.node.children:
                return found
        return None


def reply_to(prompt: Prompt, aside: Aside, *, session_id: str, newcomer: bool) -> Reply:
    """Assemble the reply."""
    result = Result(
        response=aside.response,
        sources=aside.sources,
        highways_nearby=aside.highways,
        disambiguation=None,
        guidance=wording.WELCOME if newcomer else None,
    )
    trace = Trace(
        session_id=session_id,
        operations=("retrieve", "onboard") if newcomer else ("retrieve",),
        thoughts_retrieved=len(aside.sources),
        thoughts_contributed=0,
        contribution_threshold_met=contributes(prompt.prompt),
        context_used=False,
        retrieval_method=aside.method,
    )
    return Reply(result, trace)


def _is_narrowed(prompt: Prompt) -> bool:
    """Tell whether the caller said how to search: then it is one, whatever the words are."""
    wanted = (prompt.filter_tags, prompt.min_score is not None, prompt.retrieval_method)
    return any(wanted) or prompt.exclude_self or prompt.include_unverified


def _lines(roads: Sequence[Highway]) -> tuple[str, ...]:
    return tuple(
        wording.highway(
            one.content_preview, one.tags, accesses=one.access_count, agents=one.unique_users
        )
        for one in roads
    )


def _source(road: Highway, entry: ThoughtExcerpt, *, explain: bool) -> Source:
    plain = Source(
        thought_id=road.thought_id,
        contributor=entry.contributor,
        score=0.0,
        content_preview=preview(entry.text),
    )
    if not explain:
        return plain
    return replace(
        plain,
        content=entry.text,
        tags=road.tags,
        created_at=iso(entry.created_at),
        rank_score=road.use_score,
        why={"usefulness": road.use_score},
    )
