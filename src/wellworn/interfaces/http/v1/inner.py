"""The inner functions as routes: think, retrieve, highways. Agents talk to /memory instead.

The specification wants them out of the API's documents; tools of this project call them.
"""

from __future__ import annotations

from typing import Any

from wellworn.application.calls import CallContext
from wellworn.client.calls import ThoughtCalls
from wellworn.client.models import Highway, Retrieved, Stored
from wellworn.domain.audit import Action
from wellworn.domain.memory import Retrieval
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import HighwayOrder
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures, serve
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


@serve(router, ThoughtCalls.highways, Action.THOUGHT_LISTED)
def list_highways(call: CallContext, *, sort_by: str, **asked: Any) -> object:
    order = HighwayOrder(sort_by)
    highways = call.services.thoughts.list_highways(call.access, sort_by=order, **asked)
    call.touch(each.thought_id for each in highways)
    return list(map(Highway.of, highways))


@serve(router, ThoughtCalls.decay, Action.SPACE_CHANGED, Role.ADMIN)
def settle(call: CallContext) -> object:
    return call.services.thoughts.settle(call.access)
