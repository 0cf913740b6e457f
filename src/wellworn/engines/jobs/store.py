"""The SQLite file of the jobs, opened so that threads and a second process can share it.

It holds ids and states only. Commits are flushed to disk, as everywhere in the data folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from wellworn.errors import DamagedStore, StorageUnavailable

_PRAGMAS = (
    # First, as what follows may have to wait for another process.
    "PRAGMA busy_timeout = 30000",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)
_BUSY = 5
"""SQLITE_BUSY."""
_TRIES, _PAUSE_S = 100, 0.05
_ANY = "SELECT 1 FROM workflow_status WHERE status IN ('PENDING', 'ENQUEUED', 'DELAYED')"
_UNFINISHED = text(f"{_ANY} LIMIT 1")
_IS_UNFINISHED = text(f"{_ANY} AND workflow_uuid = :id")
_KNOWS_FRACTIONS = (3, 42)
_DAMAGE = {11, 26}
"""SQLITE_CORRUPT and SQLITE_NOTADB."""


def open_file(path: Path) -> Engine:
    """Return an engine for a database file; create the file, readable by its owner only, if absent.

    Raises:
        StorageUnavailable: the file cannot be created.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            # Do not open an existing file: closing it would release this process's locks on it,
            # and another process would delete its log.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise StorageUnavailable("the file for jobs cannot be made") from error
    return _open_engine(path)


def has_unfinished(path: Path) -> bool:
    """Tell whether a file holds jobs that have not ended; takes a millisecond.

    Raises:
        DamagedStore, StorageUnavailable: the file cannot be read.
    """
    if not path.is_file():
        return False
    with translate_errors():
        engine = _open_engine(path)
        try:
            with engine.connect() as connection:
                return connection.execute(_UNFINISHED).first() is not None
        except OperationalError as error:
            if "no such table" in str(error.orig):
                return False
            raise
        finally:
            engine.dispose()


def is_unfinished(engine: Engine, ticket_id: str) -> bool:
    """Tell whether a job is there and has not ended, without reading its record.

    Raises:
        DamagedStore, StorageUnavailable: the file cannot be read.
    """
    with translate_errors(), engine.connect() as connection:
        return connection.execute(_IS_UNFINISHED, {"id": ticket_id}).first() is not None


@contextmanager
def translate_errors() -> Generator[None]:
    """Translate the driver's errors into `WellwornError`s.

    Raises:
        DamagedStore: the file is damaged or no database.
        StorageUnavailable: anything else failed.
    """
    try:
        yield
    except SQLAlchemyError as error:
        driver = error.orig if isinstance(error, DBAPIError) else None
        if getattr(driver, "sqlite_errorcode", None) in _DAMAGE:
            message = (
                "the file jobs.sqlite3 is damaged; remove it, and only the jobs that were still "
                "to be run are lost with it"
            )
            raise DamagedStore(message) from error
        raise StorageUnavailable("the database of jobs did not answer; see the log") from error


def _open_engine(path: Path) -> Engine:
    # Errors are logged; keep ids out of them.
    engine = create_engine(f"sqlite:///{path}", hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    if _read_version(engine) < _KNOWS_FRACTIONS:
        event.listen(engine, "connect", _teach_fractions)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    # Writers take the lock when they begin; a read never turns into a write.
    connection.isolation_level = "IMMEDIATE"
    for pragma in _PRAGMAS:
        connection.execute(pragma)
    _start_log(connection)


def _start_log(connection: Any) -> None:
    """Write to a log from now on; of two processes that begin a file at once, one tries again.

    SQLite does not wait for the other one here, whatever the timeout.
    """
    for tries_left in reversed(range(_TRIES)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except connection.OperationalError as error:
            if error.sqlite_errorcode != _BUSY or not tries_left:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _teach_fractions(connection: Any, _record: object) -> None:
    """Give old SQLite versions the fractional `unixepoch` that the tables' defaults call."""
    connection.create_function("unixepoch", 1, _get_epoch_s)


def _get_epoch_s(_modifier: object) -> float:
    return round(time.time(), 3)


def _read_version(engine: Engine) -> tuple[int, ...]:
    driver: Any = engine.dialect.dbapi
    return driver.sqlite_version_info
