"""Sources over HTTP: kept, changed, synced, given files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse

from wellworn.domain.sources import SyncStatus
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.gate import LONGEST_UPLOAD
from wellworn.interfaces.http.knowledge import source_replies as replies
from wellworn.interfaces.http.knowledge.fields import FilePath, SourceId
from wellworn.interfaces.http.knowledge.wire import SourceChangesRequest, SourceRequest, SyncRequest
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["sources"])

_ANY_FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_NO_TYPE = frozenset({"", "application/octet-stream", "application/x-www-form-urlencoded"})
"""What clients say of a file that they know nothing of."""


@router.post("/sources", response_model=replies.SourceReply, responses=failures(400, 404, 413, 415))
def create(body: SourceRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Keep a new source; nothing is fetched before its first sync."""
    return JSONResponse(replies.source(app.knowing.create_source(access, body.to_source())))


@router.get("/sources", response_model=replies.SourcesReply, responses=failures(404))
def listed(app: Opened, access: Allowed) -> JSONResponse:
    """List the sources that the caller may see."""
    return JSONResponse({"sources": [replies.source(one) for one in app.knowing.sources(access)]})


@router.get("/sources/{source_id}", response_model=replies.ShownReply, responses=failures(400, 404))
def shown(source_id: SourceId, app: Opened, access: Allowed) -> JSONResponse:
    """Show a source and how its last sync went, or how far one that runs has come."""
    found = app.knowing.source(access, source_id)
    is_syncing = found.sync_status is SyncStatus.SYNCING
    progress = app.knowing.progress(access, source_id) if is_syncing else None
    return JSONResponse({**replies.source(found), "progress": replies.progress(progress)})


@router.put(
    "/sources/{source_id}",
    response_model=replies.SourceReply,
    responses=failures(400, 404, 413, 415),
)
def change(
    source_id: SourceId, body: SourceChangesRequest, app: Opened, access: Allowed
) -> JSONResponse:
    """Change what is set of a source; its documents stay until its next sync."""
    changed = app.knowing.change_source(access, source_id, body.to_changes())
    return JSONResponse(replies.source(changed))


@router.delete(
    "/sources/{source_id}", response_model=replies.RemovedReply, responses=failures(400, 404)
)
def remove(source_id: SourceId, app: Opened, access: Allowed) -> JSONResponse:
    """Remove a source with all its documents and what was learned of them."""
    gone = app.knowing.remove_source(access, source_id)
    return JSONResponse({"deleted": source_id, "documents": gone})


@router.post(
    "/sources/{source_id}/sync",
    response_model=replies.RunReply,
    responses=failures(400, 404, 409, 413, 415),
)
def sync(
    source_id: SourceId, app: Opened, access: Allowed, body: SyncRequest | None = None
) -> JSONResponse:
    """Bring a source up to date; answers when that is done."""
    confirmed = body is not None and body.confirm
    return JSONResponse(
        replies.run(app.knowing.sync_source(access, source_id, confirmed=confirmed))
    )


@router.get(
    "/sources/{source_id}/runs", response_model=replies.RunsReply, responses=failures(400, 404)
)
def runs(
    source_id: SourceId,
    app: Opened,
    access: Allowed,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> JSONResponse:
    """List the last syncs of a source, newest first."""
    found = app.knowing.runs(access, source_id, limit=limit)
    return JSONResponse({"runs": [replies.run(one) for one in found]})


@router.get(
    "/sources/{source_id}/secrets",
    response_model=replies.SecretsReply,
    responses=failures(400, 404),
)
def secrets(source_id: SourceId, app: Opened, access: Allowed) -> JSONResponse:
    """List where secrets were taken out of a source's documents, for an admin to end them."""
    found = app.knowing.secret_notes(access, source_id)
    return JSONResponse({"secrets": [replies.secret(one) for one in found]})


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as it came, and what its sender says it is."""

    raw: bytes
    media_type: str | None


async def _sent(request: Request) -> Sent:
    """Return the body unread: the framework would take a JSON file for an argument."""
    stated = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Sent(await request.body(), None if stated in _NO_TYPE else stated)


@router.put(
    "/sources/{source_id}/files/{path:path}",
    response_model=replies.RunReply,
    responses=failures(400, 404, 409, 413),
    max_body_size=LONGEST_UPLOAD,
    openapi_extra={"requestBody": {"required": True, "content": _ANY_FILE}},
)
def upload(
    source_id: SourceId,
    path: FilePath,
    app: Opened,
    access: Allowed,
    sent: Annotated[Sent, Depends(_sent)],
) -> JSONResponse:
    """Take one file, the body itself, into a source of uploads; the same path replaces it."""
    run = app.knowing.upload(access, source_id, path, sent.raw, media_type=sent.media_type)
    return JSONResponse(replies.run(run))
