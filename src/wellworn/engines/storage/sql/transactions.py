"""Undo steps of transactions, and the translation of driver errors, which stay in this package."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from typing import Final, Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from wellworn.engines.storage.sql.sqlite import SQLite
from wellworn.errors import DamagedStore, WellwornError

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


class _Explains(Protocol):
    errors: tuple[type[Exception], ...]

    def explain(self, error: Exception) -> WellwornError: ...


_SQLITE: Final = SQLite()


@contextmanager
def translate_errors(
    note_damage: Step = lambda: None, dialect: _Explains = _SQLITE
) -> Generator[None]:
    """Turn driver errors into the port's errors; of damage `note_damage` is told first.

    Raises:
        DamagedStore: the file is no sound database.
        DiskFull: it has no room to grow.
        StorageUnavailable: anything else failed.
    """
    try:
        yield
    except (SQLAlchemyError, *dialect.errors) as error:
        explained = dialect.explain(error)
        if isinstance(explained, DamagedStore):
            note_damage()
        raise explained from error
