"""Sources as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, func, insert, literal, or_, select, update

from wellworn.domain.sources.models import NewSource, Source, SourceType, SyncStatus, Webhook
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.sources.tables import webhook_marks as marks
from wellworn.domain.spaces import Access, Role
from wellworn.engines.storage.sql import build_value

_COUNTS = (
    select(func.count())
    .where(documents.c.source_id == sources.c.id, documents.c.state.in_(("current", "stale")))
    .scalar_subquery()
    .label("documents")
)


def add(
    connection: Connection, access: Access, new: NewSource, *, secret: bytes | None, now: float
) -> int:
    row = connection.execute(
        insert(sources).returning(sources.c.id),
        {
            "knowledge_space_id": access.space,
            "source_type": new.source_type,
            "name": new.name,
            "config": _dump_json(new.config),
            "secret": secret,
            "agents": _dump_agents(new.agents),
            "sync_schedule": new.sync_schedule,
            "time_zone": new.time_zone,
            "sync_status": SyncStatus.PENDING,
            "created_by": access.owner,
            "created_at": now,
            "updated_at": now,
        },
    ).one()
    return int(row.id)


def list_visible(connection: Connection, access: Access) -> list[Source]:
    """Return the sources of the space that the caller may see, oldest first."""
    rows = connection.execute(select_sources(access).order_by(sources.c.id))
    return [source for source in map(read_source, rows) if is_visible_to(access, source.agents)]


def select_sources(access: Access) -> Select[*tuple[Any, ...]]:
    """Return the statement for the sources of the space, each with the count of its documents."""
    return select(sources, _COUNTS).where(sources.c.knowledge_space_id == access.space)


def find(connection: Connection, access: Access, source_id: int) -> Source | None:
    """Return a source of the space, unless the caller may not see it."""
    statement = select(sources, _COUNTS).where(
        sources.c.id == source_id, sources.c.knowledge_space_id == access.space
    )
    row = connection.execute(statement).one_or_none()
    source = None if row is None else read_source(row)
    return source if source and is_visible_to(access, source.agents) else None


def find_by_type(connection: Connection, access: Access, source_type: str) -> Source | None:
    """Return the oldest source of a type in the space; its documents are not counted."""
    statement = select(sources, literal(0).label("documents")).where(
        sources.c.knowledge_space_id == access.space, sources.c.source_type == source_type
    )
    row = connection.execute(statement.order_by(sources.c.id).limit(1)).one_or_none()
    return None if row is None else read_source(row)


def is_visible_to(access: Access, agents: Sequence[str] | None) -> bool:
    """Tell whether a source is for the caller; an admin of the space sees all."""
    if agents is None or access.credential is None:
        return True
    return access.role.allows(Role.ADMIN) or access.principal in agents


def parse_agents(stored: str | None) -> tuple[str, ...] | None:
    """Read the column of who alone may see a source; None stands for everybody."""
    return None if stored is None else tuple(json.loads(stored))


def change(connection: Connection, source: Source, *, now: float, **values: Any) -> None:
    """Write columns of a source; texts of JSON are made here."""
    for name in ("config", "state"):
        if name in values:
            values[name] = _dump_json(values[name])
    if "agents" in values:
        values["agents"] = _dump_agents(values["agents"])
    statement = update(sources).where(sources.c.id == source.id)
    connection.execute(statement.values(updated_at=now, **values))


def record_attempt(connection: Connection, source: Source, **values: Any) -> None:
    """Write how a sync went; what its owner set stays as last changed."""
    if "state" in values:
        values["state"] = _dump_json(values["state"])
    connection.execute(update(sources).where(sources.c.id == source.id).values(**values))


def remove(connection: Connection, source: Source) -> None:
    connection.execute(delete(sources).where(sources.c.id == source.id))


def list_scheduled(connection: Connection) -> list[tuple[str, Source]]:
    """Return space and source of all that may be due without a person, and are not paused."""
    may_be_triggered = or_(
        sources.c.webhook_secret.is_not(None), sources.c.source_type == SourceType.FOLDER
    )
    is_triggered = or_(
        sources.c.sync_schedule.is_not(None),
        sources.c.wanted_slot.is_not(None),
        and_(sources.c.next_attempt_at.is_not(None), may_be_triggered),
        sources.c.source_type.in_((SourceType.FOLDER, SourceType.GIT_REPO)),
    )
    statement = select(sources, _COUNTS).where(is_triggered, sources.c.is_paused.is_(False))
    return [(row.knowledge_space_id, read_source(row)) for row in connection.execute(statement)]


def list_unseen(connection: Connection, before: float) -> list[tuple[str, float | None]]:
    """Return name and last sync of all sources that nobody looked at since a moment.

    Those that are paused, or that nothing is fetched for, are left out.
    """
    statement = select(sources.c.name, sources.c.last_synced_at).where(
        sources.c.source_type.in_((SourceType.FOLDER, SourceType.GIT_REPO, SourceType.URL)),
        sources.c.is_paused.is_(False),
        or_(sources.c.last_synced_at.is_(None), sources.c.last_synced_at < before),
    )
    rows = connection.execute(
        statement.order_by(sources.c.last_synced_at.nulls_first(), sources.c.name)
    )
    return [(row.name, row.last_synced_at) for row in rows]


def list_folders(connection: Connection) -> list[tuple[int, Mapping[str, Any]]]:
    """Return number and configuration of all folders that are not paused."""
    statement = select(sources.c.id, sources.c.config).where(
        sources.c.source_type == SourceType.FOLDER, sources.c.is_paused.is_(False)
    )
    return [(row.id, json.loads(row.config)) for row in connection.execute(statement)]


def set_webhook(
    connection: Connection, source_id: int, secret: bytes | None, webhook: Webhook | None
) -> None:
    """Write the webhook of a source, or none in place of it, as one that took nothing yet."""
    connection.execute(delete(marks).where(marks.c.source_id == source_id))
    statement = update(sources).where(sources.c.id == source_id)
    connection.execute(statement.values(webhook_secret=secret))
    update_webhook(connection, source_id, webhook)


def update_webhook(connection: Connection, source_id: int, webhook: Webhook | None) -> None:
    """Write what is told of a webhook, whose secret stays."""
    stored = None if webhook is None else json.dumps(asdict(webhook))
    statement = update(sources).where(sources.c.id == source_id)
    connection.execute(statement.values(webhook=stored))


def add_mark(connection: Connection, source_id: int, mark: bytes) -> bool:
    """Remember a signed delivery for as long as the webhook has its secret; tell if it is new."""
    statement = insert(marks).prefix_with("OR IGNORE")
    return connection.execute(statement, {"source_id": source_id, "mark": mark}).rowcount == 1


def find_webhook(connection: Connection, source_id: int) -> tuple[str, bytes, Source] | None:
    """Return space, wrapped secret and source of a webhook, no matter who may see it."""
    statement = select(sources, _COUNTS).where(
        sources.c.id == source_id, sources.c.webhook_secret.is_not(None)
    )
    row = connection.execute(statement).one_or_none()
    return row and (row.knowledge_space_id, row.webhook_secret, read_source(row))


def want_sync(
    connection: Connection, source_id: int, slot: str, now: float
) -> tuple[str, str] | None:
    """Ask for a sync of a source, unless one waits already; return its space and the slot.

    None, if the source is gone or rests; then the sync waits until it goes on.
    """
    connection.execute(
        update(sources)
        .where(sources.c.id == source_id, sources.c.wanted_slot.is_(None))
        .values(wanted_slot=slot, wanted_at=now)
    )
    statement = select(sources.c.knowledge_space_id, sources.c.wanted_slot)
    row = connection.execute(
        statement.where(sources.c.id == source_id, sources.c.is_paused.is_(False))
    ).one_or_none()
    return None if row is None else (row.knowledge_space_id, row.wanted_slot)


def mark_interrupted(connection: Connection) -> None:
    """Say of every source that seems to be syncing that it is not; for the start of a process."""
    connection.execute(
        update(sources)
        .where(sources.c.sync_status == SyncStatus.SYNCING)
        .values(
            sync_status=SyncStatus.FAILED,
            sync_error="the last sync was interrupted; the next one continues from there",
        )
    )


def strip_secrets(source: Source) -> Source:
    """Return a source as callers see it."""
    return replace(source, secret=None, state={})


def read_source(row: Any) -> Source:
    """Return a row of `select_sources` as a source."""
    return build_value(
        Source,
        row,
        config=json.loads(row.config),
        has_secret=row.secret is not None,
        agents=parse_agents(row.agents),
        sync_status=SyncStatus(row.sync_status),
        state=json.loads(row.state),
        webhook=None if row.webhook is None else _read_webhook(row.webhook),
    )


def _read_webhook(stored: str) -> Webhook:
    return Webhook(**json.loads(stored))


def _dump_agents(agents: Sequence[str] | None) -> str | None:
    return None if agents is None else json.dumps(list(agents))


def _dump_json(values: Mapping[str, Any]) -> str:
    return json.dumps(dict(values), ensure_ascii=False, sort_keys=True)
