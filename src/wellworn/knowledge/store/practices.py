"""The only SQL of best practices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select

from wellworn.knowledge.models import Chunk, Practice, PracticeFile
from wellworn.knowledge.tables import practices
from wellworn.spaces import Access

_PAGE = 1_000


def seq_of(connection: Connection, access: Access, practice_id: str) -> int | None:
    statement = select(practices.c.seq).where(
        practices.c.id == practice_id, practices.c.knowledge_space_id == access.space
    )
    return connection.execute(statement).scalar()


def add(
    connection: Connection, access: Access, practice: Practice, *, practice_id: str, now: float
) -> int:
    row = connection.execute(
        insert(practices).returning(practices.c.seq),
        {
            **asdict(practice),
            "id": practice_id,
            "knowledge_space_id": access.space,
            "timestamp": now,
        },
    ).one()
    return int(row.seq)


def by_seq(
    connection: Connection, access: Access, seqs: Sequence[int]
) -> dict[int, tuple[str, Practice, float]]:
    """Return id, practice and time of each seq that is in the space."""
    statement = select(practices).where(
        practices.c.seq.in_(seqs), practices.c.knowledge_space_id == access.space
    )
    return {
        row.seq: (row.id, practice_of(row), row.timestamp) for row in connection.execute(statement)
    }


def practice_of(row: Row[tuple[object, ...]]) -> Practice:
    return Practice(
        content=row.content,
        domain=row.domain,
        source=row.source,
        file_path=row.file_path,
        file_name=row.file_name,
        chunk_index=row.chunk_index,
        total_chunks=row.total_chunks,
    )


def living(connection: Connection, seqs: Sequence[int] | None) -> set[int]:
    """Return those of the chunks that are there, in all spaces; with None every chunk."""
    statement = select(practices.c.seq)
    if seqs is not None:
        statement = statement.where(practices.c.seq.in_(seqs))
    return set(connection.execute(statement).scalars())


def rows(connection: Connection, seqs: Sequence[int]) -> list[tuple[int, str, Practice]]:
    """Return seq, space and practice, for the index."""
    statement = select(practices).where(practices.c.seq.in_(seqs)).order_by(practices.c.seq)
    return [
        (row.seq, row.knowledge_space_id, practice_of(row)) for row in connection.execute(statement)
    ]


def files(connection: Connection, access: Access) -> list[PracticeFile]:
    """Return every file that chunks are of, oldest first; chunks of no file go by their source."""
    key = (practices.c.domain, practices.c.source, practices.c.file_path)
    statement = (
        select(*key, func.count())
        .where(practices.c.knowledge_space_id == access.space)
        .group_by(*key)
        .order_by(func.min(practices.c.seq))
    )
    return [PracticeFile(*row) for row in connection.execute(statement)]


def chunks(
    connection: Connection, access: Access, file: PracticeFile, *, limit: int
) -> list[Chunk]:
    """Return the first chunks of a file, in its order."""
    statement = select(practices).where(
        practices.c.knowledge_space_id == access.space,
        practices.c.domain == file.domain,
        practices.c.source == file.source,
        practices.c.file_path == file.path,
    )
    ordered = statement.order_by(practices.c.chunk_index, practices.c.seq)
    return [
        Chunk(row.id, row.content, row.source, row.timestamp)
        for row in connection.execute(ordered.limit(limit))
    ]


def purge(connection: Connection, access: Access) -> list[int]:
    """Delete every chunk of the space; return their seqs."""
    ours = practices.c.knowledge_space_id == access.space
    gone = connection.execute(delete(practices).where(ours).returning(practices.c.seq))
    return list(gone.scalars())


def all_practices(connection: Connection, access: Access) -> Iterator[dict[str, Any]]:
    """Yield every chunk of the space in the order they were stored."""
    columns = [one for one in practices.c if one.name not in {"seq", "knowledge_space_id"}]
    statement = select(*columns).where(practices.c.knowledge_space_id == access.space)
    result = connection.execute(
        statement.order_by(practices.c.seq), execution_options={"yield_per": _PAGE}
    )
    for row in result.mappings():
        yield dict(row)


def unknown(
    connection: Connection, access: Access, given: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the chunks that are not in the space, each once, in their order."""
    new = {row["id"]: row for row in reversed(given)}
    for known in _seqs(connection, access, list(new)):
        del new[known]
    return list(reversed(new.values()))


def add_all(
    connection: Connection, access: Access, new: Sequence[dict[str, Any]]
) -> dict[str, int]:
    """Store unknown chunks; return the seq of each id."""
    if new:
        space = {"knowledge_space_id": access.space}
        connection.execute(insert(practices), [{**row, **space} for row in new])
    return _seqs(connection, access, [row["id"] for row in new])


def _seqs(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, int]:
    statement = select(practices.c.id, practices.c.seq).where(
        practices.c.knowledge_space_id == access.space, practices.c.id.in_(ids)
    )
    return {row.id: row.seq for row in connection.execute(statement.order_by(practices.c.seq))}
