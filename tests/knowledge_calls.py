"""Calls about sources and knowledge as the interfaces make them, for tests that skip HTTP."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from wellworn.application.calls import App, PendingSync
from wellworn.domain.audit import Action
from wellworn.domain.sources import SyncOptions, SyncRun
from wellworn.domain.spaces import Access, Role

# name -> service, its method, what the trail calls it, the role it needs
CALLS = {
    "create_source": ("sources", "create", Action.SOURCE_CREATED, Role.ADMIN),
    "change_source": ("sources", "change", Action.SOURCE_CHANGED, Role.ADMIN),
    "sources": ("sources", "list_sources", Action.SOURCE_READ, Role.READER),
    "source": ("sources", "get_source", Action.SOURCE_READ, Role.READER),
    "runs": ("sources", "list_runs", Action.SOURCE_READ, Role.READER),
    "documents": ("sources", "list_documents", Action.DOCUMENT_LISTED, Role.READER),
    "document": ("sources", "get_document", Action.DOCUMENT_READ, Role.READER),
    "learn": ("discovery", "learn", Action.KNOWLEDGE_DECIDED, Role.CONTRIBUTOR),
    "find_passages": ("discovery", "search", Action.DOCUMENT_READ, Role.READER),
    "compile": ("discovery", "compile", Action.KNOWLEDGE_COMPILED, Role.CONTRIBUTOR),
    "conflicts": ("discovery", "conflicts", Action.KNOWLEDGE_READ, Role.READER),
    "decide": ("discovery", "decide", Action.KNOWLEDGE_DECIDED, Role.ADMIN),
    "pin": ("discovery", "pin", Action.KNOWLEDGE_DECIDED, Role.ADMIN),
    "unknowns": ("discovery", "unknowns", Action.KNOWLEDGE_READ, Role.READER),
    "ingest": ("knowledge", "ingest", Action.PRACTICE_STORED, Role.CONTRIBUTOR),
    "find_practices": ("knowledge", "query", Action.PRACTICE_FOUND, Role.READER),
    "quality": ("discovery", "quality", Action.KNOWLEDGE_READ, Role.READER),
}


def call(app: App, name: str) -> Callable[..., Any]:
    """Return one of the calls, which takes an Access first."""
    return partial(_call, app, *CALLS[name])


def sync_source(app: App, access: Access, source_id: int, *, confirmed: bool = False) -> SyncRun:
    """Sync a source and wait until that is done."""
    outcome = app.syncs.request_sync(access, source_id, SyncOptions(confirmed=confirmed))
    while isinstance(outcome, PendingSync):
        app.jobs.wait(outcome.ticket.id, 600.0)
        outcome = app.syncs.look_at(outcome)
    return outcome


def _call(
    app: App, service: str, method: str, action: Action, role: Role, access: Access, *args, **named
) -> Any:
    with app.call(access, action, role) as context:
        return getattr(getattr(context.services, service), method)(context.access, *args, **named)
