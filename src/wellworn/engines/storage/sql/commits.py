"""A commit that several writers share: one flush to the disk for calls that come together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from wellworn.engines.storage.sql.dialect import Dialect
from wellworn.engines.storage.sql.transactions import Step, begin_undo, undo
from wellworn.errors import StorageUnavailable

MOST_WRITERS: Final = 16
"""More would let the first of them wait too long."""


BEGIN_WRITER: Final = "SAVEPOINT writer"
END_WRITER: Final = "RELEASE writer"
UNDO_WRITER: Final = "ROLLBACK TO writer"


class Savepoint:
    """Keeps what one of several writers of a transaction wrote, or undoes it."""

    def begin(self, driver: Any) -> None:
        driver.execute(BEGIN_WRITER)

    def end(self, driver: Any, *, is_only: bool) -> bool:  # noqa: ARG002
        """Keep it; tell whether the commit has to follow at once, with nobody else's writes."""
        driver.execute(END_WRITER)
        return False

    def undo(self, driver: Any) -> None:
        driver.execute(UNDO_WRITER)
        driver.execute(END_WRITER)


class SharedCommit:
    """A transaction in which writers take turns, each of them kept or undone on its own.

    One thread at a time has it, as its owner sees to; any may `wait` until it has ended.

    Raises:
        SQLAlchemyError: no transaction can be begun.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        options = {"wellworn_write": True, "wellworn_shared": True}
        self._connection = dialect.writer.connect().execution_options(**options)
        try:
            self._connection.begin()
        except BaseException:
            self._connection.close()
            raise
        self._driver: Any = self._connection.connection.driver_connection
        self._steps: list[Step] = []
        self._writers = 0
        self._is_closed = False
        self._ended = threading.Event()
        self._error: Exception | None = StorageUnavailable("nothing was written; see the log")

    @property
    def is_full(self) -> bool:
        """Whether no other writer may join: there are enough, or the engine gave all of it up."""
        return self._is_closed or self._writers >= MOST_WRITERS or not self._is_under_way()

    def _is_under_way(self) -> bool:
        return self._dialect.is_in_transaction(self._driver)

    @contextmanager
    def join(
        self, savepoint: Savepoint, is_last: Callable[[], bool] = lambda: False
    ) -> Generator[Connection]:
        """Yield the connection to a writer; what it wrote is undone if it fails.

        Asked once it wrote, `is_last` tells whether nobody waits to write after it.
        """
        self._writers += 1
        steps = begin_undo(self._connection)
        savepoint.begin(self._driver)
        try:
            yield self._connection
            is_only = self._writers == 1 and is_last()
            self._is_closed = savepoint.end(self._driver, is_only=is_only)
        except BaseException:
            # A full disk undoes all of the transaction, and with it the savepoint.
            with suppress(*self._dialect.errors):
                savepoint.undo(self._driver)
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
        if not self._is_under_way():
            return
        try:
            self._connection.commit()
            self._error = None
        except (SQLAlchemyError, *self._dialect.errors) as error:
            self._error = error
        finally:
            # Or the next to get the connection is inside this transaction.
            with suppress(*self._dialect.errors):
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
