"""The conversation over HTTP.

Source: thought tracing v0.2.0, section 3.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse

from wellworn.interfaces.http import rendering
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.replies import FeedbackReply, MemoryReply
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.wire import FeedbackRequest, MemoryRequest

router = APIRouter(tags=["memory"])

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern="^[!-~]+$",
        description="Any retry with the same key returns the first answer and counts once.",
    ),
]


@router.post("/memory", response_model=MemoryReply, responses=failures(400, 404, 413, 415))
def converse(
    body: MemoryRequest, app: Opened, access: Allowed, idempotency_key: IdempotencyKey = None
) -> JSONResponse:
    """Say something to memory, or ask it something: every call retrieves, statements are kept."""
    reply = app.converse(access, body.to_prompt(idempotency_key))
    return JSONResponse(rendering.reply(reply))


@router.post(
    "/memory/feedback", response_model=FeedbackReply, responses=failures(400, 404, 413, 415)
)
def judge(body: FeedbackRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Say whether a thought that this session was shown was useful or irrelevant."""
    weight = app.judge(
        access,
        session_id=body.session_id,
        thought_id=body.thought_id,
        signal=body.signal,
        agent_id=body.agent_id,
    )
    return JSONResponse(
        {
            "session_id": body.session_id,
            "thought_id": body.thought_id,
            "signal": body.signal,
            "pheromone_weight": rendering.weight(weight),
        }
    )
