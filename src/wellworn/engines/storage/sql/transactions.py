"""What every kind of database shares: its transactions' undo steps, and its errors.

Nothing outside this package sees the driver's errors.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from wellworn.errors import DamagedStore, StorageUnavailable, WellwornError

Transaction = Connection
"""What services pass on to stores without looking inside."""

Step = Callable[[], None]

_UNDO = "wellworn_undo"


def begin_undo(transaction: Transaction) -> list[Step]:
    """Give a write transaction its own empty list of undo steps, and return the list."""
    steps: list[Step] = []
    transaction.info[_UNDO] = steps
    return steps


def undo_with(transaction: Transaction, step: Step) -> None:
    """Run a step if the write transaction fails, before any other writer begins."""
    transaction.info[_UNDO].append(step)


def undo(steps: Iterable[Step]) -> None:
    """Run every step; one that fails keeps none of the others from running."""
    for step in steps:
        with suppress(WellwornError):
            step()


@contextmanager
def translated() -> Generator[None]:
    """Turn what the driver raises into the port's errors.

    Raises:
        DamagedStore: the file is no sound database.
        StorageUnavailable: anything else failed.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        if _is_damage(error):
            message = "the database is damaged; restore a backup into a new folder"
            raise DamagedStore(message) from error
        message = "the database did not answer; see the server's log"
        raise StorageUnavailable(message) from error


def _is_damage(error: SQLAlchemyError | sqlite3.Error) -> bool:
    driver = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(driver, "sqlite_errorcode", None)
    return code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
