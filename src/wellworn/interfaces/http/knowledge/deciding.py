"""What people decide about knowledge, over HTTP: conflicts, pins; and what is left to decide."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from wellworn.application.calls import App
from wellworn.client import models as shapes
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import NameVerdict
from wellworn.domain.spaces import Access, Role
from wellworn.interfaces.fields import Name
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.knowledge.fields import ConflictId, RulingId
from wellworn.interfaces.http.knowledge.wire import DecisionRequest, NameRulingRequest
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.v1.documented import failures

router = create_router("knowledge", prefix=KNOWLEDGE_PREFIX)

_Term = Annotated[Name, Path(description="The term; slashes are part of it.")]


@router.get("/conflicts", responses=failures(400, 404))
def list_conflicts(
    app: Opened,
    access: Allowed,
    *,
    closed: Annotated[
        bool, Query(description="Also those that the documents no longer contain.")
    ] = False,
) -> shapes.Conflicts:
    """List the values on which documents disagree, each with its quote, open conflicts first."""
    with app.call(access, Action.KNOWLEDGE_READ) as call:
        conflicts = call.services.discovery.conflicts(call.access, with_closed=closed)
    return shapes.Conflicts(conflicts=tuple(map(shapes.Conflict.of, conflicts)))


@router.post("/conflicts/{conflict_id}/decision", responses=failures(400, 404, 413, 415))
def decide(
    conflict_id: ConflictId, body: DecisionRequest, app: Opened, access: Allowed
) -> shapes.Conflict:
    """Settle a conflict. The decision outlives later syncs."""
    with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN, targets=[str(conflict_id)]) as call:
        decided = call.services.discovery.decide(
            call.access, conflict_id, body.resolution, reason=body.reason
        )
    return shapes.Conflict.of(decided)


@router.get("/names", responses=failures(404))
def list_name_rulings(app: Opened, access: Allowed) -> shapes.NameRulings:
    """List what was said of names, by whom, oldest first."""
    with app.call(access, Action.KNOWLEDGE_READ, Role.ADMIN) as call:
        rulings = call.services.discovery.names.list_rulings(call.access)
    return shapes.NameRulings(rulings=tuple(map(shapes.NameRuling.of, rulings)))


@router.post("/names", responses=failures(400, 404, 413, 415))
def rule_names(body: NameRulingRequest, app: Opened, access: Allowed) -> shapes.NameRuling:
    """Say that two names are of one thing, or of several; it holds after every later sync."""
    with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN) as call:
        verdict = NameVerdict(body.verdict)
        ruling = call.services.discovery.names.rule(
            call.access, body.term, body.other or body.term, verdict, reason=body.reason
        )
        call.touch([str(ruling.id)])
    return shapes.NameRuling.of(ruling)


@router.delete("/names/{ruling_id}", responses=failures(400, 404))
def undo_name_ruling(ruling_id: RulingId, app: Opened, access: Allowed) -> shapes.RulingUndone:
    """Take back what was said of names."""
    with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN, targets=[str(ruling_id)]) as call:
        call.services.discovery.names.undo(call.access, ruling_id)
    return shapes.RulingUndone(undone=ruling_id)


@router.get("/pins", responses=failures(404))
def list_pins(app: Opened, access: Allowed) -> shapes.Pins:
    """List the pinned terms, which are always hot."""
    with app.call(access, Action.KNOWLEDGE_READ) as call:
        return shapes.Pins(pins=tuple(call.services.discovery.pins(call.access)))


@router.put("/pins/{term:path}", responses=failures(400, 404))
def pin(term: _Term, app: Opened, access: Allowed) -> shapes.Pins:
    """Pin a term, so that it is always hot."""
    return _pin(term, app, access, pinned=True)


@router.delete("/pins/{term:path}", responses=failures(400, 404))
def unpin(term: _Term, app: Opened, access: Allowed) -> shapes.Pins:
    """Unpin a term, so that it is hot only on its own merit."""
    return _pin(term, app, access, pinned=False)


def _pin(term: str, app: App, access: Access, *, pinned: bool) -> shapes.Pins:
    with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN) as call:
        return shapes.Pins(
            pins=tuple(call.services.discovery.pin(call.access, term, pinned=pinned))
        )


@router.get("/unknowns", responses=failures(404))
def list_unknowns(app: Opened, access: Allowed) -> shapes.Unknowns:
    """List the terms that were asked for and that nothing explains, most wanted first."""
    with app.call(access, Action.KNOWLEDGE_READ) as call:
        unknowns = call.services.discovery.unknowns(call.access)
    return shapes.Unknowns(unknowns=tuple(map(shapes.Unknown.of, unknowns)))


@router.get("/quality", responses=failures(404))
def measure_quality(app: Opened, access: Allowed) -> shapes.Quality:
    """Measure how well the knowledge serves the space."""
    with app.call(access, Action.KNOWLEDGE_READ) as call:
        return shapes.Quality.of(call.services.discovery.quality(call.access))
