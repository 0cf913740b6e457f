"""Sources over HTTP: kept, changed, synced, given files."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from anyio import Semaphore, WouldBlock, move_on_after, sleep
from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from wellworn.application.calls import App, PendingSync
from wellworn.client.models import (
    KnowledgeSource,
    KnowledgeSources,
    Progress,
    Removed,
    SecretsTaken,
    SecretTaken,
    ShownSource,
    SyncRun,
    SyncRuns,
)
from wellworn.domain.audit import Action
from wellworn.domain.sources import Source, SyncStatus
from wellworn.domain.sources import SyncRun as Run
from wellworn.domain.spaces import Role
from wellworn.engines.jobs import describe_schedule
from wellworn.engines.slots import give_back_slot
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.gate import LONGEST_UPLOAD
from wellworn.interfaces.http.knowledge.fields import FilePath, SourceId
from wellworn.interfaces.http.knowledge.wire import SourceChangesRequest, SourceRequest, SyncRequest
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["sources"])

_ANY_FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_GOES_ON = "It goes on; look at the source's runs."
_ACCEPTED = 202
_LONGEST_WAIT_S = 600.0
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5
_NO_TYPE = frozenset({"", "application/octet-stream", "application/x-www-form-urlencoded"})
"""What clients say of a file that they know nothing of."""


@router.post("/sources", responses=failures(400, 404, 413, 415))
def create(body: SourceRequest, app: Opened, access: Allowed) -> KnowledgeSource:
    """Keep a new source; nothing is fetched before its first sync."""
    with app.call(access, Action.SOURCE_CREATED, Role.ADMIN) as call:
        source = call.services.sources.create(call.access, body.to_source())
        call.touch([str(source.id)])
    return _describe(source)


@router.get("/sources", responses=failures(404))
def list_sources(app: Opened, access: Allowed) -> KnowledgeSources:
    """List the sources that the caller may see."""
    with app.call(access, Action.SOURCE_READ) as call:
        sources = call.services.sources.list_sources(call.access)
    return KnowledgeSources(sources=tuple(map(_describe, sources)))


@router.get("/sources/{source_id}", responses=failures(400, 404))
def show(source_id: SourceId, app: Opened, access: Allowed) -> ShownSource:
    """Show a source and how its last sync went, or how far one that runs has come."""
    with app.call(access, Action.SOURCE_READ, targets=[str(source_id)]) as call:
        source = call.services.sources.get_source(call.access, source_id)
        is_syncing = source.sync_status is SyncStatus.SYNCING
        progress = call.services.sources.get_progress(source_id) if is_syncing else None
    shown = Progress(done=progress[0], total=progress[1]) if progress else None
    return ShownSource.of(source, schedule_in_words=_schedule(source), progress=shown)


@router.put("/sources/{source_id}", responses=failures(400, 404, 413, 415))
def change(
    source_id: SourceId, body: SourceChangesRequest, app: Opened, access: Allowed
) -> KnowledgeSource:
    """Change what is set of a source; its documents stay until its next sync."""
    with app.call(access, Action.SOURCE_CHANGED, Role.ADMIN, targets=[str(source_id)]) as call:
        source = call.services.sources.change(call.access, source_id, body.to_changes())
    return _describe(source)


@router.delete("/sources/{source_id}", responses=failures(400, 404))
def remove(source_id: SourceId, app: Opened, access: Allowed) -> Removed:
    """Remove a source with all its documents and what was learned of them."""
    return Removed(deleted=source_id, documents=app.syncs.remove_source(access, source_id))


@router.post(
    "/sources/{source_id}/sync",
    responses={
        202: {"model": SyncRun, "description": _GOES_ON},
        **failures(400, 404, 409, 413, 415),
    },
)
async def sync(
    source_id: SourceId,
    app: Opened,
    access: Allowed,
    *,
    request: Request,
    response: Response,
    body: SyncRequest | None = None,
) -> SyncRun:
    """Bring a source up to date; answers when that is done, or 202 while it goes on."""
    confirmed = body is not None and body.confirm
    outcome = await run_in_threadpool(
        app.syncs.request_sync, access, source_id, confirmed=confirmed
    )
    waiters: Semaphore = request.app.state.sync_waiters
    with suppress(WouldBlock):
        waiters.acquire_nowait()
        try:
            give_back_slot(request.scope)
            outcome = await _follow(app, outcome)
        finally:
            waiters.release()
    if isinstance(outcome, PendingSync):
        response.status_code = _ACCEPTED
        outcome = await run_in_threadpool(app.syncs.describe, outcome)
    return SyncRun.of(outcome)


async def _follow(app: App, outcome: Run | PendingSync) -> Run | PendingSync:
    """Wait for a sync without a thread; return what it is when it ends, or when the time does."""
    pause_s = _SHORTEST_PAUSE_S
    with move_on_after(_LONGEST_WAIT_S):
        while isinstance(outcome, PendingSync) and not app.jobs.is_leaving:
            await sleep(pause_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)
            outcome = await run_in_threadpool(app.syncs.look_at, outcome)
    return outcome


@router.get("/sources/{source_id}/runs", responses=failures(400, 404))
def list_runs(
    source_id: SourceId,
    app: Opened,
    access: Allowed,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> SyncRuns:
    """List the last syncs of a source, newest first."""
    with app.call(access, Action.SOURCE_READ, targets=[str(source_id)]) as call:
        runs = call.services.sources.list_runs(call.access, source_id, limit=limit)
    return SyncRuns(runs=tuple(map(SyncRun.of, runs)))


@router.get("/sources/{source_id}/secrets", responses=failures(400, 404))
def list_secrets(source_id: SourceId, app: Opened, access: Allowed) -> SecretsTaken:
    """List where secrets were taken out of a source's documents, for an admin to end them."""
    with app.call(access, Action.SOURCE_READ, Role.ADMIN, targets=[str(source_id)]) as call:
        notes = call.services.sources.list_secret_notes(call.access, source_id)
    return SecretsTaken(secrets=tuple(map(SecretTaken.of, notes)))


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as it came, and what its sender says it is."""

    raw: bytes
    media_type: str | None


async def _read_file(request: Request) -> Sent:
    """Return the body unread: the framework would take a JSON file for an argument."""
    stated = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Sent(await request.body(), None if stated in _NO_TYPE else stated)


@router.put(
    "/sources/{source_id}/files/{path:path}",
    responses=failures(400, 404, 409, 413),
    max_body_size=LONGEST_UPLOAD,
    openapi_extra={"requestBody": {"required": True, "content": _ANY_FILE}},
)
def upload(
    source_id: SourceId,
    path: FilePath,
    app: Opened,
    access: Allowed,
    sent: Annotated[Sent, Depends(_read_file)],
) -> SyncRun:
    """Take one file, the body itself, into a source of uploads; the same path replaces it."""
    return SyncRun.of(
        app.syncs.upload(access, source_id, path, sent.raw, media_type=sent.media_type)
    )


def _describe(source: Source) -> KnowledgeSource:
    return KnowledgeSource.of(source, schedule_in_words=_schedule(source))


def _schedule(source: Source) -> str | None:
    return describe_schedule(source.sync_schedule) if source.sync_schedule else None
