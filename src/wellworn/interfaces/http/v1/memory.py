"""The conversation over HTTP, what is behind it, and the earlier endpoints of best practices.

The specification wants think, retrieve and highways out of the API's documents; tools of this
project call them, agents talk to /memory instead.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import Response

from wellworn.application.calls import CallContext
from wellworn.client.calls import ThoughtCalls
from wellworn.client.models import (
    Feedback,
    FoundPractice,
    FoundPractices,
    Highway,
    Ingested,
    Reply,
    Retrieved,
    Stored,
)
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Retrieval
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import HighwayOrder
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.http.wire import (
    FeedbackRequest,
    IdempotencyKey,
    IngestRequest,
    MemoryRequest,
    QueryRequest,
    RetrieveRequest,
    ThinkRequest,
)

router = create_router("memory")

practices = create_router("best practices")

inner = create_router("internal")


@router.post("/memory", response_model=Reply, responses=failures(400, 404, 413, 415))
def converse(
    body: MemoryRequest, app: Opened, access: Allowed, idempotency_key: IdempotencyKey = None
) -> Response:
    """State or ask something. Every call retrieves, and statements are kept."""
    reply = Reply.of(app.converse(access, body.to_prompt(idempotency_key)))
    # Written here; the framework would check it first, in a turn of another thread.
    return Response(reply.model_dump_json(), media_type="application/json")


@router.post("/memory/feedback", responses=failures(400, 404, 413, 415))
def add_feedback(body: FeedbackRequest, app: Opened, access: Allowed) -> Feedback:
    """Rate a thought that this session was shown."""
    weight = app.judge(access, **body.model_dump())
    return Feedback.of(body, pheromone_weight=weight)


@practices.post("/query", responses=failures(400, 413, 415))
def find_practices(body: QueryRequest, app: Opened, access: Allowed) -> FoundPractices:
    """Return the five best practices nearest in meaning."""
    with app.call(access, Action.PRACTICE_FOUND) as call:
        found = call.services.knowledge.query(call.access, body.query, domain=body.domain)
    results = tuple(FoundPractice.of(hit, **asdict(hit.practice)) for hit in found)
    return FoundPractices(query=body.query, count=len(results), results=results)


@practices.post("/ingest", responses=failures(400, 413, 415))
def ingest(body: IngestRequest, app: Opened, access: Allowed) -> Ingested:
    """Store a best practice, once however often it is sent."""
    metadata = body.metadata
    practice = Practice(
        content=body.content,
        domain=(metadata.domain if metadata else None) or "",
        source=(metadata.source if metadata else None) or "",
    )
    with app.call(access, Action.PRACTICE_STORED, Role.CONTRIBUTOR) as call:
        practice_id, is_new = call.services.knowledge.ingest(call.access, practice)
    return Ingested(id=practice_id, status="ingested" if is_new else "known")


@inner.post("/think", responses=failures(400, 404, 413, 415))
def think(body: ThinkRequest, app: Opened, access: Allowed) -> Stored:
    """Store a thought."""
    return Stored.of(app.think(access, body.to_draft()))


@inner.post("/retrieve", responses=failures(400, 404, 413, 415))
def retrieve(body: RetrieveRequest, app: Opened, access: Allowed) -> list[Retrieved]:
    """Search, and strengthen the trails of what is found."""
    fields = body.model_dump(exclude={"explain"})
    thoughts = app.retrieve(access, Retrieval(**fields))
    if body.explain:
        return [Retrieved.of(thought, why=thought.parts) for thought in thoughts]
    return [Retrieved.of(thought, why=None, rank_score=None) for thought in thoughts]


@serve(inner, ThoughtCalls.highways, Action.THOUGHT_LISTED)
def list_highways(call: CallContext, *, sort_by: str, **asked: Any) -> object:
    order = HighwayOrder(sort_by)
    highways = call.services.thoughts.list_highways(call.access, sort_by=order, **asked)
    call.touch(each.thought_id for each in highways)
    return list(map(Highway.of, highways))


@serve(inner, ThoughtCalls.decay, Action.SPACE_CHANGED, Role.ADMIN)
def settle(call: CallContext) -> object:
    return call.services.thoughts.settle(call.access)
