"""Notes of documents that cannot be read: those that are known stay as they were, and stale."""

from __future__ import annotations

from wellworn.domain.sources.store import documents
from wellworn.domain.sources.sync_state import SyncState
from wellworn.engines.storage.sql import Transaction


def note_refused(transaction: Transaction, work: SyncState, *, by: int, now: float) -> None:
    """Note why documents of a sync cannot be read; `by` refuses what their content is."""
    known = {document.path: document.id for document in work.known.values()}
    for item, problem in work.problems:
        refuser = by if item.path in work.judged else None
        if item.path in known:
            documents.mark_refused(transaction, known[item.path], item, problem, by=refuser)
            continue
        documents.add_refused(
            transaction, work.access, work.source, item, problem, by=refuser, now=now
        )
