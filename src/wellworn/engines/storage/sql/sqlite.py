"""SQLite as the database: how a file of it is opened, begun, scrubbed, and how it fails.

SQLite allows one writer; `Database` queues writers before they begin, so that none of them ever
meets a lock error. A commit is flushed to disk (synchronous=FULL), so that what was acknowledged
survives even a power loss.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from wellworn.engines.storage.disk import require_space
from wellworn.errors import DamagedStore, DiskFull, StorageUnavailable, WellwornError

if TYPE_CHECKING:
    from sqlite3 import Connection as SQLiteConnection

_log = logging.getLogger(__name__)

_WAIT_MS: Final = 10_000
# Writers queue behind a scrub, so it waits only for short reads.
_SCRUB_WAIT_MS: Final = 500
_EMPTY_THE_LOG: Final = "PRAGMA wal_checkpoint(TRUNCATE)"
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {_WAIT_MS}",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -65536",
    # Erased text must not linger in free pages.
    "PRAGMA secure_delete = ON",
)
_PRAGMAS_OF_DERIVED: Final = ("PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -4096")
_DAMAGED: Final = (
    "the database is damaged; stop the server, then restore a backup into a new folder"
    " or bring out what can be read with `wellworn salvage`"
)


class SQLite:
    """What `Database` asks of SQLite, whose file `open` is told of."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def explain(self, error: Exception) -> WellwornError:
        """Return the port's error for one of the driver."""
        driver = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(driver, "sqlite_errorcode", None)
        is_no_text = str(driver).startswith("Could not decode")  # the driver's own, without a code
        if is_no_text or code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return DamagedStore(_DAMAGED)
        if code == sqlite3.SQLITE_FULL:
            return DiskFull("the disk is full; nothing was written")
        return StorageUnavailable("the database did not answer; see the server's log")

    def is_in_transaction(self, driver: Any) -> bool:
        """Tell whether a transaction is open; a full disk undoes all of one."""
        return driver.in_transaction

    def is_sound(self, connection: Connection) -> bool:
        """Run the engine's own integrity check; takes seconds on a large file."""
        return connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


class SQLiteFile(SQLite):
    """A file of SQLite; what is derived can be remade, and no commit of it waits for the disk."""

    def __init__(self, path: Path, *, is_derived: bool) -> None:
        self._folder = path.parent
        self.reader = self.writer = _open(path, is_derived=is_derived)

    def require_space(self, least_free_bytes: int) -> None:
        """Refuse a write that would take the last of the disk."""
        require_space(self._folder, least_free_bytes)

    def hold(self) -> None:
        """Do nothing: whoever has the folder has the file."""

    @contextmanager
    def reshaping(self, connection: Connection) -> Generator[None]:
        """Let tables be made again and put in place, in the transaction that begins within."""
        driver = cast("SQLiteConnection", connection.connection.driver_connection)
        driver.execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            driver.execute("PRAGMA foreign_keys = ON")

    def has_broken_references(self, connection: Connection) -> bool:
        """Tell whether a row points to nothing."""
        return connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None

    def scrub(self, alone: Callable[[], AbstractContextManager[None]]) -> bool:
        """Empty the write-ahead log into the file; tell whether no reader held it."""
        with alone(), self.writer.connect() as connection:
            driver = cast("SQLiteConnection", connection.connection.driver_connection)
            return _empty_log(driver)


def _empty_log(driver: SQLiteConnection) -> bool:
    driver.execute(f"PRAGMA busy_timeout = {_SCRUB_WAIT_MS}")
    try:
        busy, _, _ = driver.execute(_EMPTY_THE_LOG).fetchone()
    except sqlite3.Error:
        _log.exception("the database's log could not be emptied")
        return False
    finally:
        driver.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
    return not busy


def _open(path: Path, *, is_derived: bool) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        # Errors reach the log; what was said must not.
        hide_parameters=True,
        pool_size=16,
        max_overflow=48,
        pool_timeout=30,
    )
    event.listen(engine, "connect", partial(_prepare, is_derived=is_derived))
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: SQLiteConnection, _record: object, *, is_derived: bool) -> None:
    # The driver must not begin transactions on its own: `_begin` says which kind.
    connection.isolation_level = None
    for pragma in (*_PRAGMAS, *(_PRAGMAS_OF_DERIVED if is_derived else ())):
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get("wellworn_write", False)
    driver = cast("SQLiteConnection", connection.connection.driver_connection)
    driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
