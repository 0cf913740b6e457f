"""Sources and their documents as records; no transaction outlives a page of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from sqlalchemy import Connection, select

from wellworn.domain.sources.models import Source
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.store.sources import (
    is_visible_to,
    parse_agents,
    read_source,
    select_sources,
)
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Lose, read_pages


def read_sources(database: Database, access: Access, lose: Lose) -> list[Source]:
    """Return the sources of the space, oldest first."""
    pages = read_pages(
        database,
        select_sources(access),
        sources.c.id,
        convert=lambda rows: map(read_source, rows),
        kind="source",
        lose=lose,
    )
    return list(chain.from_iterable(pages))


def list_visible_ids(connection: Connection, access: Access) -> set[int]:
    """Return the served documents that the caller may see; reads no more of them."""
    statement = (
        select(documents.c.id, sources.c.agents)
        .join(sources, sources.c.id == documents.c.source_id)
        .where(documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED))
    )
    rows = connection.execute(statement)
    return {row.id for row in rows if is_visible_to(access, parse_agents(row.agents))}


def export_documents(
    database: Database, source: Source, lose: Lose, *, kind: str = "document"
) -> Iterator[dict[str, Any]]:
    """Yield the served documents of a source."""
    pages = read_pages(
        database,
        select(documents).where(documents.c.source_id == source.id, documents.c.state.in_(SERVED)),
        documents.c.id,
        convert=lambda rows: [_to_record(row, source) for row in rows],
        size=50,
        kind=kind,
        lose=lose,
    )
    return chain.from_iterable(pages)


def _to_record(row: Any, source: Source) -> dict[str, Any]:
    return {
        "record": "document",
        "source": source.name,
        "path": row.path,
        "title": row.title,
        "content": row.content_text,
        "metadata": dict(json.loads(row.metadata)),
        "fetched_at": row.fetched_at,
        "item_version": row.item_version,
        "raw_hash": row.raw_hash,
    }
