"""One database: reads in parallel, writes one after the other, every write a single transaction.

SQLite allows one writer; queueing writers here, before they begin, means none of them ever meets a
lock error, and a read-modify-write inside a transaction is exact under concurrency. A commit is
flushed to disk (synchronous=FULL), so that what was acknowledged survives even a power loss.

Services that begin transactions inside of one write transaction all take part in it, and it is
committed or undone as one. Nothing outside this package may rely on SQLite.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

# The queue of jobs loads the mapper in a thread, and statements that others make then would meet
# half of it: loaded here, it is complete.
import sqlalchemy.orm  # noqa: F401  # pyright: ignore[reportUnusedImport]
from sqlalchemy import Connection, create_engine, event, text

from wellworn.engines.storage.disk import LEAST_FREE_BYTES, require_space
from wellworn.engines.storage.sql.commits import SharedCommit
from wellworn.engines.storage.sql.transactions import (
    Transaction,
    Undone,
    begin_undo,
    translate_errors,
    undo,
)
from wellworn.errors import StorageUnavailable

if TYPE_CHECKING:
    from sqlite3 import Connection as SQLiteConnection


_log = logging.getLogger(__name__)

_WAIT_MS = 10_000
_ABANDONED_S = 1.0
# Writers queue behind a scrub, so it waits only for short reads.
_SCRUB_WAIT_MS = 500
_FREE_REFERENCES = "PRAGMA foreign_keys = OFF"
_HELD_REFERENCES = "PRAGMA foreign_keys = ON"
_EMPTY_THE_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {_WAIT_MS}",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -65536",
    # Erased text must not linger in free pages.
    "PRAGMA secure_delete = ON",
)
_PRAGMAS_OF_DERIVED = ("PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -4096")


class Database:
    """A SQLite file (a PostgreSQL URL later) behind two context managers."""

    is_damaged = False
    """Whether a call met a damaged page or row; checking all of them takes minutes."""

    def __init__(self, path: Path, *, is_derived: bool = False) -> None:
        """Open a file; what is derived can be remade, and no commit of it waits for the disk."""
        self._engine = create_engine(
            f"sqlite:///{path}",
            # Errors reach the log; what was said must not.
            hide_parameters=True,
            pool_size=16,
            max_overflow=48,
            pool_timeout=30,
        )
        event.listen(self._engine, "connect", partial(_prepare, is_derived=is_derived))
        event.listen(self._engine, "begin", _begin)
        self._folder = path.parent
        self._writing = threading.Lock()
        # Changed by single operations, which are atomic.
        self._sharers = deque[None]()
        self._open: SharedCommit | None = None
        self._shared = threading.local()
        # A process that died may have left old pages in the log.
        self._scrub_due = True

    @contextmanager
    def read(self) -> Generator[Connection]:
        """Yield a connection that sees one consistent state.

        Raises:
            StorageUnavailable: the database failed.
        """
        shared: Connection | None = getattr(self._shared, "connection", None)
        if shared is not None:
            yield shared
            return
        with translate_errors(self._note_damage), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def share_read(self) -> Generator[None]:
        """Let all reads of this thread see one state until it ends, over one connection.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self.read() as connection:
            before = getattr(self._shared, "connection", None)
            self._shared.connection = connection
            try:
                yield
            finally:
                self._shared.connection = before

    @contextmanager
    def write(self) -> Generator[Connection]:
        """Yield a connection in the one write transaction; commit on success, else roll back.

        Raises:
            StorageUnavailable: the database failed or the disk is full; nothing was written.
        """
        require_space(self._folder)
        with self._alone(), self._writable() as connection:
            yield connection

    @contextmanager
    def rehearse(self) -> Generator[Connection]:
        """Yield a connection in a write transaction that is undone at its end.

        Nothing of it reaches the disk, so that it works on a full one, too.

        Raises:
            StorageUnavailable: the database failed.
        """
        with suppress(Undone), self._alone(), self._writable() as connection:
            yield connection
            raise Undone

    @contextmanager
    def share_write(self, *, least_free_bytes: int = LEAST_FREE_BYTES) -> Generator[Connection]:
        """Yield a connection for a short write; return when it is committed, with others that wait.

        Each is kept or undone on its own, and sees what those before it wrote; only the flush to
        the disk is shared. A read of another connection sees nothing of it before the commit. What
        must be stored where all else is refused asks for `least_free_bytes` of its own.

        Raises:
            StorageUnavailable: the database failed or the disk is full; nothing was written.
        """
        require_space(self._folder, least_free_bytes)
        with translate_errors(self._note_damage):
            with self._take_turn():
                commit = self._open = self._open or SharedCommit(self._engine)
                try:
                    with commit.join() as connection:
                        yield connection
                finally:
                    if not self._sharers or commit.is_full:
                        self._end_shared()
            while not commit.wait(_ABANDONED_S):
                # The one who was to end it may have been interrupted while waiting.
                with self._alone():
                    pass

    @contextmanager
    def _take_turn(self) -> Generator[None]:
        self._sharers.append(None)
        try:
            self._writing.acquire()
        finally:
            self._sharers.pop()
        try:
            yield
        finally:
            self._writing.release()

    @contextmanager
    def _alone(self) -> Generator[None]:
        with self._writing:
            self._end_shared()
            yield

    def _end_shared(self) -> None:
        shared, self._open = self._open, None
        if shared is not None:
            shared.end()

    @contextmanager
    def reshape(self) -> Generator[Connection]:
        """Yield a write transaction in which tables can be made again and put in place.

        Raises:
            StorageUnavailable: the database failed, or rows would point to nothing.
        """
        require_space(self._folder)
        with self._alone(), self._writable(_FREE_REFERENCES, _HELD_REFERENCES) as connection:
            yield connection
            if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                message = "the database's tables cannot be brought up to date; see the log"
                raise StorageUnavailable(message)

    @contextmanager
    def _writable(self, *around: str) -> Generator[Connection]:
        with (
            translate_errors(self._note_damage),
            self._engine.connect() as connection,
            _between(connection, *around),
        ):
            connection.execution_options(wellworn_write=True)
            steps = begin_undo(connection)
            try:
                with connection.begin():
                    yield connection
            except BaseException:
                undo(steps)
                raise

    def _note_damage(self) -> None:
        self.is_damaged = True

    def scrub(self) -> bool:
        """Empty the write-ahead log into the database, so that no old page remains in any file.

        A read under way longer than half a second holds the log; the scrub then stays due. Returns
        whether it is done.

        Raises:
            StorageUnavailable: no connection to the database.
        """
        self._scrub_due = True
        with translate_errors(), self._alone(), self._engine.connect() as connection:
            driver = cast("SQLiteConnection", connection.connection.driver_connection)
            self._scrub_due = not _empty_log(driver)
        if self._scrub_due:
            _log.warning("erased text stays in the database's log until a long read ends")
        return not self._scrub_due

    def expect_scrub(self) -> None:
        """Make a scrub due: something was deleted that must not linger."""
        self._scrub_due = True

    def scrub_if_due(self) -> bool:
        """Finish a scrub that a read held up, or that the process did not live to; tell whether."""
        return self._scrub_due and self.scrub()

    def ping(self) -> None:
        """Ask the database for an answer.

        Raises:
            StorageUnavailable: there was none.
        """
        with self.read() as connection:
            connection.execute(text("SELECT 1"))

    def is_sound(self) -> bool:
        """Run the engine's own integrity check; takes seconds on a large file."""
        with self.read() as connection:
            return connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"

    def close(self) -> None:
        self._engine.dispose()


@contextmanager
def _between(connection: Connection, before: str = "", after: str = "") -> Generator[None]:
    """Run a pragma before a transaction begins, and another after it."""
    driver = cast("SQLiteConnection", connection.connection.driver_connection)
    driver.execute(before)
    try:
        yield
    finally:
        driver.execute(after)


def _prepare(connection: SQLiteConnection, _record: object, *, is_derived: bool) -> None:
    # The driver must not begin transactions on its own: `_begin` says which kind.
    connection.isolation_level = None
    for pragma in (*_PRAGMAS, *(_PRAGMAS_OF_DERIVED if is_derived else ())):
        connection.execute(pragma)


def _empty_log(connection: SQLiteConnection) -> bool:
    connection.execute(f"PRAGMA busy_timeout = {_SCRUB_WAIT_MS}")
    try:
        busy, _, _ = connection.execute(_EMPTY_THE_LOG).fetchone()
    except sqlite3.Error:
        _log.exception("the database's log could not be emptied")
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
    return not busy


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get("wellworn_write", False)
    driver = cast("SQLiteConnection", connection.connection.driver_connection)
    driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")


class JoinedDatabase(Database):
    """Reads and writes in a transaction that is under way; a subclass, as `RamDatabase` is.

    For one thread, and only until the transaction ends. An error must leave it, or half of what
    failed is kept.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    @contextmanager
    def read(self) -> Generator[Connection]:
        yield self._transaction

    @contextmanager
    def share_read(self) -> Generator[None]:
        yield

    @contextmanager
    def write(self) -> Generator[Connection]:
        yield self._transaction

    @contextmanager
    def share_write(self, *, least_free_bytes: int = 0) -> Generator[Connection]:
        del least_free_bytes
        yield self._transaction
