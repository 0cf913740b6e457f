"""Chunks as rows: those that are served, those that wait for their document, and identifiers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, select, update

from wellworn.domain.sources.chunking import Chunk
from wellworn.domain.sources.features import IndexedChunk
from wellworn.domain.sources.identifiers import find_identifiers, normalize_identifier
from wellworn.domain.sources.models import DocumentState
from wellworn.domain.sources.store.dates import DATE, FLAGS, read_doubt, read_moment
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.store.sources import is_visible_to, parse_agents
from wellworn.domain.sources.tables import (
    chunk_identifiers,
    knowledge_chunks,
    knowledge_documents,
    knowledge_sources,
    knowledge_staged,
)
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import compare_with_list, fetch

chunks, documents, sources = knowledge_chunks, knowledge_documents, knowledge_sources
staged = knowledge_staged
LONGEST_KEY = 200
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A served chunk, where it is, and whether its document is one that its source gives now."""

    seq: int
    document_id: int
    source_id: int
    source: str
    path: str
    title: str | None
    is_stale: bool
    fetched_at: float
    dated_at: float | None
    encoding_note: str
    start: int
    end: int
    headings: tuple[str, ...]
    anchor: str
    page: int | None


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be stored: its place, what it is looked up by, and what was made of its words."""

    number: int
    chunk: Chunk
    keys: Collection[str]
    chunk_hash: str
    indexed: IndexedChunk


def add(
    connection: Connection,
    access: Access,
    source_id: int,
    staged_id: int,
    fresh: Sequence[NewChunk],
) -> list[int]:
    """Store chunks that wait; return their numbers."""
    if not fresh:
        return []
    stored = connection.execute(
        insert(chunks).returning(chunks.c.seq, sort_by_parameter_order=True),
        [
            {
                "knowledge_space_id": access.space,
                "source_id": source_id,
                "staged_id": staged_id,
                "chunk_hash": chunk.chunk_hash,
                **_to_position_columns(chunk.number, chunk.chunk),
                **_to_feature_columns(chunk.indexed),
            }
            for chunk in fresh
        ],
    )
    seqs = list(stored.scalars())
    rows = [
        {"knowledge_space_id": access.space, "key": key, "chunk_seq": seq}
        for seq, chunk in zip(seqs, fresh, strict=True)
        for key in chunk.keys
    ]
    if rows:
        connection.execute(insert(chunk_identifiers), rows)
    return seqs


def extract_keys(text: str) -> frozenset[str]:
    """Return the keys by which the identifiers of a text are looked up."""
    return frozenset(
        normalize_identifier(identifier.value)[:LONGEST_KEY]
        for identifier in find_identifiers(text)
    )


def _to_feature_columns(chunk: IndexedChunk) -> dict[str, Any]:
    """Return the columns that a model and rules made."""
    return {
        "maker": chunk.version,
        "shape": chunk.shape,
        "asks": chunk.asks,
        "times": chunk.times,
        "codes": chunk.codes,
        "counts": chunk.counts,
    }


def _to_position_columns(number: int, chunk: Chunk) -> dict[str, Any]:
    return {
        "number": number,
        "start": chunk.start,
        "end": chunk.end,
        "headings": json.dumps(chunk.headings, ensure_ascii=False),
        "anchor": chunk.anchor,
        "page": chunk.page,
    }


def update_position(connection: Connection, seq: int, number: int, chunk: Chunk) -> None:
    """Give a chunk that stays its place in the new version of its document."""
    connection.execute(
        update(chunks).where(chunks.c.seq == seq).values(**_to_position_columns(number, chunk))
    )


def list_hashes(
    connection: Connection, document_id: int, makers: Collection[int]
) -> dict[str, list[int]]:
    """Return the served chunks of a document that these makers made, by hash."""
    statement = select(chunks.c.seq, chunks.c.chunk_hash).where(
        chunks.c.document_id == document_id, chunks.c.maker.in_(makers)
    )
    by_hash: dict[str, list[int]] = {}
    for row in connection.execute(statement.order_by(chunks.c.number)):
        by_hash.setdefault(row.chunk_hash, []).append(row.seq)
    return by_hash


def publish_staged(
    connection: Connection, staged_id: int, document_id: int, reused: Collection[int]
) -> list[int]:
    """Give a document the chunks that waited; return the numbers of those that go for them."""
    old = connection.execute(
        select(chunks.c.seq).where(chunks.c.document_id == document_id, chunks.c.seq.not_in(reused))
    )
    gone = list(old.scalars())
    remove(connection, gone)
    connection.execute(
        update(chunks)
        .where(chunks.c.staged_id == staged_id)
        .values(document_id=document_id, staged_id=None)
    )
    return gone


def remove(connection: Connection, seqs: Sequence[int]) -> None:
    for start in range(0, len(seqs), _AT_ONCE):
        part = seqs[start : start + _AT_ONCE]
        connection.execute(delete(chunk_identifiers).where(chunk_identifiers.c.chunk_seq.in_(part)))
        connection.execute(delete(chunks).where(chunks.c.seq.in_(part)))


def list_by_documents(connection: Connection, ids: Collection[int]) -> list[int]:
    statement = select(chunks.c.seq).where(chunks.c.document_id.in_(ids))
    return list(connection.execute(statement).scalars())


def list_staged(connection: Connection, staged_ids: Collection[int]) -> list[int]:
    statement = select(chunks.c.seq).where(chunks.c.staged_id.in_(staged_ids))
    return list(connection.execute(statement).scalars())


def filter_existing(connection: Connection, seqs: Sequence[int] | None) -> set[int]:
    """Return those of the chunks that are there, in all spaces; with None every chunk."""
    statement = select(chunks.c.seq)
    if seqs is not None:
        statement = statement.where(chunks.c.seq.in_(seqs))
    return set(connection.execute(statement).scalars())


def list_outdated(connection: Connection, makers: Collection[int]) -> list[int]:
    """Return the served chunks of all spaces that none of these makers made, ascending."""
    statement = select(chunks.c.seq).where(
        chunks.c.maker.not_in(makers), chunks.c.document_id.is_not(None)
    )
    return list(connection.execute(statement.order_by(chunks.c.seq)).scalars())


_NEWEST = (
    select(chunks.c.seq)
    .where(chunks.c.maker == bindparam("maker"), chunks.c.document_id.is_not(None))
    .order_by(chunks.c.seq.desc())
    .limit(bindparam("most"))
)
_NEWEST_OF = _NEWEST.where(compare_with_list(chunks.c.document_id, "of"))


def list_newest(
    connection: Connection, maker: int, *, most: int, of: Collection[int] = ()
) -> list[int]:
    """Return the served chunks of all spaces that this maker made, newest first.

    Those of some documents alone, if `of` names any.
    """
    statement, documents_of = (_NEWEST_OF, {"of": list(of)}) if of else (_NEWEST, {})
    rows = fetch(connection, statement, {"maker": maker, "most": most, **documents_of})
    return [seq for (seq,) in rows]


@dataclass(frozen=True, slots=True)
class IndexableChunk:
    """A chunk as the index is made of it: `text` is the document's."""

    seq: int
    space: str
    source_id: int
    title: str
    about: Mapping[str, Any]
    chunk: Chunk
    text: str


def load_indexable(connection: Connection, seqs: Sequence[int]) -> list[IndexableChunk]:
    """Return chunks with the words of their documents, or of the versions that wait."""
    statements = (
        select(chunks, of.c.title, of.c.metadata.label("about"), of.c.content_text)
        .join_from(chunks, of, of.c.id == number)
        .where(chunks.c.seq.in_(seqs))
        for of, number in ((documents, chunks.c.document_id), (staged, chunks.c.staged_id))
    )
    return [
        IndexableChunk(
            row.seq,
            row.knowledge_space_id,
            row.source_id,
            row.title or "",
            json.loads(row.about),
            _chunk(row),
            row.content_text,
        )
        for statement in statements
        for row in connection.execute(statement)
    ]


def recover(connection: Connection) -> None:
    """Drop the chunks of lost documents of all spaces, and have the other documents cut again."""
    is_orphan = and_(chunks.c.document_id.is_(None), chunks.c.staged_id.is_(None))
    orphans = select(chunks.c.seq).where(is_orphan)
    of_orphans = chunk_identifiers.c.chunk_seq.in_(orphans)
    connection.execute(delete(chunk_identifiers).where(of_orphans))
    connection.execute(delete(chunks).where(is_orphan))
    # Of no version: a repair or the next sync reads them again.
    connection.execute(update(documents).values(maker=0))


def update_keys(connection: Connection, indexable: Sequence[IndexableChunk]) -> None:
    """Look up chunks by the identifiers that are found in them now."""
    for chunk in indexable:
        connection.execute(
            delete(chunk_identifiers).where(chunk_identifiers.c.chunk_seq == chunk.seq)
        )
        rows = [
            {"knowledge_space_id": chunk.space, "key": key, "chunk_seq": chunk.seq}
            for key in extract_keys(chunk.text[chunk.chunk.start : chunk.chunk.end])
        ]
        if rows:
            connection.execute(insert(chunk_identifiers), rows)


def update_features(connection: Connection, indexed: Mapping[int, IndexedChunk]) -> None:
    """Write what another maker made of chunks."""
    for seq, chunk in indexed.items():
        connection.execute(
            update(chunks).where(chunks.c.seq == seq).values(**_to_feature_columns(chunk))
        )


_STEPS = 2
"""Further off nothing of a document counts: `retrieval.weights.NEIGHBOURHOOD`, `AROUND_STEPS`."""
_beside = chunks.alias("beside")
_BESIDE = (
    select(_beside.c.seq)
    .join_from(
        chunks,
        _beside,
        and_(
            _beside.c.document_id == chunks.c.document_id,
            _beside.c.number.between(chunks.c.number - _STEPS, chunks.c.number + _STEPS),
        ),
    )
    .where(compare_with_list(chunks.c.seq, "seqs"))
)


def list_neighbors(connection: Connection, seqs: Sequence[int]) -> list[int]:
    """Return the chunks up to two places before or after these in their documents."""
    return list(connection.execute(_BESIDE, {"seqs": list(seqs)}).scalars())


_ROWS = (
    select(
        *(chunks.c.seq, chunks.c.knowledge_space_id, chunks.c.document_id, chunks.c.source_id),
        *(chunks.c.start, chunks.c.end, chunks.c.headings, chunks.c.anchor, chunks.c.page),
        sources.c.name.label("source"),
        sources.c.agents,
        documents.c.path,
        documents.c.title,
        documents.c.state,
        documents.c.fetched_at,
        DATE,
        FLAGS,
    )
    .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
    .join(sources, sources.c.id == chunks.c.source_id)
    .where(compare_with_list(chunks.c.seq, "seqs"))
)


def load_visible(
    connection: Connection, access: Access, seqs: Sequence[int]
) -> dict[int, ChunkRow]:
    """Return those of the chunks that are served in this space and that the caller may see."""
    selected = connection.execute(_ROWS, {"seqs": list(seqs)})
    return {
        row.seq: _row(row)
        for row in selected
        if row.knowledge_space_id == access.space
        and row.state in SERVED
        and is_visible_to(access, parse_agents(row.agents))
    }


def _row(row: Any) -> ChunkRow:
    return ChunkRow(
        seq=row.seq,
        document_id=row.document_id,
        source_id=row.source_id,
        source=row.source,
        path=row.path,
        title=row.title,
        is_stale=row.state == DocumentState.STALE,
        fetched_at=row.fetched_at,
        dated_at=read_moment(row.dated_at),
        encoding_note=read_doubt(row.flags),
        start=row.start,
        end=row.end,
        headings=tuple(json.loads(row.headings)),
        anchor=row.anchor,
        page=row.page,
    )


def _chunk(row: Any) -> Chunk:
    return Chunk(row.start, row.end, tuple(json.loads(row.headings)), row.anchor, row.page)


def count(connection: Connection, access: Access) -> int:
    """Count the chunks of the space that are served."""
    statement = select(func.count()).where(
        chunks.c.knowledge_space_id == access.space, chunks.c.document_id.is_not(None)
    )
    return connection.execute(statement).scalar_one()
