"""Sources: where documents come from, how their syncs went, and adding one."""

from __future__ import annotations

from typing import Final

from wellworn.client import models as shapes
from wellworn.client.fields import Label, Name, Number
from wellworn.domain.audit import Action
from wellworn.domain.sources import NewSource, Source, SyncStatus
from wellworn.domain.sources.connectors import load_source_kinds
from wellworn.domain.spaces import Role
from wellworn.engines.jobs import describe_schedule
from wellworn.errors import InvalidInput
from wellworn.interfaces.web.requests import (
    Field,
    PageRequest,
    PageTable,
    Screen,
    WayOn,
    format_command,
    read_offset,
)

table = PageTable()

_DOCUMENTS: Final = 50
_RUNS: Final = 20
_PAGE_OF_TEXT: Final = 20_000
_PLACES: Final = ("path", "url", "repo_url")
_NAME: Final = Field[str]("name", Label)
_PLACE: Final = Field[str]("place", Name)
_SOURCE: Final = Field[int]("source_id", Number)
_DOCUMENT: Final = Field[int]("document_id", Number)


@table.get("/sources")
def list_sources(request: PageRequest) -> Screen:
    """Return the sources that the caller may see, and a form to add one."""
    with request.app.call(request.access, Action.SOURCE_READ) as call:
        sources = call.services.sources.list_sources(call.access)
        quality = call.services.discovery.quality(call.access)
    return Screen(
        "sources.html",
        {"sources": list(map(_describe, sources)), "quality": quality, "kinds": _list_places()},
        command="wellworn source list",
        call="GET /api/knowledge/sources",
    )


def _list_places() -> list[str]:
    """Return the kinds of sources that one address or path tells all of, folders first."""
    kinds = [kind for kind in load_source_kinds().values() if kind.location in _PLACES]
    return [kind.name for kind in sorted(kinds, key=lambda kind: not kind.is_local)]


def _describe(source: Source) -> shapes.KnowledgeSource:
    schedule = describe_schedule(source.sync_schedule) if source.sync_schedule else None
    return shapes.KnowledgeSource.of(source, schedule_in_words=schedule)


@table.post("/sources")
def add_source(request: PageRequest) -> WayOn:
    """Add a source and begin its first sync."""
    kind = load_source_kinds().get(request.form.get("kind", ""))
    if kind is None or kind.location not in _PLACES:
        raise InvalidInput(f"kind must be one of: {', '.join(_list_places())}")
    place = _PLACE.require(request.form).strip()
    named = _NAME.read(request.form) or place.rstrip("/").rpartition("/")[2] or place
    source = NewSource(kind.name, " ".join(named.split())[:100], {kind.location: place})
    with request.app.call(request.access, Action.SOURCE_CREATED, Role.ADMIN) as call:
        added = call.services.sources.create(call.access, source)
        call.touch([str(added.id)])
    request.app.syncs.request_sync(request.access, added.id)
    return WayOn(f"{request.base}/sources/{added.id}")


@table.get("/sources/{source_id}")
def show_source(request: PageRequest) -> Screen:
    """Return a source with its runs and its documents."""
    source_id, offset = _SOURCE.require(request.path), read_offset(request)
    with request.app.call(request.access, Action.SOURCE_READ, targets=[str(source_id)]) as call:
        sources = call.services.sources
        source = sources.get_source(call.access, source_id)
        is_syncing = source.sync_status is SyncStatus.SYNCING
        read = sources.progress.count_read(source_id) if is_syncing else None
        findable = sources.progress.count_findable(call.access, [source_id])
        runs = sources.list_runs(call.access, source_id, limit=_RUNS)
        documents = sources.list_documents(
            call.access, source_id=source_id, offset=offset, limit=_DOCUMENTS + 1
        )
    return Screen(
        "source.html",
        {
            "source": _describe(source),
            "progress": read,
            "findable": findable,
            "runs": list(map(shapes.SyncRun.of, runs)),
            "documents": documents[:_DOCUMENTS],
            "next": offset + _DOCUMENTS if len(documents) > _DOCUMENTS else None,
        },
        command=format_command("source", "show", source.name),
        call=f"GET /api/knowledge/sources/{source_id}",
    )


@table.post("/sources/{source_id}/sync")
def sync(request: PageRequest) -> WayOn:
    """Begin to bring a source up to date."""
    source_id = _SOURCE.require(request.path)
    request.app.syncs.request_sync(request.access, source_id)
    return WayOn(f"{request.base}/sources/{source_id}")


@table.get("/documents/{document_id}")
def show_document(request: PageRequest) -> Screen:
    """Return a page of a document's text."""
    document_id, offset = _DOCUMENT.require(request.path), read_offset(request)
    with request.app.call(request.access, Action.DOCUMENT_READ, targets=[str(document_id)]) as call:
        document = call.services.sources.get_document(call.access, document_id)
    text = document.text
    end = offset + _PAGE_OF_TEXT
    return Screen(
        "document.html",
        {
            "document": document.document,
            "text": text[offset:end],
            "next": end if end < len(text) else None,
        },
        command=f"wellworn read document:{document_id}",
        call=f"GET /api/knowledge/documents/{document_id}",
    )
