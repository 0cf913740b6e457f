"""Undo steps of transactions, and the translation of driver errors, which stay in this package."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from wellworn.errors import DamagedStore, DiskFull, StorageUnavailable, WellwornError

Transaction = Connection
"""Services pass it to stores and do not use it themselves."""

Step = Callable[[], None]

_UNDO = "wellworn_undo"


class Undone(Exception):
    """Ends a write transaction of which nothing is to be stored."""


def begin_undo(transaction: Transaction) -> list[Step]:
    """Give a write transaction its own empty list of undo steps, and return the list."""
    steps: list[Step] = []
    transaction.info[_UNDO] = steps
    return steps


def undo_with(transaction: Transaction, step: Step) -> None:
    """Register a step that runs if the write transaction fails, before the next writer begins."""
    transaction.info[_UNDO].append(step)


def undo(steps: Iterable[Step]) -> None:
    """Run every step, also after one that failed."""
    for step in steps:
        with suppress(WellwornError):
            step()


@contextmanager
def translate_errors(note_damage: Step = lambda: None) -> Generator[None]:
    """Turn driver errors into the port's errors; of damage `note_damage` is told first.

    Raises:
        DamagedStore: the file is no sound database.
        DiskFull: it has no room to grow.
        StorageUnavailable: anything else failed.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        if _is_damage(error):
            note_damage()
            message = (
                "the database is damaged; stop the server, then restore a backup into a new folder"
                " or bring out what can be read with `wellworn salvage`"
            )
            raise DamagedStore(message) from error
        if _find_code(error) == sqlite3.SQLITE_FULL:
            raise DiskFull("the disk is full; nothing was written") from error
        raise StorageUnavailable("the database did not answer; see the server's log") from error


def _is_damage(error: SQLAlchemyError | sqlite3.Error) -> bool:
    driver = error.orig if isinstance(error, DBAPIError) else error
    is_no_text = str(driver).startswith("Could not decode")  # the driver's own, without a code
    return is_no_text or _find_code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _find_code(error: SQLAlchemyError | sqlite3.Error) -> int | None:
    driver = error.orig if isinstance(error, DBAPIError) else error
    return getattr(driver, "sqlite_errorcode", None)
