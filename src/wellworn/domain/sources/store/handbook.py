"""The built-in source of a space as rows, and what its documents are asked for."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, func, select

from wellworn.domain.sources.models import NewSource, Source, SourceType
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.spaces import Access

NAME = "Best practices"


def find_source(connection: Connection, access: Access) -> Source | None:
    """Return the built-in source of the space, if anything was given to it yet."""
    return store.find_by_type(connection, access, SourceType.HANDBOOK)


def ensure_source(connection: Connection, access: Access, *, now: float) -> Source:
    """Return the built-in source of the space, which is made when it is not there."""
    source = find_source(connection, access)
    if source is not None:
        return source
    store.add(connection, access, NewSource(SourceType.HANDBOOK, NAME, {}), secret=None, now=now)
    return ensure_source(connection, access, now=now)


def count(connection: Connection, source: Source) -> int:
    statement = select(func.count()).where(documents.c.source_id == source.id)
    return connection.execute(statement).scalar_one()


def filter_existing(connection: Connection, source: Source, paths: Collection[str]) -> set[str]:
    """Return those of the paths that are in the source."""
    statement = select(documents.c.path).where(
        documents.c.source_id == source.id, documents.c.path.in_(paths)
    )
    return set(connection.execute(statement).scalars())


def load_metadata(connection: Connection, source: Source) -> list[tuple[int, dict[str, Any]]]:
    """Return number and metadata of every document, oldest first."""
    statement = select(documents.c.id, documents.c.metadata.label("about")).where(
        documents.c.source_id == source.id
    )
    rows = connection.execute(statement.order_by(documents.c.id))
    return [(row.id, json.loads(row.about)) for row in rows]


def list_outdated(connection: Connection, maker: int) -> list[int]:
    """Return the documents of all spaces' built-in sources that another maker made, ascending."""
    statement = (
        select(documents.c.id)
        .join_from(documents, sources, sources.c.id == documents.c.source_id)
        .where(sources.c.source_type == SourceType.HANDBOOK, documents.c.maker != maker)
    )
    return list(connection.execute(statement.order_by(documents.c.id)).scalars())


def list_spaces(connection: Connection, ids: Collection[int]) -> list[str]:
    """Return the spaces that documents are in."""
    statement = select(documents.c.knowledge_space_id).where(documents.c.id.in_(ids))
    return sorted(connection.execute(statement.distinct()).scalars())
