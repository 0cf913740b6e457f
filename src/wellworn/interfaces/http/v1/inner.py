"""The inner functions as routes: think, retrieve, highways. Agents talk to /memory instead.

The specification wants them out of the API's documents; tools of this project call them.

Source: thought tracing v0.2.0, section 4.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from wellworn.domain.memory import Retrieval
from wellworn.domain.thoughts import Road
from wellworn.interfaces.http import rendering
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.replies import DecayReply, FoundReply, HighwayReply, ThinkReply
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.wire import RetrieveRequest, ThinkRequest

router = APIRouter(tags=["internal"])


@router.post("/think", response_model=ThinkReply, responses=failures(400, 404, 413, 415))
def think(body: ThinkRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Store a thought."""
    outcome = app.think(access, body.to_draft())
    return JSONResponse(
        {
            "thought_id": outcome.thought_id,
            "pheromone_weight": rendering.weight(outcome.pheromone_weight),
        }
    )


@router.post("/retrieve", response_model=list[FoundReply], responses=failures(400, 404, 413, 415))
def retrieve(body: RetrieveRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Search and wear the trails of what is found."""
    fields = body.model_dump(exclude={"explain"})
    found = app.retrieve(access, Retrieval(**fields))
    return JSONResponse(rendering.found(found, explain=body.explain))


@router.get("/highways", response_model=list[HighwayReply], responses=failures(400))
def highways(
    app: Opened,
    access: Allowed,
    *,
    min_access: Annotated[int, Query(ge=0, le=2**31)] = 3,
    min_users: Annotated[int, Query(ge=0, le=2**31)] = 2,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    sort_by: Road = Road.TRAFFIC,
) -> JSONResponse:
    """Return what several agents keep coming back to."""
    roads = app.highways(
        access, min_access=min_access, min_users=min_users, limit=limit, sort_by=sort_by
    )
    return JSONResponse([rendering.highway(road) for road in roads])


@router.post("/maintenance/decay", response_model=DecayReply, responses=failures())
def decay(app: Opened, access: Allowed) -> JSONResponse:
    """Settle every stored weight; reading never needs it."""
    return JSONResponse({"settled": app.settle(access)})
