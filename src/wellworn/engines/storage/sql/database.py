"""One database: reads in parallel, writes one after the other, every write a single transaction.

Queueing writers here, before they begin, means that a read-modify-write inside a transaction is
exact under concurrency, on every engine. What was acknowledged is on disk.

Services that begin transactions inside of one write transaction all take part in it, and it is
committed or undone as one. Nothing outside this package may rely on which engine it is.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Literal

# The queue of jobs loads the mapper in a thread, and statements that others make then would meet
# half of it: loaded here, it is complete.
import sqlalchemy.orm  # noqa: F401  # pyright: ignore[reportUnusedImport]
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from sqlalchemy import Connection, text

from wellworn.engines.storage.disk import LEAST_FREE_BYTES
from wellworn.engines.storage.sql.commits import Savepoint, SharedCommit
from wellworn.engines.storage.sql.dialect import Dialect
from wellworn.engines.storage.sql.sqlite import SQLiteFile
from wellworn.engines.storage.sql.transactions import (
    Transaction,
    Undone,
    begin_undo,
    translate_errors,
    undo,
)
from wellworn.errors import StorageUnavailable

_log = logging.getLogger(__name__)

_ABANDONED_S = 1.0

Change = Callable[[Transaction, Sequence[Any]], None]
"""Takes in what others changed: the names of it, read in a transaction that sees it."""
Everything = Callable[[Transaction], None]
"""Takes in all there is."""


class StorageSettings(BaseModel):
    """Where records are kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: SecretStr | None = Field(
        default=None,
        description=(
            "A PostgreSQL database that keeps the records in place of a file, such as"
            " `postgresql://user:password@host/wellworn`. Vectors are there, too, with a copy in"
            " the data folder, where the key stays; turns' files and jobs are rows."
        ),
    )
    vectors: Literal["memory", "pgvector", "pgvector-hnsw"] = Field(
        default="memory",
        description=(
            "Where vectors are compared: in the memory of each server, or by pgvector in the"
            " database of the records, with each vector of a space or with a graph (HNSW), which is"
            " quicker above some 20,000 and may miss some. Needs pgvector 0.8."
        ),
    )
    connections: int = Field(
        default=20, ge=2, le=500, description="Connections to PostgreSQL for reading, at most."
    )


class Database:
    """A file of SQLite, or a database of PostgreSQL, behind two context managers."""

    is_damaged = False
    """Whether a call met a damaged page or row; checking all of them takes minutes."""
    server = "server"
    """The name of this process among those that share the database."""
    holds_files = False
    """Whether what a folder keeps beside a file is rows here, because several servers see it."""

    def __init__(self, place: Path | Dialect, *, is_derived: bool = False) -> None:
        """Open a file of SQLite, or what a dialect opens; what is derived can be remade."""
        is_file = isinstance(place, Path)
        self._dialect = SQLiteFile(place, is_derived=is_derived) if is_file else place
        self._writing = threading.Lock()
        # Changed by single operations, which are atomic.
        self._sharers = deque[None]()
        self._open: SharedCommit | None = None
        self._savepoint = Savepoint()
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
        with self._translating(), self._dialect.reader.connect() as connection:
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
        self._dialect.require_space(LEAST_FREE_BYTES)
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
        self._dialect.require_space(least_free_bytes)
        with self._translating():
            with self._take_turn():
                commit = self._open = self._open or SharedCommit(self._dialect)
                try:
                    join = commit.join(self._savepoint, lambda: not self._sharers)
                    with join as connection:
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
        self._dialect.require_space(LEAST_FREE_BYTES)
        with self._alone(), self._writable(is_reshaping=True) as connection:
            yield connection
            if self._dialect.has_broken_references(connection):
                message = "the database's tables cannot be brought up to date; see the log"
                raise StorageUnavailable(message)

    @contextmanager
    def _writable(self, *, is_reshaping: bool = False) -> Generator[Connection]:
        around = self._dialect.reshaping if is_reshaping else nullcontext
        with (
            self._translating(),
            self._dialect.writer.connect() as connection,
            around(connection),
        ):
            connection.execution_options(wellworn_write=True)
            steps = begin_undo(connection)
            try:
                with connection.begin():
                    yield connection
            except BaseException:
                undo(steps)
                raise

    def confine(self, spaces: Collection[str] | None) -> AbstractContextManager[None]:  # noqa: ARG002
        """Let what this thread begins reach rows of these spaces alone, or of all where None.

        It is a second wall behind the filter of each statement, where the engine has one.
        """
        return nullcontext()

    def is_walled(self) -> bool:
        """Tell whether `confine` holds for this user of the database; a file has one user."""
        return True

    def _translating(self) -> AbstractContextManager[None]:
        return translate_errors(self._note_damage, self._dialect)

    def _note_damage(self) -> None:
        self.is_damaged = True

    def hold(self) -> None:
        """Keep the database open, and its tables as they are, until it is closed.

        Raises:
            StoreInUse: another process changes its tables.
            StorageUnavailable: the database failed.
        """
        with self._translating():
            self._dialect.hold()

    @contextmanager
    def keep_alone(self) -> Generator[None]:
        """Let no other server have the database meanwhile; a file has one alone.

        Raises:
            StoreInUse: another server has it open.
        """
        yield

    @contextmanager
    def read_alone(self) -> Generator[Connection]:
        """Yield a connection that reads one state, which nobody can change meanwhile.

        Raises:
            StorageUnavailable: the database failed, or another process writes to it.
        """
        with self.rehearse() as connection:
            yield connection

    def read_fact(self, name: str) -> str | None:  # noqa: ARG002
        """Return what is noted of the database for all servers; a file has its folder for that."""
        return None

    def write_fact(self, name: str, value: str | None) -> None:
        """Note something of the database for all servers, or nothing more of it."""

    def forget_servers(self, *, but: str) -> None:
        """Forget what earlier servers noted and changed, but for one fact."""

    def catch_up(self) -> None:
        """Take in what other servers changed; a file has one alone."""

    def follow(
        self, topic: str, change: Change, everything: Everything, *, seen: int | None = None
    ) -> None:
        """Take in what other servers change of a topic: some of it, or where much was missed, all.

        What was `seen` of it before is the number of a change.
        """

    def expect_changes(self) -> None:
        """Have the next statement of this thread's write transaction bring what others changed.

        For one that will change what several servers share, so that nobody waits for it there.
        """

    def note_change(self, topic: str, names: Sequence[Any]) -> None:
        """Tell other servers of a change, with the write transaction of this thread."""

    def tell(self, topic: str, names: Sequence[Any]) -> None:
        """Tell other servers of a change, in a transaction of its own."""

    def agree(self, name: str, value: str, *, changes: bool = False) -> str:  # noqa: ARG002
        """Return what all servers have agreed on; of a file, what its one server says."""
        return value

    def take_lease(self, name: str) -> bool:  # noqa: ARG002
        """Tell whether this server may do what only one at a time does."""
        return True

    def has_lease(self, name: str) -> bool:  # noqa: ARG002
        """Tell whether this server still has a lease that it took."""
        return True

    def end_lease(self, name: str) -> None:
        """Leave it to others."""

    def renew_leases(self) -> None:
        """Ask for the leases of this server again, if it was cut off from the database."""

    def find_leased(self, names: Sequence[str]) -> set[str]:
        """Return those of the leases that some server has; of a file, its one server all."""
        return {*names}

    @contextmanager
    def lead(self, name: str) -> Generator[bool]:  # noqa: ARG002
        """Yield whether only this server may do something, until the block ends.

        What the thread writes in the block is refused once the lease is lost. Threads of one
        server agree among themselves.
        """
        yield True

    def scrub(self) -> bool:
        """Leave nothing in the files of what was deleted, as far as the engine can see to that.

        SQLite's log is emptied into the database. A read under way longer than half a second holds
        it; the scrub then stays due. Returns whether it is done.

        Raises:
            StorageUnavailable: no connection to the database.
        """
        self._scrub_due = True
        with self._translating():
            self._scrub_due = not self._dialect.scrub(self._alone)
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
            return self._dialect.is_sound(connection)

    def close(self) -> None:
        self._dialect.reader.dispose()
        self._dialect.writer.dispose()


class JoinedDatabase(Database):
    """Reads and writes in a transaction that is under way; a subclass, as `RamDatabase` is.

    For one thread, and only until the transaction ends. An error must leave it, or half of what
    failed is kept.
    """

    def __init__(self, transaction: Transaction, *, of: Database) -> None:
        self._transaction = transaction
        self.holds_files = of.holds_files

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
