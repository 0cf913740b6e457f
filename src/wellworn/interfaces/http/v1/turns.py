"""Turns over HTTP: asked, followed while they are worked on, resumed, read, listed and removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import Path, Request
from fastapi.responses import Response, StreamingResponse

from wellworn.client import models as shapes
from wellworn.client.calls import TurnCalls
from wellworn.client.fields import Uuid
from wellworn.domain.turns import Evidence
from wellworn.interfaces.event_stream import EVENTS
from wellworn.interfaces.http.access import Allowed, Caller, Opened
from wellworn.interfaces.http.routing import create_router, format_id
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.http.v1.turn_events import answer_turn
from wellworn.interfaces.http.wire import IdempotencyKey
from wellworn.interfaces.turn_requests import (
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


@serve(router, TurnCalls.rebuild_turns)
def rebuild(app: Opened, access: Allowed) -> object:
    return app.turns.rebuild_index(access)


@router.post("/turns/open", status_code=_CREATED, responses=failures(400, 404, 413, 415))
def open_turn(body: OpenTurnRequest, app: Opened, access: Allowed) -> shapes.Turn:
    """Open a turn that an agent works on by itself. It is found and read like any other."""
    return shapes.Turn.of(app.turns.open(access, body.to_query()))


@serve(router, TurnCalls.archive_turns)
def archive(
    app: Opened, access: Allowed, before: str, *, agent_id: str | None, dry_run: bool
) -> object:
    moment = from_iso(before)
    turns = app.turns.archive(access, agent_id=agent_id, before=moment, dry_run=dry_run)
    return {"turns": turns, "dry_run": dry_run}


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


@serve(router, TurnCalls.list_turns)
def list_turns(app: Opened, access: Allowed, *, limit: int, archived: bool, **asked: Any) -> object:
    turns = app.turns.list_turns(access, limit=limit + 1, is_archived=archived, **asked)
    page = turns[:limit]
    return {"turns": page, "next_before": page[-1].id if len(turns) > limit else None}


@serve(router, TurnCalls.list_research)
def list_research(app: Opened, access: Allowed, **asked: Any) -> object:
    documents = app.turns.list_research(access, **asked)
    return [shapes.ResearchDocument.of(each, status=state) for each, state in documents]


@serve(router, TurnCalls.get_turn_statistics)
def read_statistics(app: Opened, access: Allowed, **asked: Any) -> object:
    newest, sites = app.turns.read_statistics(access, **asked)
    return shapes.TurnStatistics(
        days=tuple(map(shapes.DayOfTurns.of, newest)),
        sites=tuple(shapes.VisitedSite.of(record, site=site) for site, record in sites.items()),
    )


@serve(router, TurnCalls.get_turn)
def read(app: Opened, access: Allowed, turn_id: str) -> object:
    return app.turns.read(access, turn_id)


@router.post(f"{_TURN}/resume", response_model=shapes.TurnAnswer, responses=_document_answer(_OK))
async def resume(
    turn_id: TurnId, app: Opened, access: Allowed, request: Request, caller: Caller
) -> shapes.TurnAnswer | StreamingResponse:
    """Resume an interrupted turn from its last finished phase. One that is over is returned."""
    work = partial(app.turns.resume, access, turn_id)
    return await answer_turn(request, work, caller)


@serve(router, TurnCalls.restore_turn)
def restore(app: Opened, access: Allowed, turn_id: str) -> object:
    return app.turns.restore(access, turn_id)


@serve(router, TurnCalls.list_turn_files)
def list_files(app: Opened, access: Allowed, turn_id: str) -> object:
    return {"turn_id": turn_id, "files": app.turns.list_files(access, turn_id)}


@router.get(
    f"{_TURN}/files/{{path:path}}",
    response_class=Response,
    responses={**failures(400, 404), 200: {"content": _FILES, "description": "The file."}},
)
def read_file(turn_id: TurnId, path: FilePath, app: Opened, access: Allowed) -> Response:
    """Return a file of a turn, such as `context.md`."""
    text = app.turns.read_file(access, turn_id, path)
    if is_picture(path):
        return Response(decode_file(path, text), media_type=_PNG)
    text = neutralise_file(path, text)
    return Response(text, media_type=_JSON if path.endswith(".json") else _MARKDOWN)


@serve(router, TurnCalls.delete_turn)
def remove(app: Opened, access: Allowed, turn_id: str) -> object:
    app.turns.remove(access, turn_id)
    return turn_id
