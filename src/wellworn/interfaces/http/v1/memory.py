"""The conversation over HTTP."""

from __future__ import annotations

from fastapi import Response

from wellworn.client.models import Feedback, Reply
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures
from wellworn.interfaces.http.wire import FeedbackRequest, IdempotencyKey, MemoryRequest

router = create_router("memory")


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
