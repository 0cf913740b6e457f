"""What was compiled of documents, over HTTP: terms resolved, facts traced, artifacts read."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from wellworn.domain.knowledge import ArtifactName
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.fields import Name, Note
from wellworn.interfaces.http.knowledge import answer_replies as replies
from wellworn.interfaces.http.knowledge.wire import AliasRequest, CompileRequest, ResolveRequest
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["knowledge"])

MARKDOWN = "text/markdown"
JSON = "application/json"

_SCHEMAS = {MARKDOWN: {"type": "string"}, JSON: {"type": "object"}}
_Term = Annotated[Name, Query(description="A name, such as `cube`.")]


def _told(*types: str) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of an answer that is a text."""
    content = {kind: {"schema": _SCHEMAS[kind]} for kind in types}
    return {200: {"content": content, "description": "The text."}}


@router.get("/resolve", response_model=replies.AnswerReply, responses=failures(400, 404))
def resolve(
    term: _Term,
    app: Opened,
    access: Allowed,
    context: Annotated[Note, Query(description="What it is asked for; parts namesakes.")] = "",
    agent_id: Annotated[str, Query(max_length=100, description="Who asks.")] = "",
) -> JSONResponse:
    """Return what a term stands for, with spans; or the one question to ask, never a guess."""
    found = app.knowing.resolve(access, term, context=context, agent_id=agent_id)
    return JSONResponse(replies.answer(found))


@router.post("/resolve", response_model=replies.AnswerReply, responses=failures(400, 404, 413, 415))
def resolve_in_body(body: ResolveRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Do the same, with the term in the body."""
    found = app.knowing.resolve(
        access, body.term, context=body.context, agent_id=body.agent_id, learn=body.learn
    )
    return JSONResponse(replies.answer(found))


@router.post("/aliases", response_model=replies.AnswerReply, responses=failures(400, 404, 413, 415))
def learn(body: AliasRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Take the caller's word for what a term stands for; return what it resolves to now."""
    return JSONResponse(replies.answer(app.knowing.learn(access, body.term, body.citation)))


@router.get("/provenance", response_model=replies.ProvenanceReply, responses=failures(400, 404))
def provenance(
    term: _Term,
    app: Opened,
    access: Allowed,
    fact_type: Annotated[
        Name | None, Query(description="Only facts of this type, such as `ip`.")
    ] = None,
) -> JSONResponse:
    """Return every value known of a term, each with where it stands."""
    found = app.knowing.provenance(access, term, fact_type=fact_type)
    return JSONResponse({"term": term, "values": [replies.fact(one) for one in found]})


@router.get("/artifacts", response_model=replies.ArtifactsReply, responses=failures(404))
def artifacts(app: Opened, access: Allowed) -> JSONResponse:
    """List the virtual files that agents read first."""
    found = [app.knowing.artifact(access, name) for name in ArtifactName]
    return JSONResponse({"artifacts": [replies.artifact(one) for one in found]})


@router.get(
    "/artifacts/{name}",
    response_class=Response,
    responses={**failures(400, 404), **_told(MARKDOWN, JSON)},
)
def artifact(name: ArtifactName, app: Opened, access: Allowed) -> Response:
    """Return one of them as it is, compiled anew when it is out of date."""
    kind = JSON if name is ArtifactName.ALIASES else MARKDOWN
    return Response(app.knowing.artifact(access, name).content, media_type=kind)


@router.get(
    "/preamble", response_class=Response, responses={**failures(400, 404), **_told(MARKDOWN)}
)
def preamble(
    app: Opened,
    access: Allowed,
    budget_tokens: Annotated[
        int, Query(ge=100, le=100_000, description="The catalog is left out if it does not fit.")
    ] = 2_000,
) -> Response:
    """Return what an agent is told about knowledge, to be put before its task."""
    said = app.knowing.preamble(access, budget_tokens=budget_tokens)
    return Response(said, media_type=MARKDOWN)


@router.post(
    "/compile", response_model=replies.CompiledReply, responses=failures(400, 404, 413, 415)
)
def compile_now(app: Opened, access: Allowed, body: CompileRequest | None = None) -> JSONResponse:
    """Bring what is compiled up to date now; every sync does so, too."""
    all_anew = body is not None and body.all_anew
    return JSONResponse(replies.compiled(app.knowing.compile(access, all_anew=all_anew)))
