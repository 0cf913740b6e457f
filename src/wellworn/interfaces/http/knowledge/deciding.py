"""What people decide about knowledge, over HTTP: conflicts, pins; and what is left to decide."""

from __future__ import annotations

from wellworn.application.calls import CallContext
from wellworn.client.calls import KnowledgeCalls
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import NameVerdict
from wellworn.domain.spaces import Role
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.serving import serve

router = create_router("knowledge", prefix=KNOWLEDGE_PREFIX)


@serve(router, KnowledgeCalls.conflicts, Action.KNOWLEDGE_READ)
def list_conflicts(call: CallContext, *, closed: bool) -> object:
    return call.services.discovery.conflicts(call.access, with_closed=closed)


@serve(router, KnowledgeCalls.decide, Action.KNOWLEDGE_DECIDED, Role.ADMIN, about="conflict_id")
def decide(call: CallContext, conflict_id: int, resolution: str, reason: str) -> object:
    return call.services.discovery.decide(call.access, conflict_id, resolution, reason=reason)


@serve(router, KnowledgeCalls.name_rulings, Action.KNOWLEDGE_READ, Role.ADMIN)
def list_name_rulings(call: CallContext) -> object:
    return call.services.discovery.names.list_rulings(call.access)


@serve(router, KnowledgeCalls.rule_names, Action.KNOWLEDGE_DECIDED, Role.ADMIN)
def rule_names(
    call: CallContext, term: str, other: str | None, verdict: str, reason: str
) -> object:
    ruling = call.services.discovery.names.rule(
        call.access, term, other or term, NameVerdict(verdict), reason=reason
    )
    call.touch([str(ruling.id)])
    return ruling


@serve(router, KnowledgeCalls.undo_ruling, Action.KNOWLEDGE_DECIDED, Role.ADMIN, about="ruling_id")
def undo_name_ruling(call: CallContext, ruling_id: int) -> object:
    call.services.discovery.names.undo(call.access, ruling_id)
    return ruling_id


@serve(router, KnowledgeCalls.pins, Action.KNOWLEDGE_READ)
def list_pins(call: CallContext) -> object:
    return call.services.discovery.pins(call.access)


@serve(router, KnowledgeCalls.pin, Action.KNOWLEDGE_DECIDED, Role.ADMIN)
def pin(call: CallContext, term: str) -> object:
    return call.services.discovery.pin(call.access, term, pinned=True)


@serve(router, KnowledgeCalls.unpin, Action.KNOWLEDGE_DECIDED, Role.ADMIN)
def unpin(call: CallContext, term: str) -> object:
    return call.services.discovery.pin(call.access, term, pinned=False)


@serve(router, KnowledgeCalls.unknowns, Action.KNOWLEDGE_READ)
def list_unknowns(call: CallContext) -> object:
    return call.services.discovery.unknowns(call.access)


@serve(router, KnowledgeCalls.quality, Action.KNOWLEDGE_READ)
def measure_quality(call: CallContext) -> object:
    return call.services.discovery.quality(call.access)
