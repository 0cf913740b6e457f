"""Turns over HTTP: asked, followed while they are worked on, resumed, read, listed and removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from wellworn.client import models as shapes
from wellworn.domain.turns import Evidence
from wellworn.interfaces.fields import AgentId, IdempotencyKey, Uuid
from wellworn.interfaces.http.access import Allowed, Caller, Opened
from wellworn.interfaces.http.path_ids import format_id
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.v1.turn_events import EVENTS, answer_turn
from wellworn.interfaces.turn_requests import (
    ArchiveRequest,
    CloseTurnRequest,
    EntriesRequest,
    OpenTurnRequest,
    TurnRequest,
)
from wellworn.kit.clock import from_iso
from wellworn.kit.neutralising import neutralise_file
from wellworn.kit.pictures import decode_file, is_picture

router = create_router("turns")

TurnId = Annotated[Uuid, Path(description="UUID of a turn.")]
OpenId = Annotated[Uuid, Path(description="UUID of a turn that its agent works on by itself.")]
FilePath = Annotated[
    str, Path(min_length=1, max_length=1_000, description="Path of a file in the turn's folder.")
]
_TURN, _OPEN = f"/turns/{format_id('turn_id')}", f"/turns/{format_id('open_id')}"
_CREATED, _OK = 201, 200
_JSON, _MARKDOWN, _PNG = "application/json", "text/markdown", "image/png"
_STREAM = {"schema": {"type": "string", "description": "Server-sent events."}}
_TEXT = {"schema": {"type": "string"}}
_OBJECT = {"schema": {"type": "object"}}
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_FILES = {_MARKDOWN: _TEXT, _JSON: _OBJECT, _PNG: _BYTES}


def _document_answer(status: int, *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documented answers of a route that works on a turn."""
    content = {
        "model": shapes.TurnAnswer,
        "content": {EVENTS: _STREAM},
        "description": "The answer.",
    }
    return {status: content, **failures(400, 404, *statuses, 415)}


@router.post(
    "/turns",
    status_code=_CREATED,
    response_model=shapes.TurnAnswer,
    responses=_document_answer(_CREATED, 413),
)
async def ask(
    body: TurnRequest,
    app: Opened,
    access: Allowed,
    request: Request,
    *,
    caller: Caller,
    idempotency_key: IdempotencyKey = None,
) -> shapes.TurnAnswer | StreamingResponse:
    """Answer a question in a turn: in phases, from what is known, with its sources.

    With `Accept: text/event-stream` each phase is told as it begins and ends.
    """
    query = replace(body.to_query(), key=idempotency_key)
    work = partial(app.turns.ask, access, query)
    return await answer_turn(request, work, caller)


@router.post("/turns/rebuild", responses=failures())
def rebuild(app: Opened, access: Allowed) -> shapes.IndexedTurns:
    """Rebuild the index of turns from their files."""
    return shapes.IndexedTurns(indexed=app.turns.rebuild_index(access))


@router.post("/turns/open", status_code=_CREATED, responses=failures(400, 404, 413, 415))
def open_turn(body: OpenTurnRequest, app: Opened, access: Allowed) -> shapes.Turn:
    """Open a turn that an agent works on by itself. It is found and read like any other."""
    return shapes.Turn.of(app.turns.open(access, body.to_query()))


@router.post("/turns/archive", responses=failures(400, 404, 413, 415))
def archive(body: ArchiveRequest, app: Opened, access: Allowed) -> shapes.ArchivedTurns:
    """Archive turns that ended long ago, so that later turns do not search them."""
    moment = from_iso(body.before)
    turns = app.turns.archive(access, agent_id=body.agent_id, before=moment, dry_run=body.dry_run)
    return shapes.ArchivedTurns(turns=tuple(map(shapes.Turn.of, turns)), dry_run=body.dry_run)


@router.post(f"{_OPEN}/entries", responses=failures(400, 404, 413, 415))
def append(
    open_id: OpenId,
    body: EntriesRequest,
    app: Opened,
    access: Allowed,
    *,
    idempotency_key: IdempotencyKey = None,
) -> shapes.CitableSources:
    """Append tool results and notes; return what can be cited, each with its number."""
    entries = [entry.to_entry() for entry in body.entries]
    evidence = app.turns.append(access, open_id, entries, idempotency_key)
    return shapes.CitableSources(sources=_list_sources(evidence))


@router.post(f"{_OPEN}/close", responses=failures(400, 404, 413, 415))
def close(
    open_id: OpenId, body: CloseTurnRequest, app: Opened, access: Allowed
) -> shapes.TurnAnswer:
    """Close a turn with its answer. Its claims are checked; one without a source is marked."""
    claims = [claim.to_claim() for claim in body.claims]
    return shapes.TurnAnswer.of(app.turns.close(access, open_id, body.answer, claims))


def _list_sources(evidence: Sequence[Evidence]) -> tuple[shapes.TurnSource, ...]:
    return tuple(map(shapes.TurnSource.of, evidence))


@router.get("/turns", responses=failures(400, 404))
def list_turns(
    app: Opened,
    access: Allowed,
    *,
    agent_id: Annotated[AgentId | None, Query(description="Only what this agent asked.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    before: Annotated[Uuid | None, Query(description="`next_before` of the page before.")] = None,
    archived: Annotated[bool, Query(description="List the archived turns instead.")] = False,
) -> shapes.TurnList:
    """List turns, newest first: a member's own, or at the open door those of an agent or of all."""
    turns = app.turns.list_turns(
        access, agent_id=agent_id, limit=limit + 1, before=before, is_archived=archived
    )
    page = turns[:limit]
    return shapes.TurnList(
        turns=tuple(map(shapes.Turn.of, page)),
        next_before=page[-1].id if len(turns) > limit else None,
    )


@router.get("/turns/research", responses=failures(400))
def list_research(
    app: Opened,
    access: Allowed,
    *,
    agent_id: Annotated[
        AgentId | None, Query(description="Only what this agent's turns read.")
    ] = None,
    topic: Annotated[
        str | None,
        Query(min_length=1, max_length=200, description="Only on this topic or a part of it."),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> shapes.ResearchList:
    """List what turns read on the web, newest first, with the state of each document."""
    documents = app.turns.list_research(access, agent_id=agent_id, topic=topic, limit=limit)
    return shapes.ResearchList(
        documents=tuple(shapes.ResearchDocument.of(each, status=state) for each, state in documents)
    )


@router.get("/turns/statistics", responses=failures(400))
def read_statistics(
    app: Opened,
    access: Allowed,
    *,
    agent_id: Annotated[AgentId | None, Query(description="Only turns of this agent.")] = None,
    days: Annotated[int, Query(ge=1, le=366, description="Most days with turns.")] = 30,
) -> shapes.TurnStatistics:
    """Return daily totals of turns, and how visits to sites went."""
    newest, sites = app.turns.read_statistics(access, agent_id=agent_id, days=days)
    return shapes.TurnStatistics(
        days=tuple(map(shapes.DayOfTurns.of, newest)),
        sites=tuple(shapes.VisitedSite.of(record, site=site) for site, record in sites.items()),
    )


@router.get(_TURN, responses=failures(400, 404))
def read(turn_id: TurnId, app: Opened, access: Allowed) -> shapes.TurnAnswer:
    """Return the outcome of a turn, or how far it is."""
    return shapes.TurnAnswer.of(app.turns.read(access, turn_id))


@router.post(f"{_TURN}/resume", response_model=shapes.TurnAnswer, responses=_document_answer(_OK))
async def resume(
    turn_id: TurnId, app: Opened, access: Allowed, request: Request, caller: Caller
) -> shapes.TurnAnswer | StreamingResponse:
    """Resume an interrupted turn from its last finished phase. One that is over is returned."""
    work = partial(app.turns.resume, access, turn_id)
    return await answer_turn(request, work, caller)


@router.post(f"{_TURN}/restore", responses=failures(400, 404, 413, 415))
def restore(turn_id: TurnId, app: Opened, access: Allowed) -> shapes.Turn:
    """Restore an archived turn. One that is not archived is returned as it is."""
    return shapes.Turn.of(app.turns.restore(access, turn_id))


@router.get(f"{_TURN}/files", responses=failures(400, 404))
def list_files(turn_id: TurnId, app: Opened, access: Allowed) -> shapes.TurnFiles:
    """List the files of a turn."""
    return shapes.TurnFiles(turn_id=turn_id, files=tuple(app.turns.list_files(access, turn_id)))


@router.get(
    f"{_TURN}/files/{{path:path}}",
    response_class=Response,
    responses={
        **failures(400, 404),
        200: {"content": _FILES, "description": "The file."},
    },
)
def read_file(turn_id: TurnId, path: FilePath, app: Opened, access: Allowed) -> Response:
    """Return a file of a turn, such as `context.md`."""
    text = app.turns.read_file(access, turn_id, path)
    if is_picture(path):
        return Response(decode_file(path, text), media_type=_PNG)
    text = neutralise_file(path, text)
    return Response(text, media_type=_JSON if path.endswith(".json") else _MARKDOWN)


@router.delete(_TURN, responses=failures(400, 404, 413, 415))
def remove(turn_id: TurnId, app: Opened, access: Allowed) -> shapes.RemovedTurn:
    """Delete a turn and its files."""
    app.turns.remove(access, turn_id)
    return shapes.RemovedTurn(removed=turn_id)
