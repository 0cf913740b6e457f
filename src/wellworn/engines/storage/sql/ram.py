"""A database in memory, with the file's interface, that hands over what it commits.

An open sealed space is one of these: the same tables and statements as everywhere, and not one
page of it on any disk. What keeps it is its journal, which is given the changed rows before a
commit is acknowledged; the journal refusing them fails the transaction.

There is one connection, and one thread at a time has it: SQLite in memory has nothing like a
write-ahead log to read beside a writer. A thread that has it already takes part in its own
transaction, so that the vector index of the space writes its points with the thought they are of.

SQLite itself lets a database that was made from an image grow to one gibibyte: some 300,000
thoughts. A write beyond that fails, and changes nothing.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Protocol

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool

from wellworn.engines.storage.sql.changes import Recorder, quote, replay, tables
from wellworn.engines.storage.sql.database import Database
from wellworn.engines.storage.sql.sqlite import SQLite
from wellworn.engines.storage.sql.transactions import (
    Step,
    Undone,
    begin_undo,
    translate_errors,
    undo,
)
from wellworn.errors import StorageUnavailable, Tampered, WellwornError

_log = logging.getLogger(__name__)
_PRAGMAS = (
    # A row is some 2 kB with its vector; smaller pages would be a third empty. An image keeps its
    # own size.
    "PRAGMA page_size = 8192",
    "PRAGMA cache_size = -16384",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_mode = MEMORY",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
    # Or a row that another one replaced would go unnoticed.
    "PRAGMA recursive_triggers = ON",
)


class Journal(Protocol):
    """The journal where a database in memory leaves what it commits."""

    def append(self, changes: bytes) -> None:
        """Keep a transaction's changes for good, or raise and so undo it.

        Raises:
            StorageUnavailable: it cannot write now.
            Tampered: it is no longer this database's; the database closes.
        """
        ...

    def checkpoint(self) -> None:
        """Keep the database as it is now, by its image."""
        ...

    def settle(self) -> None:
        """Do what has become urgent after a commit; raises nothing."""
        ...

    def scrub(self) -> bool:
        """Checkpoint, and leave nothing older in any file; tell whether that is done."""
        ...

    def is_due(self) -> bool:
        """Tell whether a checkpoint or a scrub should be made soon."""
        ...


class RamDatabase(Database):
    """A database in memory; a subclass, because every service is typed with `Database`.

    Args:
        image: what `freeze()` of another one yielded, or empty for a new database.
        changes: what its journal was given since, oldest first.
        journal: without one, what is written is lost with the process.

    Raises:
        DamagedStore: the image or the changes cannot be read.
    """

    def __init__(
        self,
        image: bytes | bytearray = b"",
        changes: Iterable[bytes] = (),
        journal: Journal | None = None,
    ) -> None:
        self._driver = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._engine = create_engine(
            "sqlite://", creator=lambda: self._driver, poolclass=StaticPool, hide_parameters=True
        )
        event.listen(self._engine, "begin", _begin)
        self._lock = RLock()
        self._current: Connection | None = None
        self._is_writing = False
        self._steps: list[Step] = []
        self._journal = journal
        self.is_closed = False
        try:
            self._load(image, changes)
        except BaseException:
            self._drop()
            raise

    def _load(self, image: bytes | bytearray, changes: Iterable[bytes]) -> None:
        with translate_errors():
            if image:
                self._driver.deserialize(image)
            for pragma in _PRAGMAS:
                self._driver.execute(pragma)
            if not image:
                # SQLite makes no image of a database without any page.
                self._driver.execute("PRAGMA user_version = 1")
            replay(self._driver, changes)
            self._recorder = Recorder(self._driver)
            if self._journal is not None:
                self._recorder.watch()

    @contextmanager
    def read(self) -> Generator[Connection]:
        """Yield the connection; no other thread has it meanwhile.

        Begin and end it in one thread. Within a write of the same thread it sees that write.

        Raises:
            StorageUnavailable: the database failed or is closed.
        """
        with translate_errors(), self._lock:
            if self._current is not None:
                yield self._current
                return
            with self._connect(is_writing=False) as connection:
                yield connection

    @contextmanager
    def share_read(self) -> Generator[None]:
        """Change nothing: a connection that is held would make all other calls wait."""
        yield

    @contextmanager
    def write(self) -> Generator[Connection]:
        """Yield the connection in a write transaction; stored by the journal, else rolled back.

        Within a write of the same thread it is a part of that one: failing, it alone is undone.

        Raises:
            StorageUnavailable: the database failed or is closed, or the journal could not write.
            RuntimeError: the same thread is in the middle of a read.
        """
        with translate_errors(), self._lock:
            if self._current is not None:
                with self._part(self._current) as connection:
                    yield connection
                return
            with self._whole() as connection:
                yield connection
            if self._journal is not None:
                self._journal.settle()

    @contextmanager
    def rehearse(self) -> Generator[Connection]:
        """Yield the connection in a write transaction that is undone at its end."""
        with suppress(Undone), self.write() as connection:
            yield connection
            raise Undone

    @contextmanager
    def share_write(self, *, least_free_bytes: int = 0) -> Generator[Connection]:
        """Write alone: there is no disk to wait for but the journal's."""
        del least_free_bytes
        with self.write() as connection:
            yield connection

    @contextmanager
    def reshape(self) -> Generator[Connection]:
        """Yield a write transaction in which tables can be made again and put in place.

        Raises:
            StorageUnavailable: the database failed, or rows would point to nothing.
        """
        with self._lock:
            self._check_open()
            self._driver.execute("PRAGMA foreign_keys = OFF")
            try:
                with self.write() as connection:
                    yield connection
            finally:
                self._driver.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def _whole(self) -> Generator[Connection]:
        steps: list[Step] = []
        handed_over = False
        try:
            with self._connect(is_writing=True) as connection:
                self._steps = steps = begin_undo(connection)
                with connection.begin():
                    yield connection
                    reshaped = self._hand_over()
                    handed_over = True
            if reshaped:
                self._reshape()
        except BaseException as error:
            if handed_over or isinstance(error, Tampered):
                # The journal knows more than this memory, or less; opening again mends both.
                self._drop()
            # Only now: what a step looks up is rolled back, and a step may write.
            undo(steps)
            raise

    @contextmanager
    def _part(self, connection: Connection) -> Generator[Connection]:
        if not self._is_writing:
            raise RuntimeError("a write was begun within a read")
        begun = len(self._steps)
        try:
            with connection.begin_nested():
                yield connection
        except BaseException:
            failed, self._steps[begun:] = self._steps[begun:], []
            undo(failed)
            raise

    @contextmanager
    def _connect(self, *, is_writing: bool) -> Generator[Connection]:
        self._check_open()
        with self._engine.connect() as connection:
            self._current, self._is_writing = connection, is_writing
            try:
                yield connection
            finally:
                self._current = None

    def _hand_over(self) -> bool:
        """Give the journal what changed; tell whether it was the schema, which it is not given."""
        if self._journal is None:
            return False
        if self._recorder.schema_changed():
            return True
        changes = self._recorder.take()
        if changes is not None:
            self._journal.append(changes)
        return False

    def _reshape(self) -> None:
        if self._journal is not None:
            self._journal.checkpoint()
            self._recorder.watch()

    @contextmanager
    def freeze(self) -> Generator[bytes]:
        """Yield the database as bytes; nothing is written until the block ends.

        Raises:
            StorageUnavailable: the database is closed.
            RuntimeError: the same thread is in the middle of a transaction.
        """
        with translate_errors(), self._lock:
            self._check_open()
            if self._current is not None:
                raise RuntimeError("an image was asked for within a transaction")
            yield self._driver.serialize()

    def snapshot(self) -> RamDatabase:
        """Return a copy without a journal, for a read that takes long or changes threads."""
        with self.freeze() as image:
            return RamDatabase(image)

    def is_sound(self) -> bool:
        with self.read() as connection:
            return SQLite().is_sound(connection)

    def scrub(self) -> bool:
        """Write the image again where it changed, and leave nothing older in any file.

        Raises:
            StorageUnavailable: the journal could not write.
        """
        return self._journal is None or self._journal.scrub()

    def scrub_if_due(self) -> bool:
        """Scrub when one is due, or when enough was written for a new image; tell whether done."""
        return self._journal is not None and self._journal.is_due() and self._journal.scrub()

    def close(self) -> None:
        """Leave everything in the journal's image, then overwrite and drop the memory."""
        with self._lock:
            if self.is_closed:
                return
            try:
                if self._journal is not None:
                    self._journal.checkpoint()
            except WellwornError:
                # Nothing is lost: what the image lacks is in the changes.
                _log.exception("an open space was closed without a new image")
            finally:
                self._wipe()
                self._drop()

    def discard(self) -> None:
        """Overwrite and drop the memory, without a word to the journal."""
        with self._lock:
            if not self.is_closed:
                self._wipe()
                self._drop()

    def _wipe(self) -> None:
        # With secure_delete a dropped table's pages are zeroed; the journal would keep a copy.
        execute = self._driver.execute
        with suppress(sqlite3.Error):
            execute("PRAGMA journal_mode = OFF")
            execute("PRAGMA foreign_keys = OFF")
            for name in tables(self._driver):
                execute(f"DROP TABLE main.{quote(name)}")

    def _drop(self) -> None:
        self.is_closed = True
        self._engine.dispose()
        self._driver.close()

    def _check_open(self) -> None:
        if self.is_closed:
            raise StorageUnavailable("the space is closed; open it again")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
