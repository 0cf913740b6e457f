"""Documents as rows: what is served, what waits, what is gone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from wellworn.domain.sources.connectors import Item
from wellworn.domain.sources.models import Document, DocumentState, Problem, SecretNote, Source
from wellworn.domain.sources.planning import Known
from wellworn.domain.sources.store.sources import agents_in, is_for, visible
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.sources.tables import secret_notes
from wellworn.domain.spaces import Access

SERVED = (DocumentState.CURRENT, DocumentState.STALE)
READABLE: Final[Mapping[str, None]] = {"refused_version": None, "refused_by": None}
"""The columns of a document that nothing refused."""
_NOBODY: Final = 0
"""What made no text."""

_COLUMNS = (
    documents.c.id,
    documents.c.source_id,
    sources.c.name,
    sources.c.agents,
    documents.c.path,
    documents.c.title,
    documents.c.state,
    documents.c.reason,
    func.length(documents.c.content_text).label("characters"),
    documents.c.content_hash,
    documents.c.metadata.label("about"),
    documents.c.fetched_at,
)


@dataclass(frozen=True, slots=True)
class Text:
    """A served document with its words."""

    document: Document
    text: str


def known(connection: Connection, source: Source) -> list[Known]:
    """Return what a sync needs to know of every document of a source, those gone included."""
    statement = select(
        documents.c.id,
        documents.c.path,
        documents.c.item_version,
        documents.c.raw_hash,
        documents.c.maker,
        documents.c.state,
        documents.c.reason,
        documents.c.refused_version,
        documents.c.refused_by,
    ).where(documents.c.source_id == source.id)
    return [
        Known(
            id=row.id,
            path=row.path,
            version=row.item_version,
            raw_hash=row.raw_hash,
            maker=row.maker,
            is_readable=row.state != DocumentState.REFUSED,
            is_gone=row.state == DocumentState.GONE,
            reason=row.reason or "",
            refused_version=row.refused_version,
            refused_by=row.refused_by,
        )
        for row in connection.execute(statement)
    ]


def listed(
    connection: Connection, access: Access, *, source_id: int | None, offset: int, limit: int
) -> list[Document]:
    """Return documents that the caller may see, by source and path; those gone are left out."""
    seen = [one.id for one in visible(connection, access) if source_id in {None, one.id}]
    statement = _of_the_space(access).where(
        documents.c.state != DocumentState.GONE, documents.c.source_id.in_(seen)
    )
    ordered = statement.order_by(documents.c.source_id, documents.c.path)
    return [_document(row) for row in connection.execute(ordered.offset(offset).limit(limit))]


def found(connection: Connection, access: Access, document_id: int) -> Text | None:
    """Return a served document with its words, unless the caller may not see it."""
    return next(iter(texts(connection, access, [document_id])), None)


def texts(connection: Connection, access: Access, ids: Collection[int] | None = None) -> list[Text]:
    """Return served documents with their words: of these ids, or with None all."""
    statement = _of_the_space(access, documents.c.content_text)
    statement = statement.where(documents.c.state.in_(SERVED))
    if ids is not None:
        statement = statement.where(documents.c.id.in_(ids))
    rows = connection.execute(statement.order_by(documents.c.id))
    return [Text(_document(row), row.content_text) for row in rows if _may_see(access, row)]


@dataclass(frozen=True, slots=True)
class Visible:
    """The served documents that a caller may see, and whether these are all that are served."""

    documents: dict[int, Served]
    is_all: bool


@dataclass(frozen=True, slots=True)
class Served:
    """A served document without its words; `agents` are the only ones it is for, None for all."""

    id: int
    source_id: int
    source: str
    path: str
    title: str | None
    content_hash: str
    agents: tuple[str, ...] | None


def served(connection: Connection, access: Access) -> list[Served]:
    """Return every served document of the space, for whomever it is; for what is made of all."""
    statement = (
        select(
            documents.c.id,
            documents.c.source_id,
            sources.c.name,
            documents.c.path,
            documents.c.title,
            documents.c.content_hash,
            sources.c.agents,
        )
        .join_from(documents, sources, sources.c.id == documents.c.source_id)
        .where(documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED))
        .order_by(documents.c.id)
    )
    return [Served(*row[:6], agents_in(row.agents)) for row in connection.execute(statement)]


def hashes(connection: Connection, access: Access) -> dict[int, str]:
    """Return the hash of the words of every served document of the space."""
    statement = select(documents.c.id, documents.c.content_hash).where(
        documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED)
    )
    return {row.id: row.content_hash for row in connection.execute(statement)}


def served_to(connection: Connection, access: Access) -> Visible:
    """Return what of the served documents the caller may see."""
    every = served(connection, access)
    seen = {one.id: one for one in every if is_for(access, one.agents)}
    return Visible(seen, is_all=all(one.agents is None for one in every))


def words(connection: Connection, access: Access, ids: Collection[int]) -> dict[int, str]:
    """Return the words of served documents, for whomever they are."""
    statement = select(documents.c.id, documents.c.content_text).where(
        documents.c.knowledge_space_id == access.space, documents.c.id.in_(ids)
    )
    return {row.id: row.content_text for row in connection.execute(statement)}


def count(connection: Connection, access: Access) -> int:
    """Count the documents of the space that are served."""
    statement = select(func.count()).where(
        documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED)
    )
    return connection.execute(statement).scalar_one()


def states(connection: Connection, access: Access) -> Counter[str]:
    """Count the documents of the space by their state."""
    statement = (
        select(documents.c.state, func.count().label("number"))
        .where(documents.c.knowledge_space_id == access.space)
        .group_by(documents.c.state)
    )
    return Counter({row.state: row.number for row in connection.execute(statement)})


def count_notes(connection: Connection, access: Access) -> int:
    """Count the secrets that were taken out of the space's documents."""
    statement = (
        select(func.count())
        .select_from(secret_notes)
        .join(documents, documents.c.id == secret_notes.c.document_id)
        .where(documents.c.knowledge_space_id == access.space)
    )
    return connection.execute(statement).scalar_one()


def touch(connection: Connection, ids: Collection[int], *, now: float) -> None:
    """Say that documents are in their source as they are here."""
    connection.execute(
        update(documents)
        .where(documents.c.id.in_(ids), documents.c.state.in_(SERVED))
        .values(state=DocumentState.CURRENT, reason=None, fetched_at=now, **READABLE)
    )


def move(connection: Connection, document_id: int, item: Item, *, now: float) -> None:
    """Give a document its new path; what it is and what was learned of it stays."""
    connection.execute(
        update(documents)
        .where(documents.c.id == document_id)
        .values(
            path=item.path,
            item_version=item.version,
            state=DocumentState.CURRENT,
            reason=None,
            gone_at=None,
            fetched_at=now,
            **READABLE,
        )
    )


def seen_again(connection: Connection, document_id: int, version: str) -> None:
    """Note under which version of its source unchanged content is listed now."""
    connection.execute(
        update(documents).where(documents.c.id == document_id).values(item_version=version)
    )


def call_stale(connection: Connection, ids: Collection[int], reason: str) -> None:
    """Say of served documents that nobody knows whether their source still gives them."""
    connection.execute(
        update(documents)
        .where(
            documents.c.id.in_(ids),
            documents.c.state.in_(SERVED),
            # One that was refused is stale for a reason that lasts longer.
            documents.c.refused_by.is_(None),
        )
        .values(state=DocumentState.STALE, reason=reason)
    )


def mark(connection: Connection, ids: Collection[int], reason: str) -> None:
    """Say of served documents that their source does not give them as they are here."""
    connection.execute(
        update(documents)
        .where(documents.c.id.in_(ids), documents.c.state.in_(SERVED))
        .values(state=DocumentState.STALE, reason=reason, **READABLE)
    )


def bury(connection: Connection, ids: Collection[int], *, now: float) -> None:
    """Serve documents no more; they can come back for a while."""
    connection.execute(
        update(documents)
        .where(documents.c.id.in_(ids))
        .values(state=DocumentState.GONE, gone_at=now, reason="it is not in its source any more")
    )


def refuse(
    connection: Connection,
    access: Access,
    source: Source,
    item: Item,
    problem: Problem,
    *,
    by: int | None,
    now: float,
) -> None:
    """Note a new document that cannot be read, so that it is listed with the reason.

    `by` is what refused its very content, and need not do so again; without one it is tried again.
    """
    connection.execute(
        insert(documents),
        {
            "source_id": source.id,
            "knowledge_space_id": access.space,
            "path": item.path,
            "content_text": "",
            "content_hash": "",
            "metadata": "{}",
            "fetched_at": now,
            "state": DocumentState.REFUSED,
            "item_version": "",
            "raw_hash": "",
            "maker": _NOBODY,
            **_refusal(item, problem, by),
        },
    )


def refuse_again(
    connection: Connection, document_id: int, item: Item, problem: Problem, *, by: int | None
) -> None:
    """Note why a document cannot be read now: one with text stays as it was, and is stale."""
    told, is_it = _refusal(item, problem, by), documents.c.id == document_id
    is_empty = documents.c.state.in_((DocumentState.REFUSED, DocumentState.GONE))
    for where, values in (
        (is_empty, {"state": DocumentState.REFUSED, "maker": _NOBODY}),
        (~is_empty, {"state": DocumentState.STALE}),
    ):
        connection.execute(update(documents).where(is_it, where).values(**values, **told))


def _refusal(item: Item, problem: Problem, by: int | None) -> dict[str, Any]:
    return {"reason": problem.reason, "refused_version": item.version, "refused_by": by}


def remove(connection: Connection, ids: Collection[int]) -> None:
    """Delete documents and what is noted of them; their chunks must be gone before."""
    connection.execute(delete(secret_notes).where(secret_notes.c.document_id.in_(ids)))
    connection.execute(delete(documents).where(documents.c.id.in_(ids)))


def exported(connection: Connection, source: Source) -> Iterator[dict[str, Any]]:
    """Yield the served documents of a source as records."""
    statement = select(documents).where(
        documents.c.source_id == source.id, documents.c.state.in_(SERVED)
    )
    for row in connection.execute(statement.order_by(documents.c.id)).mappings():
        yield {
            "record": "document",
            "source": source.name,
            "path": row["path"],
            "title": row["title"],
            "content": row["content_text"],
            "metadata": json.loads(row["metadata"]),
            "fetched_at": row["fetched_at"],
            "item_version": row["item_version"],
            "raw_hash": row["raw_hash"],
        }


def expired(connection: Connection, *, before: float) -> list[int]:
    """Return the documents of all spaces that went before a moment."""
    statement = select(documents.c.id).where(
        documents.c.state == DocumentState.GONE, documents.c.gone_at < before
    )
    return list(connection.execute(statement).scalars())


def of_source(connection: Connection, source: Source) -> list[int]:
    statement = select(documents.c.id).where(documents.c.source_id == source.id)
    return list(connection.execute(statement).scalars())


def replace_notes(
    connection: Connection, document_id: int, notes: Iterable[tuple[str, int]]
) -> None:
    """Write where secrets were taken out of a document: kind and line."""
    connection.execute(delete(secret_notes).where(secret_notes.c.document_id == document_id))
    rows = [{"document_id": document_id, "kind": kind, "line": line} for kind, line in notes]
    if rows:
        connection.execute(insert(secret_notes), rows)


def notes(connection: Connection, source: Source) -> list[SecretNote]:
    """Return where secrets were taken out of the documents of a source."""
    statement = (
        select(documents.c.path, secret_notes.c.kind, secret_notes.c.line)
        .join_from(secret_notes, documents, documents.c.id == secret_notes.c.document_id)
        .where(documents.c.source_id == source.id)
        .order_by(documents.c.path, secret_notes.c.line)
    )
    return [SecretNote(*row) for row in connection.execute(statement)]


def _of_the_space(access: Access, *more: ColumnElement[Any]) -> Any:
    return (
        select(*_COLUMNS, *more)
        .join_from(documents, sources, sources.c.id == documents.c.source_id)
        .where(documents.c.knowledge_space_id == access.space)
    )


def _may_see(access: Access, row: Any) -> bool:
    return is_for(access, agents_in(row.agents))


def _document(row: Any) -> Document:
    return Document(
        id=row.id,
        source_id=row.source_id,
        source=row.name,
        path=row.path,
        title=row.title,
        state=DocumentState(row.state),
        reason=row.reason,
        characters=row.characters,
        content_hash=row.content_hash,
        metadata=json.loads(row.about),
        fetched_at=row.fetched_at,
    )
