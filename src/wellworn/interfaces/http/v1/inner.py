"""The inner functions as routes: think, retrieve, highways. Agents talk to /memory instead.

The specification wants them out of the API's documents; tools of this project call them.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from wellworn.client.models import Highway, Retrieved, Settled, Stored
from wellworn.domain.audit import Action
from wellworn.domain.memory import Retrieval
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import HighwayOrder
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.wire import RetrieveRequest, ThinkRequest

router = create_router("internal")


@router.post("/think", responses=failures(400, 404, 413, 415))
def think(body: ThinkRequest, app: Opened, access: Allowed) -> Stored:
    """Store a thought."""
    return Stored.of(app.think(access, body.to_draft()))


@router.post("/retrieve", responses=failures(400, 404, 413, 415))
def retrieve(body: RetrieveRequest, app: Opened, access: Allowed) -> list[Retrieved]:
    """Search, and strengthen the trails of what is found."""
    fields = body.model_dump(exclude={"explain"})
    thoughts = app.retrieve(access, Retrieval(**fields))
    if body.explain:
        return [Retrieved.of(thought, why=thought.parts) for thought in thoughts]
    return [Retrieved.of(thought, why=None, rank_score=None) for thought in thoughts]


@router.get("/highways", responses=failures(400))
def list_highways(
    app: Opened,
    access: Allowed,
    *,
    min_access: Annotated[int, Query(ge=0, le=2**31)] = 3,
    min_users: Annotated[int, Query(ge=0, le=2**31)] = 2,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    sort_by: HighwayOrder = HighwayOrder.USE,
) -> list[Highway]:
    """Return the thoughts that several agents keep coming back to."""
    with app.call(access, Action.THOUGHT_LISTED) as call:
        highways = call.services.thoughts.list_highways(
            call.access, min_access=min_access, min_users=min_users, limit=limit, sort_by=sort_by
        )
    return list(map(Highway.of, highways))


@router.post("/maintenance/decay", responses=failures())
def settle(app: Opened, access: Allowed) -> Settled:
    """Store the faded weight of every thought. Reading never needs it."""
    with app.call(access, Action.SPACE_CHANGED, Role.ADMIN) as call:
        return Settled(settled=call.services.thoughts.settle(call.access))
