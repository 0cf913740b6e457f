"""Runs as rows: every sync, how it went, and one sentence about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from wellworn.domain.sources.connectors import SourceItem
from wellworn.domain.sources.models import Problem, Source, SyncRun, SyncStatus
from wellworn.domain.sources.tables import sync_runs as runs
from wellworn.domain.spaces import Access

MOST_RUNS = 50
"""Runs of a source that are remembered."""
_MOST_PROBLEMS = 500


@dataclass(frozen=True, slots=True)
class UnfinishedUpload:
    """A run that was to store a file, and has no end."""

    run_id: int
    source_id: int
    space: str
    item: SourceItem


def begin(
    connection: Connection,
    access: Access,
    source: Source,
    trigger: str,
    now: float,
    *,
    uploaded: SourceItem | None = None,
) -> int:
    """Note that a sync begins and that one without an end is over; return its number.

    Until its end, the run of an upload has the version and path of its file for a message.
    """
    mark_interrupted(connection, now, source)
    row = connection.execute(
        insert(runs).returning(runs.c.id),
        {
            "source_id": source.id,
            "knowledge_space_id": access.space,
            "trigger": trigger,
            "started_at": now,
            "status": SyncStatus.SYNCING,
            "counts": "{}",
            "message": f"{uploaded.version} {uploaded.path}" if uploaded else "",
            "problems": "[]",
        },
    ).one()
    return int(row.id)


def finish(
    connection: Connection,
    run_id: int,
    *,
    status: SyncStatus,
    counts: Mapping[str, int],
    message: str,
    problems: Sequence[Problem],
    now: float,
) -> None:
    rows = [astuple(problem) for problem in problems[:_MOST_PROBLEMS]]
    connection.execute(
        update(runs)
        .where(runs.c.id == run_id)
        .values(
            finished_at=now,
            status=status,
            counts=json.dumps(dict(counts)),
            message=message,
            problems=json.dumps(rows, ensure_ascii=False),
        )
    )


def prune(connection: Connection, source: Source) -> None:
    """Remember the last runs of a source only."""
    recent = (
        select(runs.c.id)
        .where(runs.c.source_id == source.id)
        .order_by(runs.c.id.desc())
        .limit(MOST_RUNS)
    )
    connection.execute(delete(runs).where(runs.c.source_id == source.id, runs.c.id.not_in(recent)))


def list_recent(connection: Connection, source: Source, *, limit: int) -> list[SyncRun]:
    """Return the last runs of a source, newest first."""
    statement = select(runs).where(runs.c.source_id == source.id).order_by(runs.c.id.desc())
    return [_to_run(row) for row in connection.execute(statement.limit(limit))]


def list_unfinished_uploads(connection: Connection) -> list[UnfinishedUpload]:
    """Return the uploads that have no end, oldest first."""
    statement = select(runs).where(runs.c.finished_at.is_(None), runs.c.message != "")
    unfinished: list[UnfinishedUpload] = []
    for row in connection.execute(statement.order_by(runs.c.id)):
        version, _, path = row.message.partition(" ")
        item = SourceItem(path, version)
        unfinished.append(UnfinishedUpload(row.id, row.source_id, row.knowledge_space_id, item))
    return unfinished


def mark_interrupted(connection: Connection, now: float, source: Source | None = None) -> None:
    """Say of runs that have no end, of one source or of all, that they were interrupted."""
    of_it = [] if source is None else [runs.c.source_id == source.id]
    connection.execute(
        update(runs)
        .where(runs.c.finished_at.is_(None), *of_it)
        .values(
            finished_at=now,
            status=SyncStatus.FAILED,
            message="the sync was interrupted; the next one goes on from there",
        )
    )


def remove(connection: Connection, source: Source) -> None:
    connection.execute(delete(runs).where(runs.c.source_id == source.id))


def _to_run(row: Any) -> SyncRun:
    return SyncRun(
        id=row.id,
        source_id=row.source_id,
        trigger=row.trigger,
        started_at=row.started_at,
        finished_at=row.finished_at,
        status=SyncStatus(row.status),
        counts=json.loads(row.counts),
        message="" if row.finished_at is None else row.message,
        problems=tuple(Problem(*problem) for problem in json.loads(row.problems)),
    )
