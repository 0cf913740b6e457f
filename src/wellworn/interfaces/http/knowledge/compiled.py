"""What was compiled of documents, over HTTP: terms resolved, facts traced, artifacts read."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from wellworn.client.models import Answer, Artifact, Artifacts, Compiled, Fact, Facts
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import ArtifactName
from wellworn.domain.spaces import Role
from wellworn.interfaces.fields import Name, Note
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.knowledge.wire import AliasRequest, CompileRequest, ResolveRequest
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.v1.documented import failures

router = create_router("knowledge", prefix=KNOWLEDGE_PREFIX)

MARKDOWN = "text/markdown"
JSON = "application/json"

_SCHEMAS = {MARKDOWN: {"type": "string"}, JSON: {"type": "object"}}
_Term = Annotated[Name, Query(description="A name, such as `cube`.")]
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


@router.post("/aliases", responses=failures(400, 404, 413, 415))
def learn(body: AliasRequest, app: Opened, access: Allowed) -> Answer:
    """Store what the caller says a term stands for; return what it resolves to now."""
    with app.call(access, Action.KNOWLEDGE_DECIDED, Role.CONTRIBUTOR) as call:
        return Answer.of(call.services.discovery.learn(call.access, body.term, body.citation))


@router.get("/provenance", responses=failures(400, 404))
def trace_facts(
    term: _Term,
    app: Opened,
    access: Allowed,
    fact_type: Annotated[
        Name | None, Query(description="Only facts of this type, such as `ip`.")
    ] = None,
) -> Facts:
    """Return every fact about a term, each with its place in a document."""
    values = app.trace_facts(access, term, fact_type=fact_type)
    return Facts(term=term, values=tuple(map(Fact.of, values)))


@router.get("/artifacts", responses=failures(404))
def list_artifacts(app: Opened, access: Allowed) -> Artifacts:
    """List the virtual files that agents read first."""
    files = [app.read_artifact(access, name) for name in ArtifactName]
    return Artifacts(artifacts=tuple(map(Artifact.of, files)))


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
