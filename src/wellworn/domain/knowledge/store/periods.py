"""Stores which documents are past: those that say so, and those with a later copy."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select, update

from wellworn.domain.knowledge.tables import document_digests
from wellworn.domain.spaces import Access

_AT_ONCE = 500


def find_past(connection: Connection, access: Access, documents: Collection[int]) -> set[int]:
    """Return which of some documents are past."""
    statement = select(document_digests.c.document_id).where(
        document_digests.c.knowledge_space_id == access.space,
        document_digests.c.document_id.in_(documents),
        document_digests.c.is_past,
    )
    return set(connection.execute(statement).scalars())


def mark_past(connection: Connection, access: Access, superseded: Collection[int]) -> None:
    """Write which documents are past: those that say so, and those with a later copy."""
    of_space = update(document_digests).where(document_digests.c.knowledge_space_id == access.space)
    connection.execute(of_space.values(is_past=document_digests.c.is_withdrawn))
    ids = sorted(superseded)
    for start in range(0, len(ids), _AT_ONCE):
        part = document_digests.c.document_id.in_(ids[start : start + _AT_ONCE])
        connection.execute(of_space.where(part).values(is_past=True))
