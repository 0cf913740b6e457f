"""The points of an index that several servers have, each a copy of: rows of their one database.

A point is written in the transaction of its unit, and each server takes in what others wrote before
it answers a call. So vectors are made once, and a server that joins need not make any.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

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
        self._topic = kind
        self._kind = f"{kind}.{encoder}"
        with database.write() as transaction:
            if not inspect(transaction).has_table(_POINTS.name):
                _tables.create_all(transaction)
            is_other = _C.kind.startswith(f"{kind}.", autoescape=True) & (_C.kind != self._kind)
            transaction.execute(delete(_POINTS).where(is_other))

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
        stored = [{"kind": self._kind, **row._asdict()} for row in rows]
        transaction = self._begin([row.id for row in rows], undo)
        add_up(transaction, _POINTS, stored, latest=Row._fields[1:])

    def delete(self, ids: Sequence[int], undo: Callable[[], None]) -> None:
        """Remove points while `changing`; `undo` runs if the transaction fails."""
        transaction = self._begin(ids, undo)
        transaction.execute(_GONE, {"of": self._kind, "ids": [*ids]})

    def _begin(self, ids: Sequence[int], undo: Callable[[], None]) -> Transaction:
        transaction = self._database.transaction
        assert transaction is not None  # noqa: S101 - narrows for the checker
        undo_with(transaction, undo)
        self._database.note_change(self._topic, ids)
        return transaction

    def give(self, rows: Sequence[Row]) -> None:
        """Write the points of the first server, which nobody changes meanwhile."""
        with self._database.write() as transaction:
            stored = [{"kind": self._kind, **row._asdict()} for row in rows]
            add_up(transaction, _POINTS, stored, latest=Row._fields[1:])

    def clear(self) -> None:
        """Remove all points, which nobody has meanwhile."""
        with self._database.write() as transaction:
            transaction.execute(delete(_POINTS).where(_C.kind == self._kind))

    def reading(self) -> AbstractContextManager[Transaction]:
        """Return a transaction to read in."""
        return self._database.read()

    def has_any(self, transaction: Transaction) -> bool:
        """Tell whether anybody has shared a point."""
        return bool(fetch(transaction, _PAGE, {"of": self._kind, "after": 0}))

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
            asked = {"of": self._kind, "ids": [*ids[start : start + _AT_ONCE]]}
            rows += map(Row._make, fetch(transaction, _GET, asked))
        return rows

    def pages(self, transaction: Transaction) -> Iterator[list[Row]]:
        """Yield all points by their ids, some thousands at a time."""
        after = 0
        while page := fetch(transaction, _PAGE, {"of": self._kind, "after": after}):
            yield [*map(Row._make, page)]
            after = page[-1][0]
