"""Terms over HTTP: resolved, traced to their documents, read in artifacts, and decided on."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from wellworn.application.calls import CallContext
from wellworn.client.calls import KnowledgeCalls
from wellworn.client.fields import Name, Note
from wellworn.client.models import Answer, Compiled
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import ArtifactName, NameVerdict
from wellworn.domain.spaces import Role
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.knowledge.wire import CompileRequest, ResolveRequest
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.serving import failures, serve

router = create_router("knowledge", prefix=KNOWLEDGE_PREFIX)

MARKDOWN = "text/markdown"
JSON = "application/json"

_SCHEMAS = {MARKDOWN: {"type": "string"}, JSON: {"type": "object"}}
_NameOrQuestion = Annotated[
    Name, Query(description="A name, or a question: `cube`, `cube ip address`.")
]


def _describe_text(*types: str) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of an answer that is a text."""
    content = {kind: {"schema": _SCHEMAS[kind]} for kind in types}
    return {200: {"content": content, "description": "The text."}}


@router.get("/resolve", responses=failures(400, 404))
def resolve(
    term: _NameOrQuestion,
    app: Opened,
    access: Allowed,
    context: Annotated[
        Note, Query(description="What it is asked for; tells namesakes apart.")
    ] = "",
    agent_id: Annotated[str, Query(max_length=100, description="Who asks.")] = "",
) -> Answer:
    """Resolve a term to what it stands for, with its evidence, or return one question to ask."""
    return Answer.of(app.resolve(access, term, context=context, agent_id=agent_id))


@router.post("/resolve", responses=failures(400, 404, 413, 415))
def resolve_in_body(body: ResolveRequest, app: Opened, access: Allowed) -> Answer:
    """Resolve a term that is sent in the body."""
    return Answer.of(app.resolve(access, **body.model_dump()))


@serve(router, KnowledgeCalls.teach, Action.KNOWLEDGE_DECIDED, Role.CONTRIBUTOR)
def learn(call: CallContext, term: str, citation: str) -> object:
    return call.services.discovery.learn(call.access, term, citation)


@serve(router, KnowledgeCalls.facts)
def trace_facts(app: Opened, access: Allowed, term: str, fact_type: str | None) -> object:
    values = app.trace_facts(access, term, fact_type=fact_type)
    return {"term": term, "values": values}


@serve(router, KnowledgeCalls.artifacts)
def list_artifacts(app: Opened, access: Allowed) -> object:
    return [app.read_artifact(access, name) for name in ArtifactName]


@router.get(
    "/artifacts/{name}",
    response_class=Response,
    responses={**failures(400, 404), **_describe_text(MARKDOWN, JSON)},
)
def read_artifact(name: ArtifactName, app: Opened, access: Allowed) -> Response:
    """Return a virtual file, compiled again if it is out of date."""
    kind = JSON if name is ArtifactName.ALIASES else MARKDOWN
    return Response(app.read_artifact(access, name).content, media_type=kind)


@router.get(
    "/preamble",
    response_class=Response,
    responses={**failures(400, 404), **_describe_text(MARKDOWN)},
)
def read_preamble(
    app: Opened,
    access: Allowed,
    budget_tokens: Annotated[
        int, Query(ge=100, le=100_000, description="The catalog is left out if it does not fit.")
    ] = 2_000,
) -> Response:
    """Return what an agent needs to know about the knowledge, to put before its task."""
    preamble = app.read_preamble(access, budget_tokens=budget_tokens)
    return Response(preamble, media_type=MARKDOWN)


@router.post("/compile", responses=failures(400, 404, 413, 415))
def compile_now(app: Opened, access: Allowed, body: CompileRequest | None = None) -> Compiled:
    """Update the compiled knowledge now. Every sync does so as well."""
    all_anew = body is not None and body.all_anew
    with app.call(access, Action.KNOWLEDGE_COMPILED, Role.CONTRIBUTOR) as call:
        return Compiled.of(call.services.discovery.compile(call.access, all_anew=all_anew))


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
