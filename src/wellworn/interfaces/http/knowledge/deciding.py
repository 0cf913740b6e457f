"""What people decide about knowledge, over HTTP: conflicts, pins; and what is left to decide."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse

from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.fields import Name
from wellworn.interfaces.http.knowledge import answer_replies as replies
from wellworn.interfaces.http.knowledge.fields import ConflictId
from wellworn.interfaces.http.knowledge.wire import DecisionRequest
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["knowledge"])

_Term = Annotated[Name, Path(description="The term; slashes are part of it.")]


@router.get("/conflicts", response_model=replies.ConflictsReply, responses=failures(400, 404))
def conflicts(
    app: Opened,
    access: Allowed,
    *,
    closed: Annotated[
        bool, Query(description="Also those that have gone from the documents.")
    ] = False,
) -> JSONResponse:
    """List where documents disagree, each side with its quote; the open ones first."""
    found = app.knowing.conflicts(access, with_closed=closed)
    return JSONResponse({"conflicts": [replies.conflict(one) for one in found]})


@router.post(
    "/conflicts/{conflict_id}/decision",
    response_model=replies.ConflictReply,
    responses=failures(400, 404, 413, 415),
)
def decide(
    conflict_id: ConflictId, body: DecisionRequest, app: Opened, access: Allowed
) -> JSONResponse:
    """Settle a conflict; the decision holds after every later sync."""
    decided = app.knowing.decide(access, conflict_id, body.resolution, reason=body.reason)
    return JSONResponse(replies.conflict(decided))


@router.get("/pins", response_model=replies.PinsReply, responses=failures(404))
def pins(app: Opened, access: Allowed) -> JSONResponse:
    """List the terms that are always hot."""
    return JSONResponse({"pins": app.knowing.pins(access)})


@router.put("/pins/{term:path}", response_model=replies.PinsReply, responses=failures(400, 404))
def pin(term: _Term, app: Opened, access: Allowed) -> JSONResponse:
    """Make a term always hot."""
    return JSONResponse({"pins": app.knowing.pin(access, term, pinned=True)})


@router.delete("/pins/{term:path}", response_model=replies.PinsReply, responses=failures(400, 404))
def unpin(term: _Term, app: Opened, access: Allowed) -> JSONResponse:
    """Let a term be hot or not by its own merit."""
    return JSONResponse({"pins": app.knowing.pin(access, term, pinned=False)})


@router.get("/unknowns", response_model=replies.UnknownsReply, responses=failures(404))
def unknowns(app: Opened, access: Allowed) -> JSONResponse:
    """List terms that nothing explains, the most wanted first."""
    found = app.knowing.unknowns(access)
    return JSONResponse({"unknowns": [replies.unknown(one) for one in found]})


@router.get("/quality", response_model=replies.QualityReply, responses=failures(404))
def quality(app: Opened, access: Allowed) -> JSONResponse:
    """Say how well knowledge serves the space."""
    return JSONResponse(replies.quality(app.knowing.quality(access)))
