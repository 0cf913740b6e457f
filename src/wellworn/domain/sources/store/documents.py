"""Documents as rows: what is served, what waits, what is gone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from wellworn.domain.sources.connectors import SourceItem
from wellworn.domain.sources.models import (
    Document,
    DocumentState,
    Problem,
    SecretNote,
    Source,
)
from wellworn.domain.sources.planning import KnownDocument
from wellworn.domain.sources.stand_ins import Version
from wellworn.domain.sources.store.dates import CHANGED_AT, COMMITTED_AT, DATES
from wellworn.domain.sources.store.sources import is_visible_to, list_visible, parse_agents
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.sources.tables import secret_notes
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import build_value

SERVED = (DocumentState.CURRENT, DocumentState.STALE)
READABLE: Final[Mapping[str, None]] = {"refused_version": None, "refused_by": None}
"""The columns of a document that nothing refused."""
_NO_VERSION: Final = 0

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
class DocumentText:
    """A served document with its words."""

    document: Document
    text: str


def list_known(connection: Connection, source: Source) -> list[KnownDocument]:
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
        build_value(
            KnownDocument,
            row,
            version=row.item_version,
            is_readable=row.state != DocumentState.REFUSED,
            is_gone=row.state == DocumentState.GONE,
            reason=row.reason or "",
        )
        for row in connection.execute(statement)
    ]


def list_page(
    connection: Connection, access: Access, *, source_id: int | None, offset: int, limit: int
) -> list[Document]:
    """Return documents that the caller may see, by source and path; those gone are left out."""
    visible = [source.id for source in list_visible(connection, access)]
    seen = [id_ for id_ in visible if source_id in {None, id_}]
    statement = _select_in_space(access).where(
        documents.c.state != DocumentState.GONE, documents.c.source_id.in_(seen)
    )
    ordered = statement.order_by(documents.c.source_id, documents.c.path)
    return [_to_document(row) for row in connection.execute(ordered.offset(offset).limit(limit))]


def find_text(connection: Connection, access: Access, document_id: int) -> DocumentText | None:
    """Return a served document with its text, unless the caller may not see it."""
    return next(iter(load_texts(connection, access, [document_id])), None)


def load_texts(connection: Connection, access: Access, ids: Collection[int]) -> list[DocumentText]:
    """Return the served documents of these ids with their texts."""
    statement = _select_in_space(access, documents.c.content_text)
    statement = statement.where(documents.c.state.in_(SERVED), documents.c.id.in_(ids))
    return [
        DocumentText(_to_document(row), row.content_text)
        for row in connection.execute(statement.order_by(documents.c.id))
        if is_visible_to(access, parse_agents(row.agents))
    ]


def find_version(connection: Connection, document_id: int) -> Version:
    """Return what a document's address said when it was read last."""
    statement = select(
        documents.c.path, documents.c.content_text, documents.c.metadata.label("about")
    ).where(documents.c.id == document_id)
    row = connection.execute(statement).one()
    return Version.from_metadata(json.loads(row.about), row.content_text, row.path)


def count(connection: Connection, access: Access) -> int:
    """Count the documents of the space that are served."""
    statement = select(func.count()).where(
        documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED)
    )
    return connection.execute(statement).scalar_one()


def count_states(
    connection: Connection, access: Access, source_ids: Collection[int]
) -> Counter[str]:
    """Count the documents of some sources of the space by their state."""
    statement = (
        select(documents.c.state, func.count().label("number"))
        .where(documents.c.knowledge_space_id == access.space)
        .where(documents.c.source_id.in_(source_ids))
        .group_by(documents.c.state)
    )
    return Counter({row.state: row.number for row in connection.execute(statement)})


def count_secret_notes(connection: Connection, access: Access, source_ids: Collection[int]) -> int:
    """Count the secrets that were removed from the documents of some sources of the space."""
    statement = (
        select(func.count())
        .select_from(secret_notes)
        .join(documents, documents.c.id == secret_notes.c.document_id)
        .where(documents.c.knowledge_space_id == access.space)
        .where(documents.c.source_id.in_(source_ids))
    )
    return connection.execute(statement).scalar_one()


def mark_current(connection: Connection, ids: Collection[int], *, now: float) -> None:
    """Say that documents are in their source as they are here."""
    connection.execute(
        update(documents)
        .where(documents.c.id.in_(ids), documents.c.state.in_(SERVED))
        .values(state=DocumentState.CURRENT, reason=None, fetched_at=now, **READABLE)
    )


def move(connection: Connection, document_id: int, item: SourceItem, *, now: float) -> None:
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


def update_version(connection: Connection, document_id: int, version: str) -> None:
    """Note under which version of its source unchanged content is listed now."""
    connection.execute(
        update(documents).where(documents.c.id == document_id).values(item_version=version)
    )


def date_documents(connection: Connection, source: Source, items: Iterable[SourceItem]) -> None:
    """Note of documents when they were changed last, where their source tells it again."""
    dated = {item.path: dates for item in items if (dates := _list_dates(item))}
    statement = select(documents.c.id, documents.c.path, documents.c.metadata.label("about")).where(
        documents.c.source_id == source.id
    )
    for row in connection.execute(statement).all() if dated else ():
        about = json.loads(row.about)
        dates = dated.get(row.path, {})
        if not dates.items() <= about.items():
            changed = json.dumps({**about, **dates}, ensure_ascii=False)
            is_document = documents.c.id == row.id
            connection.execute(update(documents).where(is_document).values(metadata=changed))


def flag(connection: Connection, flagged: Mapping[int, bool], reason: str) -> None:
    """Add a flag to documents that do not have it, or take it from those that do."""
    statement = select(documents.c.id, documents.c.metadata.label("about")).where(
        documents.c.id.in_(list(flagged))
    )
    for row in connection.execute(statement).all():
        about = json.loads(row.about)
        flags = about.get("flags", [])
        if (reason in flags) == flagged[row.id]:
            continue
        flags = [each for each in flags if each != reason] + [reason] * flagged[row.id]
        rest = {key: value for key, value in about.items() if key != "flags"}
        changed = json.dumps({**rest, **({"flags": flags} if flags else {})}, ensure_ascii=False)
        is_document = documents.c.id == row.id
        connection.execute(update(documents).where(is_document).values(metadata=changed))


def _list_dates(item: SourceItem) -> dict[str, float]:
    dates = {COMMITTED_AT: item.committed_at, CHANGED_AT: item.changed_at}
    return {name: moment for name, moment in dates.items() if moment is not None}


def mark_stale(connection: Connection, ids: Collection[int], reason: str) -> None:
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


def mark_missing(connection: Connection, ids: Collection[int], reason: str) -> None:
    """Say of served documents that their source does not give them as they are here."""
    connection.execute(
        update(documents)
        .where(documents.c.id.in_(ids), documents.c.state.in_(SERVED))
        .values(state=DocumentState.STALE, reason=reason, **READABLE)
    )


def mark_gone(connection: Connection, ids: Collection[int], *, now: float) -> None:
    """Serve documents no more; they can come back for a while."""
    connection.execute(
        update(documents)
        .where(documents.c.id.in_(ids))
        .values(state=DocumentState.GONE, gone_at=now, reason="it is not in its source any more")
    )


def add_refused(
    connection: Connection,
    access: Access,
    source: Source,
    item: SourceItem,
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
            "maker": _NO_VERSION,
            **_refusal(item, problem, by),
        },
    )


def mark_refused(
    connection: Connection, document_id: int, item: SourceItem, problem: Problem, *, by: int | None
) -> None:
    """Note why a document cannot be read now: one with text stays as it was, and is stale."""
    refusal, is_document = _refusal(item, problem, by), documents.c.id == document_id
    is_empty = documents.c.state.in_((DocumentState.REFUSED, DocumentState.GONE))
    for where, values in (
        (is_empty, {"state": DocumentState.REFUSED, "maker": _NO_VERSION}),
        (~is_empty, {"state": DocumentState.STALE}),
    ):
        connection.execute(update(documents).where(is_document, where).values(**values, **refusal))


def _refusal(item: SourceItem, problem: Problem, by: int | None) -> dict[str, Any]:
    return {"reason": problem.reason, "refused_version": item.version, "refused_by": by}


def remove(connection: Connection, ids: Collection[int]) -> None:
    """Delete documents and what is noted of them; their chunks must be gone before."""
    connection.execute(delete(secret_notes).where(secret_notes.c.document_id.in_(ids)))
    connection.execute(delete(documents).where(documents.c.id.in_(ids)))


def list_uploaded(
    connection: Connection, access: Access, member_id: str, since: float
) -> list[int]:
    """Return the documents that a member uploaded or imported since a moment."""
    statement = select(documents.c.id).where(
        documents.c.knowledge_space_id == access.space,
        documents.c.uploaded_by == member_id,
        documents.c.uploaded_at >= since,
    )
    return list(connection.execute(statement).scalars())


def list_expired(connection: Connection, *, before: float) -> list[int]:
    """Return the documents of all spaces that went before a moment."""
    statement = select(documents.c.id).where(
        documents.c.state == DocumentState.GONE, documents.c.gone_at < before
    )
    return list(connection.execute(statement).scalars())


def list_ids(connection: Connection, source: Source) -> list[int]:
    statement = select(documents.c.id).where(documents.c.source_id == source.id)
    return list(connection.execute(statement).scalars())


def replace_secret_notes(
    connection: Connection, document_id: int, notes: Iterable[tuple[str, int]]
) -> None:
    """Write where secrets were removed from a document: kind and line."""
    connection.execute(delete(secret_notes).where(secret_notes.c.document_id == document_id))
    rows = [{"document_id": document_id, "kind": kind, "line": line} for kind, line in notes]
    if rows:
        connection.execute(insert(secret_notes), rows)


def list_secret_notes(connection: Connection, source: Source) -> list[SecretNote]:
    """Return where secrets were removed from the documents of a source."""
    statement = (
        select(documents.c.path, secret_notes.c.kind, secret_notes.c.line)
        .join_from(secret_notes, documents, documents.c.id == secret_notes.c.document_id)
        .where(documents.c.source_id == source.id)
        .order_by(documents.c.path, secret_notes.c.line)
    )
    return [SecretNote(*row) for row in connection.execute(statement)]


def _select_in_space(access: Access, *more: ColumnElement[Any]) -> Any:
    return (
        select(*_COLUMNS, *more)
        .join_from(documents, sources, sources.c.id == documents.c.source_id)
        .where(documents.c.knowledge_space_id == access.space)
    )


def _to_document(row: Any) -> Document:
    state, about = DocumentState(row.state), json.loads(row.about)
    for name in DATES:  # Told beside quotes, in the form of all times.
        about.pop(name, None)
    return build_value(Document, row, source=row.name, state=state, metadata=about)
