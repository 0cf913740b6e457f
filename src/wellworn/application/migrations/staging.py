"""Vectors of the next encoder, built beside the memory and swapped in when complete.

The memory serves on by its old encoder meanwhile. Then one transaction puts the rows in place; done
again after a kill, it does the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from wellworn.domain.sources.tables import knowledge_chunks
from wellworn.domain.thoughts.tables import features, query_log, thoughts
from wellworn.domain.turns.tables import turns
from wellworn.engines.storage.sql import Database

_AT_ONCE: Final = 500
_COPIED: Final = ("maker", "shape", "asks", "times", "codes", "counts")
_tables = MetaData()


def _feature_table(name: str) -> Table:
    """Return a table of the columns that features have, for the thoughts or chunks of a memory."""
    columns = [
        Column(column, features.c[column].type, nullable=False) for column in (*_COPIED, "passages")
    ]
    return Table(name, _tables, Column("seq", Integer, primary_key=True), *columns)


_STAGED: Final = {kind: _feature_table(f"staged_{kind}") for kind in ("thoughts", "chunks")}
_staged_turns = Table(
    "staged_turns",
    _tables,
    Column("id", String, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)


class FeatureRows:
    """The staged features of thoughts or of chunks."""

    def __init__(self, database: Database, table: Table) -> None:
        self._database = database
        self._table = table

    def list_seqs(self) -> set[int]:
        """Return the thoughts or chunks whose features are staged."""
        with self._database.read() as transaction:
            return set(transaction.execute(select(self._table.c.seq)).scalars())

    def save(self, rows: Mapping[int, Any]) -> None:
        """Stage features, given by seq."""
        if not rows:
            return
        made = [{"seq": seq, **_to_columns(row)} for seq, row in rows.items()]
        with self._database.write() as transaction:
            transaction.execute(delete(self._table).where(self._table.c.seq.in_(rows)))
            transaction.execute(insert(self._table), made)

    def read(self) -> Iterator[Sequence[Any]]:
        """Yield all of them in batches."""
        table, after = self._table, 0
        while True:
            with self._database.read() as transaction:
                statement = select(table).where(table.c.seq > after).order_by(table.c.seq)
                rows = transaction.execute(statement.limit(_AT_ONCE)).all()
            if not rows:
                return
            yield rows
            after = rows[-1].seq


class StagedRows:
    """The staged rows of one encoder, in a file of their own."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path)
        with self._database.write() as transaction:
            _tables.create_all(transaction)

    def close(self) -> None:
        self._database.close()

    def stage(self, kind: str) -> FeatureRows:
        """Return the features of `thoughts` or of `chunks`."""
        return FeatureRows(self._database, _STAGED[kind])

    def list_turns(self) -> set[str]:
        """Return the ids of turns whose vectors are staged."""
        with self._database.read() as transaction:
            return set(transaction.execute(select(_staged_turns.c.id)).scalars())

    def save_turns(self, vectors: Mapping[str, bytes]) -> None:
        """Stage the vectors of turns, given by id."""
        rows = [{"id": id_, "vector": vector} for id_, vector in vectors.items()]
        with self._database.write() as transaction:
            transaction.execute(delete(_staged_turns).where(_staged_turns.c.id.in_(vectors)))
            transaction.execute(insert(_staged_turns), rows)

    def read_turns(self) -> list[dict[str, Any]]:
        """Return the staged vectors of turns."""
        with self._database.read() as transaction:
            rows = transaction.execute(select(_staged_turns)).all()
        return [{"turn": row.id, "vector": row.vector} for row in rows]


def _to_columns(row: Any) -> dict[str, Any]:
    columns = {name: getattr(row, name) for name in _COPIED if name != "maker"}
    # A chunk is one passage, and calls its maker a version.
    maker = row.maker if hasattr(row, "maker") else row.version
    return {**columns, "maker": maker, "passages": getattr(row, "passages", 1)}


def list_ended_turns(database: Database) -> list[tuple[str, str]]:
    """Return id and question of every turn that has a vector."""
    statement = select(turns.c.id, turns.c.resolved_query).where(turns.c.vector.is_not(None))
    with database.read() as transaction:
        return [(row.id, row.resolved_query) for row in transaction.execute(statement)]


def apply_staged(database: Database, path: Path) -> None:
    """Put the staged rows in place, in one transaction.

    What was asked before keeps its words, not its vector, which compares with no other now.
    """
    with closing(StagedRows(path)) as rows, database.write() as transaction:
        for batch in rows.stage("thoughts").read():
            _replace_features(transaction, batch)
        for batch in rows.stage("chunks").read():
            _update(transaction, knowledge_chunks, batch)
        transaction.execute(update(turns).values(vector=None))
        if vectors := rows.read_turns():
            statement = update(turns).where(turns.c.id == bindparam("turn"))
            transaction.execute(statement.values(vector=bindparam("vector")), vectors)
        has_vector = query_log.c.query_vector.is_not(None)
        transaction.execute(update(query_log).where(has_vector).values(query_vector=None))


def _replace_features(transaction: Connection, batch: Sequence[Any]) -> None:
    """Give thoughts that are still there their new features."""
    seqs = [row.seq for row in batch]
    living = select(thoughts.c.seq).where(thoughts.c.seq.in_(seqs), thoughts.c.erased_at.is_(None))
    there = set(transaction.execute(living).scalars())
    transaction.execute(delete(features).where(features.c.thought_seq.in_(there)))
    columns = (*_COPIED, "passages")
    made = [
        {"thought_seq": row.seq, **{name: getattr(row, name) for name in columns}}
        for row in batch
        if row.seq in there
    ]
    if made:
        transaction.execute(insert(features), made)


def _update(transaction: Connection, table: Table, batch: Sequence[Any]) -> None:
    rows = [{"of": row.seq, **{name: getattr(row, name) for name in _COPIED}} for row in batch]
    transaction.execute(
        update(table)
        .where(table.c.seq == bindparam("of"))
        .values({name: bindparam(name) for name in _COPIED}),
        rows,
    )
