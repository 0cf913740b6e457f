"""The points of an index that several servers have, each a copy of: rows of their one database.

A point is written in the transaction of its unit, and each server takes in what others wrote before
it answers a call. So vectors are made once, and a server that joins need not make any.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

import numpy as np
from sqlalchemy import (
    BigInteger,
    Column,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    inspect,
    select,
)

from wellworn.engines.storage.sql import (
    Database,
    Transaction,
    add_up,
    compare_with_list,
    fetch,
    undo_with,
)
from wellworn.engines.storage.sql.database import Change, Everything
from wellworn.engines.storage.sql.shared import SharedDatabase
from wellworn.engines.storage.vectors.point_table import Row

VECTORS: Final = "server_vectors_"
"""What names of tables begin with that pgvector searches; the kind and the encoder follow."""
_AT_ONCE: Final = 2_000
_tables = MetaData()
_POINTS: Final = Table(
    "server_points",
    _tables,
    Column("kind", Text, primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("vector", LargeBinary, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("space", Text, nullable=False),
    Column("contributor", Text, nullable=False),
    Column("tags", Text, nullable=False),
)
_NAMES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
_C = _POINTS.c
_OF_KIND = _C.kind == bindparam("of")
_ROWS = select(*(_C[name] for name in Row._fields)).where(_OF_KIND)
_GET = _ROWS.where(compare_with_list(_C.id, "ids"))
_PAGE = _ROWS.where(_C.id > bindparam("after")).order_by(_C.id).limit(_AT_ONCE)
_GONE = delete(_POINTS).where(_OF_KIND, compare_with_list(_C.id, "ids"))


class SharedPoints:
    """The points of one kind, made by one encoder."""

    def __init__(self, database: Database, kind: str, encoder: str) -> None:
        """Make the table, where there is none; points of other encoders are dropped.

        Raises:
            StorageUnavailable: the database failed.
        """
        assert isinstance(database, SharedDatabase)  # noqa: S101 - narrows for the checker
        self._database = database
        self._topic, self._encoder = kind, encoder
        self._kind = f"{kind}.{encoder}"
        with database.write() as transaction:
            self._prepare(transaction)

    def _prepare(self, transaction: Transaction) -> None:
        if not inspect(transaction).has_table(_POINTS.name):
            _tables.create_all(transaction)
        of_topic = _C.kind.startswith(f"{self._topic}.", autoescape=True)
        transaction.execute(delete(_POINTS).where(of_topic & (_C.kind != self._kind)))

    @property
    def is_undoing(self) -> bool:
        """Whether a failed transaction is taken back, of which nothing is left here."""
        return self._database.is_undoing

    @property
    def seen(self) -> int:
        """The number of the last change that this server has."""
        return self._database.seen

    def follow(self, change: Change, everything: Everything, *, seen: int) -> None:
        """Take in what other servers change, after the number that was `seen`."""
        self._database.follow(self._topic, change, everything, seen=seen)

    @contextmanager
    def changing(self) -> Generator[None]:
        """Be up to date, and stay it to the end of this thread's transaction, or of the block's."""
        if self._database.transaction is not None:
            self._database.catch_up()
            yield
            return
        with self._database.share_write(least_free_bytes=0):
            self._database.catch_up()
            yield

    def put(self, rows: Sequence[Row], undo: Callable[[], None]) -> None:
        """Write points while `changing`; `undo` runs if the transaction fails."""
        self._put(self._begin([row.id for row in rows], undo), rows)

    def delete(self, ids: Sequence[int], undo: Callable[[], None]) -> None:
        """Remove points while `changing`; `undo` runs if the transaction fails."""
        self._remove(self._begin(ids, undo), ids)

    def _begin(self, ids: Sequence[int], undo: Callable[[], None]) -> Transaction:
        transaction = self._database.transaction
        assert transaction is not None  # noqa: S101 - narrows for the checker
        undo_with(transaction, undo)
        self._database.note_change(self._topic, ids)
        return transaction

    def give(self, rows: Sequence[Row]) -> None:
        """Write the points of the first server, which nobody changes meanwhile."""
        with self._database.write() as transaction:
            self._put(transaction, rows)

    def take_back(self) -> None:
        """Have the points that pgvector compared before, and drop the tables that it searched."""
        with self._database.read() as transaction:
            prefix = f"{VECTORS}{self._topic}_"
            tables = [name for name in list_tables(transaction) if name.startswith(prefix)]
            own, after = f"{prefix}{self._encoder}", 0
            while own in tables and (rows := _read_vectors(transaction, own, after)):
                self.give(rows)
                after = rows[-1].id
        if tables:
            with self._database.write() as transaction:
                transaction.exec_driver_sql(f"DROP TABLE {', '.join(tables)}")

    def clear(self) -> None:
        """Remove all points, which nobody has meanwhile."""
        with self._database.write() as transaction:
            transaction.execute(delete(_POINTS).where(_C.kind == self._kind))

    def reading(self) -> AbstractContextManager[Transaction]:
        """Return a transaction to read in."""
        return self._database.read()

    def has_any(self, transaction: Transaction) -> bool:
        """Tell whether anybody has shared a point."""
        return bool(self._page(transaction, 0))

    def find_newest(self, transaction: Transaction) -> int:
        """Return the number of the last change that a transaction sees."""
        return self._database.find_newest(transaction)

    def load(self, ids: Sequence[int], transaction: Transaction | None = None) -> list[Row]:
        """Return the points of these ids that are there."""
        if transaction is None:
            with self._database.read() as reading:
                return self.load(ids, reading)
        rows: list[Row] = []
        for start in range(0, len(ids), _AT_ONCE):
            rows += self._get(transaction, ids[start : start + _AT_ONCE])
        return rows

    def pages(self, transaction: Transaction) -> Iterator[list[Row]]:
        """Yield all points by their ids, some thousands at a time."""
        after = 0
        while page := self._page(transaction, after):
            yield page
            after = page[-1].id

    def _put(self, transaction: Transaction, rows: Sequence[Row]) -> None:
        stored = [{"kind": self._kind, **row._asdict()} for row in rows]
        add_up(transaction, _POINTS, stored, latest=Row._fields[1:])

    def _remove(self, transaction: Transaction, ids: Sequence[int]) -> None:
        transaction.execute(_GONE, {"of": self._kind, "ids": [*ids]})

    def _get(self, transaction: Transaction, ids: Sequence[int]) -> list[Row]:
        rows = fetch(transaction, _GET, {"of": self._kind, "ids": [*ids]})
        return [*map(Row._make, rows)]

    def _page(self, transaction: Transaction, after: int) -> list[Row]:
        rows = fetch(transaction, _PAGE, {"of": self._kind, "after": after})
        return [*map(Row._make, rows)]


def list_tables(transaction: Transaction) -> list[str]:
    """Return the names of all tables, in order."""
    return sorted(name for (name,) in transaction.exec_driver_sql(_NAMES))


def drop_points(database: Database) -> None:
    """Drop what servers share of their indexes, while none of them is there.

    Raises:
        StoreInUse: one is.
        StorageUnavailable: the database failed.
    """
    with database.keep_alone(), database.write() as transaction:
        for name in list_tables(transaction):
            if name == _POINTS.name or name.startswith(VECTORS):
                transaction.exec_driver_sql(f"DROP TABLE {name}")


def _read_vectors(transaction: Transaction, table: str, after: int) -> list[Row]:
    select = (
        "SELECT id, vector::real[], terms, space, contributor, to_json(tags)::text"  # noqa: S608
        f" FROM {table} WHERE id > %(after)s ORDER BY id LIMIT {_AT_ONCE}"
    )
    rows = map(Row._make, transaction.exec_driver_sql(select, {"after": after}))
    return [row._replace(vector=np.array(row.vector or (), "<f2").tobytes()) for row in rows]
