"""Settles what a killed process left: syncs that go on at the next start, lost uploads.

A file that is uploaded is nowhere but in the process that reads it, so nobody can read it
again. What was read in full is stored; of any other it is told which file to send again,
where documents that cannot be read are told of.
"""

from __future__ import annotations

from typing import Final

from wellworn.domain.sources.connectors import SourceItem
from wellworn.domain.sources.models import Problem, Source, SyncStatus
from wellworn.domain.sources.store import documents, runs, staging
from wellworn.domain.sources.store import sources as store
from wellworn.domain.spaces import Access, upkeep_access
from wellworn.engines.storage.sql import Transaction

_SEND_AGAIN: Final = "its upload was interrupted; send the file again"
_TAKEN_UP: Final = "its server ended meanwhile; what it had read was taken up"


def settle_interrupted(transaction: Transaction, now: float) -> list[int]:
    """Say of every run without an end what became of it; return the chunks that went."""
    gone: list[int] = []
    lost: list[tuple[Source, str]] = []
    for upload in runs.list_unfinished_uploads(transaction):
        access = upkeep_access(upload.space)
        source = store.find(transaction, access, upload.source_id)
        if source is None:
            continue
        _, replaced = staging.publish(transaction, access, source)
        gone += replaced
        if _is_served(transaction, source, upload.item):
            runs.finish(
                transaction,
                upload.run_id,
                status=SyncStatus.SUCCESS,
                counts={},
                message=_TAKEN_UP,
                problems=(),
                now=now,
            )
            values = {"sync_status": SyncStatus.SUCCESS, "sync_error": None, "last_synced_at": now}
            store.record_attempt(transaction, source, **values)
        else:
            _refuse(transaction, access, source, upload.item, now=now)
            lost.append((source, upload.item.path))
    store.mark_interrupted(transaction)
    runs.mark_interrupted(transaction, now)
    for source, path in lost:
        store.record_attempt(transaction, source, sync_error=f"{path}: {_SEND_AGAIN}")
    return gone


def _is_served(transaction: Transaction, source: Source, item: SourceItem) -> bool:
    """Tell whether a document is served as it was sent."""
    return any(
        document.path == item.path and document.is_served and document.version == item.version
        for document in documents.list_known(transaction, source)
    )


def _refuse(
    transaction: Transaction, access: Access, source: Source, item: SourceItem, *, now: float
) -> None:
    problem = Problem(item.path, _SEND_AGAIN)
    for document in documents.list_known(transaction, source):
        if document.path == item.path:
            documents.mark_refused(transaction, document.id, item, problem, by=None)
            return
    documents.add_refused(transaction, access, source, item, problem, by=None, now=now)
