"""Reads documents for a search: how they begin, and which others there are."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, func, select

from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.tables import knowledge_chunks, knowledge_documents
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import compare_with_list
from wellworn.kit.markdown import LONGEST_FRONT_MATTER

chunks, documents = knowledge_chunks, knowledge_documents

_OPENINGS = select(
    documents.c.id, func.substr(documents.c.content_text, 1, LONGEST_FRONT_MATTER).label("opening")
).where(
    documents.c.knowledge_space_id == bindparam("space"),
    compare_with_list(documents.c.id, "ids"),
)


def load_openings(connection: Connection, access: Access, ids: Collection[int]) -> dict[int, str]:
    """Return the beginnings of documents of this space, long enough for any front matter."""
    if not ids:
        return {}
    parameters = {"space": access.space, "ids": list(ids)}
    return {row.id: row.opening for row in connection.execute(_OPENINGS, parameters)}


def list_other_chunks(
    connection: Connection,
    access: Access,
    known: Collection[int],
    *,
    sources: Collection[int] | None,
    most: int,
) -> list[int]:
    """Return served chunks of the space that are of none of the known documents.

    With `sources` only of these; at most `most`, so that a search among them stays one.
    """
    others = select(documents.c.id).where(
        documents.c.knowledge_space_id == access.space,
        documents.c.state.in_(SERVED),
        documents.c.id.not_in(known),
    )
    if sources is not None:
        others = others.where(documents.c.source_id.in_(sources))
    statement = select(chunks.c.seq).where(
        chunks.c.knowledge_space_id == access.space, chunks.c.document_id.in_(others)
    )
    return list(connection.execute(statement.order_by(chunks.c.seq).limit(most)).scalars())
