"""A commit that several writers share: one flush to the disk for calls that come together."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from wellworn.engines.storage.sql.transactions import Step, begin_undo, undo
from wellworn.errors import StorageUnavailable

if TYPE_CHECKING:
    from sqlite3 import Connection as SQLiteConnection

MOST_WRITERS: Final = 16
"""More would let the first of them wait too long."""


class SharedCommit:
    """A transaction in which writers take turns, each of them kept or undone on its own.

    One thread at a time has it, as its owner sees to; any may `wait` until it has ended.

    Raises:
        SQLAlchemyError: no transaction can be begun.
    """

    def __init__(self, engine: Engine) -> None:
        self._connection = engine.connect().execution_options(wellworn_write=True)
        try:
            self._connection.begin()
        except BaseException:
            self._connection.close()
            raise
        self._driver = cast("SQLiteConnection", self._connection.connection.driver_connection)
        self._steps: list[Step] = []
        self._writers = 0
        self._ended = threading.Event()
        self._error: Exception | None = StorageUnavailable("nothing was written; see the log")

    @property
    def is_full(self) -> bool:
        """Whether no other writer may join: there are enough, or SQLite gave all of it up."""
        return self._writers >= MOST_WRITERS or not self._driver.in_transaction

    @contextmanager
    def join(self) -> Generator[Connection]:
        """Yield the connection to a writer; what it wrote is undone if it fails."""
        self._writers += 1
        steps = begin_undo(self._connection)
        self._driver.execute("SAVEPOINT writer")
        try:
            yield self._connection
            self._driver.execute("RELEASE writer")
        except BaseException:
            # A full disk undoes all of the transaction, and with it the savepoint.
            with suppress(sqlite3.Error):
                self._driver.execute("ROLLBACK TO writer")
                self._driver.execute("RELEASE writer")
            undo(steps)
            raise
        self._steps += steps

    def end(self) -> None:
        """Commit what the writers wrote, or undo all of it; `wait` tells which."""
        try:
            with closing(self._connection):
                self._commit()
        finally:
            if self._error is not None:
                undo(self._steps)
            self._ended.set()

    def _commit(self) -> None:
        if not self._driver.in_transaction:
            return
        try:
            self._connection.commit()
            self._error = None
        except (SQLAlchemyError, sqlite3.Error) as error:
            self._error = error
        finally:
            # Or the next to get the connection is inside this transaction.
            with suppress(sqlite3.Error):
                self._driver.rollback()

    def wait(self, seconds: float) -> bool:
        """Tell whether it ended within a time, and raise if it could not be committed.

        Raises:
            SQLAlchemyError, StorageUnavailable: nothing of it was written.
        """
        has_ended = self._ended.wait(seconds)
        if has_ended and self._error is not None:
            raise self._error
        return has_ended
