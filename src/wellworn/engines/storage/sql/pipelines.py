"""A connection to PostgreSQL that sends statements together; loaded only with PostgreSQL.

Each statement that is waited for is a round trip. What begins a transaction, and rows that are
written, return nothing that anybody reads: they are queued, and travel with the next statement that
is read, or with the commit. An error of theirs is raised there, within the same transaction. The
end of a transaction that only read is not waited for.

Source: https://www.psycopg.org/psycopg3/docs/advanced/pipeline.html
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple, Self, cast

import psycopg
from psycopg.generators import fetch_many
from psycopg.pq import TransactionStatus

from wellworn.engines.storage.sql.commits import BEGIN_WRITER, END_WRITER, UNDO_WRITER

_MANY: Final = 500
"""Rows that are not kept for later: a trip more counts for nothing beside writing them."""


class _Queued(NamedTuple):
    cursor: psycopg.Cursor[Any]
    statement: str
    values: Mapping[str, Any] | Sequence[Any] | None
    rows: Sequence[Mapping[str, Any]] = ()

    def send(self) -> None:
        if self.rows:
            self.cursor.executemany(self.statement.encode(), self.rows)
        else:
            self.cursor.execute(self.statement.encode(), self.values)


class PipelinedConnection(psycopg.Connection[Any]):
    """A connection with a queue, in order, of what nobody waits for."""

    only_reads = False
    """Whether the end of a transaction changes nothing that anybody could wait for."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.cursor_factory = _Cursor
        self.server_cursor_factory = _NamedCursor
        self._queue: list[_Queued] = []
        self._is_ending = False

    @property
    def is_under_way(self) -> bool:
        """Whether a transaction is open that can be committed, also one that is queued."""
        healthy = {TransactionStatus.ACTIVE, TransactionStatus.INTRANS}
        return bool(self._queue) or self.info.transaction_status in healthy

    def queue(
        self, statement: str, values: Mapping[str, Any] | Sequence[Any] | None = None
    ) -> psycopg.Cursor[Any]:
        """Queue one statement, which is no list of several; its cursor has rows after `flush`."""
        cursor = psycopg.Cursor[Any](self)
        self._queue.append(_Queued(cursor, statement, values))
        return cursor

    def executemany(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Queue a statement for each of the rows, as SQLite's driver runs it."""
        self._queue.append(_Queued(psycopg.Cursor[Any](self), statement, None, rows))
        if len(rows) >= _MANY:
            self.flush()

    def flush(self) -> None:
        """Send what is queued, and wait for its results.

        Raises:
            psycopg.Error: the first that failed; what was queued after it is not done.
        """
        with self.sending():
            pass

    @contextmanager
    def sending(self) -> Generator[None]:
        """Send what is queued together with what the block executes."""
        self._take_end()
        queued, self._queue = self._queue, []
        if not queued:
            yield
            return
        try:
            with self.pipeline():
                for each in queued:
                    each.send()
                yield
        except psycopg.errors.PipelineAborted as error:
            # What was sent after the statement that failed hides its error.
            cause = error.__context__
            raise (cause if isinstance(cause, psycopg.Error) else error) from None

    def begin_writer(self, spaces: str) -> None:
        """Begin what can be undone alone; `spaces` is the statement that confines it."""
        self.queue(BEGIN_WRITER)
        self.queue(spaces)

    def end_writer(self, *, is_only: bool) -> None:
        """Keep what was written; of the only writer, errors are raised by the commit."""
        self.queue(END_WRITER)
        if not is_only:
            self.flush()

    def undo_writer(self) -> None:
        """Undo what was written since `begin_writer`."""
        statements = [each.statement for each in self._queue]
        if BEGIN_WRITER in statements:
            del self._queue[statements.index(BEGIN_WRITER) :]
            return
        self._queue.clear()
        self.execute(UNDO_WRITER.encode())
        # The driver takes statements for prepared that were to follow the one that failed, until it
        # rolls back itself.
        with self.transaction(force_rollback=True):
            pass
        self.execute(END_WRITER.encode())

    def commit(self) -> None:
        """Send what is queued, and commit."""
        if self._queue:
            self.queue("COMMIT")
            self.flush()
        else:
            super().commit()

    def rollback(self) -> None:
        """Undo the transaction; one that only read ends without being waited for."""
        self._queue.clear()
        if self._is_ending:
            return
        if self.only_reads and self.info.transaction_status == TransactionStatus.INTRANS:
            self.pgconn.send_query(b"ROLLBACK")
            self._is_ending = True
            if self.pgconn.flush():
                self._take_end()
            return
        super().rollback()

    def _take_end(self) -> None:
        """Take in that the transaction before has ended."""
        if self._is_ending:
            self._is_ending = False
            with self.lock:
                self.wait(fetch_many(self.pgconn))

    def is_alive(self) -> bool:
        """Tell whether the connection can be used, once a transaction that only read has ended."""
        with suppress(psycopg.Error):
            self._take_end()
        return self.info.transaction_status == TransactionStatus.IDLE


class _Cursor(psycopg.Cursor[Any]):
    """Sends what is queued along with what it executes."""

    @property
    def connection(self) -> PipelinedConnection:
        return cast("PipelinedConnection", super().connection)

    def execute(self, *arguments: Any, **options: Any) -> Self:
        with self.connection.sending():
            super().execute(*arguments, **options)
        return self

    def executemany(self, *arguments: Any, **options: Any) -> None:
        with self.connection.sending():
            super().executemany(*arguments, **options)

    @contextmanager
    def copy(self, *arguments: Any, **options: Any) -> Generator[psycopg.Copy]:
        self.connection.flush()
        with super().copy(*arguments, **options) as copy:
            yield copy


class _NamedCursor(psycopg.ServerCursor[Any]):
    """A cursor of the server's, which is declared in the transaction that is queued."""

    def execute(self, *arguments: Any, **options: Any) -> Self:
        cast("PipelinedConnection", self.connection).flush()
        return super().execute(*arguments, **options)
