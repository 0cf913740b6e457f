"""Opens the database of the jobs: a file of SQLite, or a schema in the servers' PostgreSQL.

Threads and a second process can share the file. It holds ids and states only. Commits are flushed
to disk, as everywhere in the data folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Engine,
    Select,
    String,
    column,
    create_engine,
    event,
    make_url,
    select,
    table,
)
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError, SQLAlchemyError

from wellworn.errors import DamagedStore, StorageUnavailable

JobDatabase = Engine

_PRAGMAS = (
    # First, as what follows may have to wait for another process.
    "PRAGMA busy_timeout = 30000",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)
_BUSY = 5
"""SQLITE_BUSY."""
_TRIES, _PAUSE_S = 100, 0.05
_SCHEMA = {"sqlite": None, "postgresql": "dbos"}
_CONNECTIONS = 5
_BEGUN, _UNFINISHED = ["PENDING"], ["PENDING", "ENQUEUED", "DELAYED"]
_NO_TABLE, _UNDEFINED_TABLE = "no such table", "42P01"
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


def open_database(where: Path | str) -> Engine:
    """Return an engine for a file, as `open_file` does, or for a database of PostgreSQL.

    Raises:
        StorageUnavailable: the file cannot be created.
    """
    if isinstance(where, Path):
        return open_file(where)
    url = make_url(where).set(drivername="postgresql+psycopg")
    return create_engine(url, hide_parameters=True, pool_size=_CONNECTIONS, pool_pre_ping=True)


def has_unfinished(where: Path | str) -> bool | None:
    """Tell whether there are jobs that have not ended; None where there never was one.

    Takes a millisecond, and in PostgreSQL as long as a connection does.

    Raises:
        DamagedStore, StorageUnavailable: the database cannot be read.
    """
    if isinstance(where, Path) and not where.is_file():
        return None
    with translate_errors():
        engine = _open_engine(where) if isinstance(where, Path) else open_database(where)
        try:
            with engine.connect() as connection:
                statement = _select(engine, "status", _UNFINISHED).limit(1)
                return connection.execute(statement).first() is not None
        except (OperationalError, ProgrammingError) as error:
            # PostgreSQL's words are in the language of its machine.
            state = getattr(error.orig, "sqlstate", None)
            if state == _UNDEFINED_TABLE or _NO_TABLE in str(error.orig):
                return None
            raise
        finally:
            engine.dispose()


def is_unfinished(engine: Engine, ticket_id: str) -> bool:
    """Tell whether a job is there and has not ended, without reading its record.

    Raises:
        DamagedStore, StorageUnavailable: the database cannot be read.
    """
    statement = _select(engine, "status", _UNFINISHED).where(column("workflow_uuid") == ticket_id)
    with translate_errors(), engine.connect() as connection:
        return connection.execute(statement).first() is not None


def list_executors(engine: Engine) -> set[str]:
    """Return the processes whose jobs have begun and not ended.

    Raises:
        DamagedStore, StorageUnavailable: the database cannot be read.
    """
    statement = _select(engine, "executor_id", _BEGUN).distinct()
    with translate_errors(), engine.connect() as connection:
        return {*connection.execute(statement).scalars()}


def _select(engine: Engine, name: str, states: Sequence[str]) -> Select[str]:
    """Return the query for a column of the jobs in some states."""
    jobs = table("workflow_status", schema=_SCHEMA[engine.dialect.name])
    wanted = column(name, String)
    return select(wanted).select_from(jobs).where(column("status").in_(states))


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
