"""Sources over HTTP: created, changed, synced, given files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from starlette.concurrency import run_in_threadpool

from wellworn.application.calls import App, CallContext, PendingSync
from wellworn.client import models as shapes
from wellworn.client.calls import SourceCalls
from wellworn.domain.audit import Action
from wellworn.domain.sources import Source, SourceChanges, SyncOptions, SyncRun, SyncStatus
from wellworn.domain.spaces import Access, Role
from wellworn.engines.jobs import describe_schedule
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.gate import LONGEST_UPLOAD
from wellworn.interfaces.http.knowledge.wire import FilePath, SourceId, SourceRequest, SyncRequest
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.http.waiting import ACCEPTED, Wait, follow, run_beside, wait_in_place

router = create_router("sources", prefix=KNOWLEDGE_PREFIX)

_ANY_FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_GOES_ON = "It goes on; look at the source's runs."
_NO_TYPE = frozenset({"", "application/octet-stream", "application/x-www-form-urlencoded"})
"""Types that clients send for a file of which they know none."""


@router.post("/sources", responses=failures(400, 404, 413, 415))
def create(body: SourceRequest, app: Opened, access: Allowed) -> shapes.KnowledgeSource:
    """Add a source. Nothing is fetched before its first sync."""
    with app.call(access, Action.SOURCE_CREATED, Role.ADMIN) as call:
        source = call.services.sources.create(call.access, body.to_source())
        call.touch([str(source.id)])
    return _describe(source)


@serve(router, SourceCalls.sources, Action.SOURCE_READ)
def list_sources(call: CallContext) -> object:
    sources = call.services.sources.list_sources(call.access)
    return list(map(_describe, sources))


@serve(router, SourceCalls.source, Action.SOURCE_READ, about="source_id")
def show(call: CallContext, source_id: int) -> object:
    source = call.services.sources.get_source(call.access, source_id)
    is_syncing = source.sync_status is SyncStatus.SYNCING
    read = call.services.sources.progress.count_read(source_id) if is_syncing else None
    findable = call.services.sources.progress.count_findable(call.access, [source_id])
    return shapes.ShownSource.of(
        source,
        schedule_in_words=_schedule(source),
        progress=shapes.Progress(done=read[0], total=read[1]) if read else None,
        findable=shapes.Findable.of(findable),
    )


@serve(router, SourceCalls.change_source, Action.SOURCE_CHANGED, Role.ADMIN, about="source_id")
def change(call: CallContext, source_id: int, **changes: Any) -> object:
    source = call.services.sources.change(call.access, source_id, SourceChanges(**changes))
    return _describe(source)


@serve(router, SourceCalls.remove_source)
def remove(app: Opened, access: Allowed, source_id: int) -> object:
    return {"deleted": source_id, "documents": app.syncs.remove_source(access, source_id)}


@router.post(
    "/sources/{source_id}/sync",
    responses={
        202: {"model": shapes.SyncRun, "description": _GOES_ON},
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
    wait: Wait = "words",
    body: SyncRequest | None = None,
) -> shapes.SyncRun:
    """Sync a source. The answer comes when it is done, or with 202 while it goes on."""
    awaited = _AwaitedSync(app, access, source_id, (body or SyncRequest()).to_options())
    run, goes_on = await awaited.finish(request, wait)
    if goes_on:
        response.status_code = ACCEPTED
    return shapes.SyncRun.of(run)


class _AwaitedSync:
    """A sync whose caller waits for it, unless as many wait already as may."""

    def __init__(self, app: App, access: Access, source_id: int, options: SyncOptions) -> None:
        self._app, self._access, self._source_id = app, access, source_id
        self._options = options
        self._outcome: SyncRun | PendingSync | None = None
        self._is_embedded = False

    async def finish(self, request: Request, wait: Wait) -> tuple[SyncRun, bool]:
        """Begin the sync and wait; return its run as it is then, and whether more goes on."""
        follow_up = self._follow_words if wait == "words" else self._follow_embedding
        await wait_in_place(request, follow_up)
        outcome = self._outcome or await self._begin()
        if isinstance(outcome, PendingSync):
            return await run_in_threadpool(self._app.syncs.describe, outcome), True
        return outcome, wait == "embedded" and not self._is_embedded

    async def _begin(self) -> SyncRun | PendingSync:
        syncs = self._app.syncs
        # The first job of a process takes a second to queue.
        run = run_beside if syncs.needs_jobs(self._access) else run_in_threadpool
        request = partial(syncs.request_sync, self._access, self._source_id)
        self._outcome = await run(partial(request, self._options))
        return self._outcome

    async def _follow_words(self) -> None:
        await self._begin()
        await follow(self._app, self._is_over)

    async def _follow_embedding(self) -> None:
        await self._begin()
        if await follow(self._app, self._is_over):
            watch = self._app.syncs.watch_embedding
            is_embedded = await run_in_threadpool(watch, self._access, self._source_id)
            self._is_embedded = await follow(self._app, is_embedded)

    def _is_over(self) -> bool:
        if isinstance(self._outcome, PendingSync):
            self._outcome = self._app.syncs.look_at(self._outcome)
        return not isinstance(self._outcome, PendingSync)


@serve(router, SourceCalls.source_runs, Action.SOURCE_READ, about="source_id")
def list_runs(call: CallContext, source_id: int, limit: int) -> object:
    return call.services.sources.list_runs(call.access, source_id, limit=limit)


@serve(router, SourceCalls.secrets_taken, Action.SOURCE_READ, Role.ADMIN, about="source_id")
def list_secrets(call: CallContext, source_id: int) -> object:
    return call.services.sources.list_secret_notes(call.access, source_id)


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
) -> shapes.SyncRun:
    """Upload one file, which is the body, to a source of uploads. The same path replaces it."""
    return shapes.SyncRun.of(
        app.syncs.upload(access, source_id, path, sent.raw, media_type=sent.media_type)
    )


def _describe(source: Source) -> shapes.KnowledgeSource:
    return shapes.KnowledgeSource.of(source, schedule_in_words=_schedule(source))


def _schedule(source: Source) -> str | None:
    return describe_schedule(source.sync_schedule) if source.sync_schedule else None
