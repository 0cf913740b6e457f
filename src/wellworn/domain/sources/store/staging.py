"""Stores what a running sync has made ready, until one transaction puts it in place."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, or_, select, update

from wellworn.domain.sources.chunking import Chunk
from wellworn.domain.sources.models import DocumentState, Source
from wellworn.domain.sources.store import chunks as rows
from wellworn.domain.sources.store import documents as documents_store
from wellworn.domain.sources.tables import knowledge_documents, knowledge_staged
from wellworn.domain.spaces import Access

staged, documents = knowledge_staged, knowledge_documents


@dataclass(frozen=True, slots=True)
class KeptChunk:
    """A chunk that a new version of its document has as well, at another place perhaps."""

    seq: int
    number: int
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class StagedDocument:
    """A version of a document that was read: all of it but its chunks."""

    document_id: int | None
    path: str
    title: str | None
    content_text: str
    content_hash: str
    metadata: dict[str, Any]
    fetched_at: float
    item_version: str
    raw_hash: str
    maker: int
    reused: tuple[KeptChunk, ...]
    secrets: tuple[tuple[str, int], ...]
    uploaded_by: str | None = None
    uploaded_at: float | None = None


def add(connection: Connection, source: Source, ready: StagedDocument) -> int:
    """Store a version that waits, in place of an older one; return its number."""
    values = {name: getattr(ready, name) for name in _PLAIN} | {
        "source_id": source.id,
        "metadata": json.dumps(ready.metadata, ensure_ascii=False),
        "kept": json.dumps([asdict(chunk) for chunk in ready.reused], ensure_ascii=False),
        "secrets": json.dumps(ready.secrets),
    }
    row = connection.execute(insert(staged).returning(staged.c.id), values).one()
    return int(row.id)


_PLAIN = (
    *("document_id", "path", "title", "content_text", "content_hash"),
    *("fetched_at", "item_version", "raw_hash", "maker", "uploaded_by", "uploaded_at"),
)


def list_staged(connection: Connection, source: Source) -> dict[str, tuple[int, str, int]]:
    """Return number, version and maker of what waits for a source, by path."""
    statement = select(staged.c.id, staged.c.path, staged.c.item_version, staged.c.maker).where(
        staged.c.source_id == source.id
    )
    return {
        row.path: (row.id, row.item_version, row.maker) for row in connection.execute(statement)
    }


def drop(connection: Connection, ids: Sequence[int]) -> list[int]:
    """Delete versions that wait with their chunks; return the numbers of these."""
    gone = rows.list_staged(connection, ids)
    rows.remove(connection, gone)
    connection.execute(delete(staged).where(staged.c.id.in_(ids)))
    return gone


def publish(connection: Connection, access: Access, source: Source) -> tuple[list[int], list[int]]:
    """Serve what waits for a source; return those documents, and the chunks that went."""
    gone: list[int] = []
    changed: list[int] = []
    statement = select(staged).where(staged.c.source_id == source.id).order_by(staged.c.id)
    for row in connection.execute(statement).all():
        document_id = _publish_document(connection, access, row)
        reused = json.loads(row.kept)
        gone += rows.publish_staged(
            connection, row.id, document_id, [chunk["seq"] for chunk in reused]
        )
        for entry in reused:
            chunk = entry["chunk"] | {"headings": tuple(entry["chunk"]["headings"])}
            rows.update_position(connection, entry["seq"], entry["number"], Chunk(**chunk))
        documents_store.replace_secret_notes(connection, document_id, json.loads(row.secrets))
        changed.append(document_id)
    connection.execute(delete(staged).where(staged.c.source_id == source.id))
    return changed, gone


def _publish_document(connection: Connection, access: Access, row: Any) -> int:
    values = {name: getattr(row, name) for name in _PLAIN if name != "document_id"} | {
        "metadata": row._mapping["metadata"],  # noqa: SLF001 - a row's own way to a column so named
        "state": DocumentState.CURRENT,
        "reason": None,
        "gone_at": None,
        **documents_store.READABLE,
    }
    if row.document_id is not None:
        connection.execute(
            update(documents).where(documents.c.id == row.document_id).values(**values)
        )
        return int(row.document_id)
    values |= {"source_id": row.source_id, "knowledge_space_id": access.space}
    created = connection.execute(insert(documents).returning(documents.c.id), values).one()
    return int(created.id)


def list_ids(
    connection: Connection, ids: Collection[int], *, documents: Collection[int]
) -> list[int]:
    """Return what waits for sources, or to take the place of documents."""
    wanted = or_(staged.c.source_id.in_(ids), staged.c.document_id.in_(documents))
    return list(connection.execute(select(staged.c.id).where(wanted)).scalars())
