"""A database that several servers write to at once; loaded only with PostgreSQL.

Three things stand in for what one process has in its memory. Writers queue at a lock of the
database, as threads do at one of the process, so that a read-modify-write stays exact whoever else
writes. What others changed is told by a sequence in the database, which each call reads before it
begins; a number is drawn under the writers' lock, so that none is committed before a lower one. And
what only one server may do is done by the one that has a lease, which ends with its connection.

Source: `docs/adr/0008-one-writer.md`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    inspect,
    select,
)

from wellworn.engines.storage.disk import LEAST_FREE_BYTES
from wellworn.engines.storage.sql.database import Change, Database, Everything
from wellworn.engines.storage.sql.postgresql import Later, PipelinedSavepoint, PostgreSQL
from wellworn.engines.storage.sql.statements import insert_new, write_rows
from wellworn.engines.storage.sql.transactions import Transaction
from wellworn.errors import HeldElsewhere, StorageUnavailable, WellwornError
from wellworn.kit.ids import new_id

# Beside the tables of the memory: they are of servers, and none of it outlives all of them.
_tables = MetaData()
_CHANGES: Final = Table(
    "server_changes",
    _tables,
    Column("number", BigInteger, primary_key=True, autoincrement=True),
    Column("server", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("names", Text, nullable=False),
)
_FACTS: Final = Table(
    "server_facts",
    _tables,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
_LED: Final = "led: "
"""What begins the name of the fact that says which server has led something last."""
_KEPT: Final = 50_000
"""Changes that a server may have missed; one that missed more takes in everything anew."""

_C = _CHANGES.c
# Run beside SQLAlchemy, and outside of a transaction: each call does.
_SINCE: Final = (
    "SELECT number, topic, CASE WHEN server = %s THEN NULL ELSE names END"
    " FROM server_changes WHERE number > %s ORDER BY number"
)
_OLDEST: Final = "SELECT min(number) FROM server_changes"
_NEWEST = select(func.max(_C.number))
_ADD = insert(_CHANGES)
_FACT = select(_FACTS.c.value).where(_FACTS.c.name == bindparam("fact"))

_OTHERS: Final = "other servers have this database open; end them first"
_LOST: Final = (
    "this server was cut off from PostgreSQL for a moment, and another one goes on with this"
)


class SharedDatabase(Database):
    """The database of several servers, of which this process is one."""

    holds_files = True

    def __init__(self, dialect: PostgreSQL) -> None:
        super().__init__(dialect)
        self._postgresql = dialect
        self._savepoint = PipelinedSavepoint()
        self.server = new_id()
        self._mine = threading.local()
        self._following = threading.Lock()
        self._followers: dict[str, tuple[Change, Everything]] = {}
        self._seen: int | None = None
        self._dropped_at = 0

    @property
    def transaction(self) -> Transaction | None:
        """The write transaction of this thread."""
        return getattr(self._mine, "transaction", None)

    @property
    def is_undoing(self) -> bool:
        """Whether a write transaction of this thread failed, and its steps are taken back."""
        return getattr(self._mine, "is_writing", False) and self.transaction is None

    @contextmanager
    def reshape(self) -> Generator[Connection]:
        """Yield a write transaction in which tables can be made again, while nobody else is there.

        Raises:
            StoreInUse: another server has the database open.
            StorageUnavailable: the database failed.
        """
        with self.keep_alone(), super().reshape() as connection:
            yield connection

    @contextmanager
    def keep_alone(self) -> Generator[None]:
        with self._alone(), self._translating():
            self._postgresql.require_alone(_OTHERS)
        try:
            yield
        finally:
            with suppress(WellwornError), self._alone(), self._translating():
                self._postgresql.let_others_in()

    @contextmanager
    def read_alone(self) -> Generator[Connection]:
        with self.keep_alone(), self.read() as connection:
            yield connection

    @contextmanager
    def confine(self, spaces: Collection[str] | None) -> Generator[None]:
        try:
            with self._postgresql.confine(spaces):
                self._confine_begun()
                yield
        finally:
            self._confine_begun()

    def _confine_begun(self) -> None:
        """Let the wall hold in what this thread has begun already, too."""
        for connection in (self.transaction, getattr(self._shared, "connection", None)):
            if connection is not None and connection.in_transaction():
                with self._translating():
                    self._postgresql.confine_begun(connection)

    def is_walled(self) -> bool:
        """Tell whether `confine` holds for this user of the database.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self._translating():
            return self._postgresql.is_walled()

    @contextmanager
    def share_write(self, *, least_free_bytes: int = LEAST_FREE_BYTES) -> Generator[Connection]:
        with (
            self._writing_here(),
            super().share_write(least_free_bytes=least_free_bytes) as connection,
            self._noting(connection),
        ):
            yield connection

    @contextmanager
    def _writable(self, *, is_reshaping: bool = False) -> Generator[Connection]:
        writable = super()._writable(is_reshaping=is_reshaping)
        with writable as connection, self._noting(connection):
            yield connection

    @contextmanager
    def _alone(self) -> Generator[None]:
        # It may end, and so undo, what other threads wrote.
        with self._writing_here(), super()._alone():
            yield

    @contextmanager
    def _writing_here(self) -> Generator[None]:
        before = getattr(self._mine, "is_writing", False)  # it may end what another one shares
        self._mine.is_writing = True
        try:
            yield
        finally:
            self._mine.is_writing = before

    @contextmanager
    def _noting(self, connection: Connection) -> Generator[None]:
        self._require_leading(connection)
        self._mine.transaction = connection
        try:
            yield
        finally:
            # Before the steps of one that failed are taken back.
            self._mine.transaction = self._mine.changes = None

    def _require_leading(self, transaction: Transaction) -> None:
        """Refuse what a thread writes under a lease that another server has, or had meanwhile."""
        leading: dict[str, int] = getattr(self._mine, "leading", {})
        joined = self._postgresql.joined
        for name, joined_before in leading.items():
            if name not in self._postgresql.leases:
                raise HeldElsewhere(_LOST)
            if joined_before != joined:
                if transaction.execute(_FACT, {"fact": _LED + name}).scalar() != self.server:
                    raise HeldElsewhere(_LOST)
                leading[name] = joined

    def hold(self) -> None:
        """Become one of the servers of the database, until it is closed.

        Raises:
            StoreInUse: a server is changing its tables, or is of a version that shares none.
            StorageUnavailable: the database failed.
        """
        super().hold()
        with self.read() as transaction:
            is_there = inspect(transaction).has_table(_CHANGES.name)
        if not is_there:
            with self.write() as transaction:
                _tables.create_all(transaction)

    def read_fact(self, name: str) -> str | None:
        """Return what is noted of the database for all servers; None where nothing is.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self.read() as transaction:
            if not inspect(transaction).has_table(_FACTS.name):
                return None
            return transaction.execute(_FACT, {"fact": name}).scalar()

    def write_fact(self, name: str, value: str | None) -> None:
        """Note something of the database for all servers, or nothing more.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self.write() as transaction:
            transaction.execute(delete(_FACTS).where(_FACTS.c.name == name))
            if value is not None:
                insert_new(transaction, _FACTS, [{"name": name, "value": value}])

    def forget_servers(self, *, but: str) -> None:
        """Forget what earlier servers noted and changed, but for one fact."""
        with self.write() as transaction:
            transaction.execute(delete(_CHANGES))
            transaction.execute(delete(_FACTS).where(_FACTS.c.name != but))

    def agree(self, name: str, value: str, *, changes: bool = False) -> str:
        """Return what the servers have agreed on; the first to ask says what, or who `changes` it.

        Raises:
            StoreInUse: it is to be changed, and other servers are there.
        """
        with self.write() as transaction:
            agreed = transaction.execute(_FACT, {"fact": name}).scalar()
            if agreed is None or (changes and agreed != value):
                if agreed is not None:
                    self._postgresql.require_alone(_OTHERS, within=transaction)
                    self._postgresql.let_others_in(within=transaction)
                transaction.execute(delete(_FACTS).where(_FACTS.c.name == name))
                insert_new(transaction, _FACTS, [{"name": name, "value": value}])
                agreed = value
        return agreed

    def take_lease(self, name: str) -> bool:
        """Tell whether this server has a lease, which it takes if nobody has it."""
        if name in self._postgresql.leases:
            return True
        with self._alone(), self._translating():
            return self._postgresql.take_lease(name)

    def has_lease(self, name: str) -> bool:
        return name in self._postgresql.leases

    def end_lease(self, name: str) -> None:
        """Leave what this server had to others."""
        if name in self._postgresql.leases:
            with self._alone(), self._translating():
                self._postgresql.end_lease(name)

    def renew_leases(self) -> None:
        with self._alone(), self._translating():
            self._postgresql.renew_leases()

    def find_leased(self, names: Sequence[str]) -> set[str]:
        with self._translating():
            return self._postgresql.find_leased(names)

    @contextmanager
    def lead(self, name: str) -> Generator[bool]:
        if not self.take_lease(name):
            yield False
            return
        before: dict[str, int] = getattr(self._mine, "leading", {})
        try:
            joined = self._postgresql.joined
            self.write_fact(_LED + name, self.server)
            self._mine.leading = before | {name: joined}
            yield True
        finally:
            self._mine.leading = before
            with suppress(WellwornError):  # a server that is not reached has ended it
                self._forget_leading(name)
            with suppress(StorageUnavailable):
                self.end_lease(name)

    def _forget_leading(self, name: str) -> None:
        fact = delete(_FACTS).where(_FACTS.c.name == _LED + name, _FACTS.c.value == self.server)
        with self.write() as transaction:
            transaction.execute(fact)

    def follow(
        self, topic: str, change: Change, everything: Everything, *, seen: int | None = None
    ) -> None:
        """Take in what others change of a topic, after the number that was `seen` of it if any."""
        with self._following:
            self._followers[topic] = change, everything
            if seen is not None:
                self._seen = seen if self._seen is None else min(self._seen, seen)

    def note_change(self, topic: str, names: Sequence[Any]) -> None:
        """Tell other servers, with the write transaction of this thread, what it changes."""
        if self.transaction is not None and names:
            row = {"server": self.server, "topic": topic, "names": json.dumps([*names])}
            write_rows(self.transaction, _ADD, [row])

    def tell(self, topic: str, names: Sequence[Any]) -> None:
        with self.write():
            self.note_change(topic, names)

    def catch_up(self) -> None:
        """Take in what others changed up to now: one statement, where they changed nothing.

        Raises:
            StorageUnavailable: the database failed.
        """
        if self._seen is None:
            return
        with self._following, self._translating():
            mine = self.transaction
            changes = self._read_changes(self._seen, mine)
            if not changes:
                return
            by_topic: dict[str, list[Any]] = {}
            for _, topic, names in changes:
                if names is not None:
                    by_topic.setdefault(topic, []).extend(json.loads(names))
            known = self._followers.keys() & by_topic.keys()
            missed = self._has_missed(changes[0][0], mine)
            if known or missed:
                with (
                    self.confine(None),  # whatever space the call that is to see it is about
                    self.read() if mine is None else nullcontext(mine) as transaction,
                ):
                    for topic in self._followers if missed else sorted(known):
                        change, everything = self._followers[topic]
                        if missed:
                            everything(transaction)
                        else:
                            change(transaction, by_topic[topic])
            self._seen = changes[-1][0]

    def expect_changes(self) -> None:
        if self.transaction is not None and self._seen is not None:
            self._mine.changes = self._postgresql.ask(
                _SINCE, (self.server, self._seen), within=self.transaction
            )

    def _read_changes(self, seen: int, within: Transaction | None) -> list[tuple[Any, ...]]:
        expected: Later | None = getattr(self._mine, "changes", None)
        if within is None or expected is None:
            return self._postgresql.run(_SINCE, (self.server, seen), within=within)
        # Under the lock only this server writes, and another thread may have taken in some.
        return [change for change in expected() if change[0] > seen]

    def _has_missed(self, first: int, within: Transaction | None) -> bool:
        """Tell whether changes were dropped before they were taken in."""
        if first == self.seen + 1:
            return False
        [(oldest,)] = self._postgresql.run(_OLDEST, (), within=within)
        return oldest > self.seen + 1

    @property
    def seen(self) -> int:
        """The number of the last change that was taken in, or that this server made itself."""
        return self._seen or 0

    def find_newest(self, transaction: Transaction) -> int:
        """Return the number of the last change that a transaction sees; 0 before the first."""
        return transaction.execute(_NEWEST).scalar() or 0

    def scrub_if_due(self) -> bool:
        if self.seen - self._dropped_at >= _KEPT // 10:
            self._dropped_at = self.seen
            with self.write() as transaction:
                transaction.execute(delete(_CHANGES).where(_C.number <= self.seen - _KEPT))
        return super().scrub_if_due()
