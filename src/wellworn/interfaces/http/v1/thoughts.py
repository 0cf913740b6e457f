"""Single thoughts, their provenance and contributors, and a search that leaves no trace."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse

from wellworn.interfaces.http import rendering
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.fields import AgentId, PromptText, Tag, Uuid
from wellworn.interfaces.http.replies import (
    ContributorReply,
    ErasureReply,
    HeldReply,
    ProvenanceReply,
    RecordReply,
    ReleasedReply,
    SearchReply,
)
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.wire import EraseRequest
from wellworn.kit.clock import iso

router = APIRouter(tags=["thoughts"])

ThoughtId = Annotated[Uuid, Path(description="UUID of a thought.")]


@router.get("/thoughts/{thought_id}", response_model=RecordReply, responses=failures(400, 404))
def record(thought_id: ThoughtId, app: Opened, access: Allowed) -> JSONResponse:
    """Return a thought with its whole trace."""
    return JSONResponse(rendering.record(app.record(access, thought_id)))


@router.get(
    "/thoughts/{thought_id}/provenance",
    response_model=ProvenanceReply,
    response_model_exclude_none=True,
    responses=failures(400, 404),
)
def provenance(
    thought_id: ThoughtId,
    app: Opened,
    access: Allowed,
    depth: Annotated[int, Query(ge=1, le=20, description="Most steps in each direction.")] = 20,
) -> JSONResponse:
    """Return what a thought came from, and what was built on it."""
    chain = app.provenance(access, thought_id, depth=depth)
    return JSONResponse(rendering.provenance(chain))


@router.get("/held", response_model=HeldReply, responses=failures(400, 404))
def held(app: Opened, access: Allowed) -> JSONResponse:
    """List what reads like an order and is held back, for an admin to look at."""
    return JSONResponse({"held": [rendering.held(one) for one in app.held(access)]})


@router.post(
    "/thoughts/{thought_id}/release", response_model=ReleasedReply, responses=failures(400, 404)
)
def release(thought_id: ThoughtId, app: Opened, access: Allowed) -> JSONResponse:
    """Let a held thought be found like any other."""
    app.release(access, thought_id)
    return JSONResponse({"released": thought_id})


@router.delete(
    "/thoughts/{thought_id}", response_model=ErasureReply, responses=failures(400, 404, 413, 415)
)
def erase(thought_id: ThoughtId, body: EraseRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Erase a thought's words and vectors; the shape of its trace stays."""
    erased_at = app.forget(access, thought_id, agent_id=body.agent_id, reason=body.reason or None)
    return JSONResponse({"thought_id": thought_id, "erased_at": iso(erased_at)})


@router.get(
    "/contributors/{contributor_id:path}",
    response_model=ContributorReply,
    responses=failures(400, 404),
)
def contributor(
    contributor_id: Annotated[AgentId, Path()], app: Opened, access: Allowed
) -> JSONResponse:
    """Sum up what one agent contributed and how often it was accessed."""
    return JSONResponse(rendering.contributor(app.contributor(access, contributor_id)))


@router.get("/search", response_model=SearchReply, responses=failures(400))
def search(
    q: Annotated[PromptText, Query(description="What to look for.")],
    app: Opened,
    access: Allowed,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
    filter_tags: Annotated[list[Tag], Query(max_length=20)] = [],  # noqa: B006 - FastAPI copies it
) -> JSONResponse:
    """Search without leaving a trace: no access is counted, nothing is logged."""
    found = app.look_up(access, q, limit=limit, filter_tags=filter_tags)
    return JSONResponse(rendering.looked_up(found))
