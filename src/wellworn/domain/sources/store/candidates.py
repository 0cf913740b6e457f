"""Reads chunks for a search: identifiers, what ranking needs, and the words that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, cast

from sqlalchemy import Connection, Select, bindparam, func, select

from wellworn.domain.sources.store.chunks import LONGEST_KEY
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.store.sources import is_visible_to, parse_agents
from wellworn.domain.sources.tables import (
    chunk_identifiers,
    knowledge_chunks,
    knowledge_documents,
    knowledge_sources,
)
from wellworn.domain.spaces import Access
from wellworn.engines.retrieval import Shape, Unit
from wellworn.engines.storage.sql import compare_with_list

chunks, documents, sources = knowledge_chunks, knowledge_documents, knowledge_sources


def find_visible_sources(connection: Connection, access: Access) -> frozenset[int] | None:
    """Return the only sources of the space that the caller may see; None if these are all."""
    statement = select(sources.c.id, sources.c.agents).where(
        sources.c.knowledge_space_id == access.space
    )
    rows = connection.execute(statement).all()
    seen = frozenset(row.id for row in rows if is_visible_to(access, parse_agents(row.agents)))
    return None if len(seen) == len(rows) else seen


def select_visible(connection: Connection, access: Access) -> Select[tuple[int]] | None:
    """Return a query for the documents that the caller may see; None if these are all."""
    seen = find_visible_sources(connection, access)
    return None if seen is None else select(documents.c.id).where(documents.c.source_id.in_(seen))


def count_identifiers(
    connection: Connection,
    access: Access,
    keys: Collection[str],
    *,
    most: int,
    among: Collection[int],
) -> dict[int, int]:
    """Return the served chunks that hold identifiers, and how many of the asked ones each does.

    An identifier that more than `most` chunks hold tells none of them apart: only those `among`
    the given ones are returned for it.
    """
    if not keys:
        return {}
    asked = [key[:LONGEST_KEY] for key in keys]
    held = _select_holders(access, asked).group_by(chunk_identifiers.c.key)
    counted = connection.execute(held.with_only_columns(chunk_identifiers.c.key, func.count()))
    common = [key for key, count in counted if count > most]
    rare = [key for key in asked if key not in common]
    counts: Counter[int] = Counter(connection.execute(_select_holders(access, rare)).scalars())
    if common:
        near = chunk_identifiers.c.chunk_seq.in_(list(among))
        counts.update(connection.execute(_select_holders(access, common).where(near)).scalars())
    return dict(counts)


def _select_holders(access: Access, keys: Collection[str]) -> Select[int]:
    """Select a row for each of the keys that a served chunk of the space holds."""
    return (
        select(chunk_identifiers.c.chunk_seq)
        .join_from(chunk_identifiers, chunks, chunks.c.seq == chunk_identifiers.c.chunk_seq)
        .join(documents, documents.c.id == chunks.c.document_id)
        .where(
            chunk_identifiers.c.knowledge_space_id == access.space,
            chunk_identifiers.c.key.in_(list(keys)),
            documents.c.state.in_(SERVED),
        )
    )


_UNITS = (
    select(
        chunks.c.seq,
        chunks.c.knowledge_space_id,
        chunks.c.document_id,
        chunks.c.number,
        chunks.c.shape,
        chunks.c.asks,
        chunks.c.times,
        chunks.c.codes,
        chunks.c.counts,
        chunks.c.maker,
        documents.c.state,
        documents.c.fetched_at,
    )
    .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
    .where(compare_with_list(chunks.c.seq, "seqs"))
)


def load_units(
    connection: Connection,
    access: Access,
    seqs: Collection[int],
    *,
    makers: Collection[int],
) -> list[Unit]:
    """Return what ranking needs of those chunks that are served in this space."""
    rows = connection.execute(_UNITS, {"seqs": list(seqs)}).all()
    return [_to_unit(row, makers) for row in rows if row[1] == access.space and row[10] in SERVED]


def _to_unit(row: Any, makers: Collection[int]) -> Unit:
    # By place, not by name: there are hundreds of rows a call.
    seq, _, document, number, shape, asks, times, codes, counts, version, _, fetched_at = row
    place = (str(document), number)
    if version not in makers:
        return Unit(seq, "section", place, "", fetched_at)
    shaped = cast("Shape", shape)
    return Unit(seq, shaped, place, "", fetched_at, codes, counts, asks, times)


_TEXTS = (
    select(
        chunks.c.seq,
        func.substr(
            documents.c.content_text, chunks.c.start + 1, chunks.c.end - chunks.c.start
        ).label("text"),
    )
    .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
    .where(
        chunks.c.knowledge_space_id == bindparam("space"),
        compare_with_list(chunks.c.seq, "seqs"),
    )
)


def load_texts(connection: Connection, access: Access, seqs: Sequence[int]) -> dict[int, str]:
    """Return the words of served chunks of this space."""
    parameters = {"space": access.space, "seqs": list(seqs)}
    return {row.seq: row.text for row in connection.execute(_TEXTS, parameters)}
