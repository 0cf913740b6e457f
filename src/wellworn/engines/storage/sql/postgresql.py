"""PostgreSQL as the database; loaded only where a URL of one is set.

Reads see one state (REPEATABLE READ). All writes of a process go over one connection, and each
write transaction begins with a lock of the database, so that writers of several servers come one
after the other, too. For as long as it lives, that connection has a lock that all servers share,
which keeps tables as they are, and the locks of what only one of them may do. What SQLite never
checked is declared as SQLite has it: whole numbers of 64 bits, text of any length, in the order of
its bytes.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import psycopg
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format, TransactionStatus
from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Integer,
    String,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.base import PGDDLCompiler, PGTypeCompiler
from sqlalchemy.dialects.postgresql.psycopg import PGCompiler_psycopg, PGDialect_psycopg
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from wellworn.engines.storage.sql.commits import Savepoint
from wellworn.engines.storage.sql.pipelines import PipelinedConnection
from wellworn.errors import (
    DamagedStore,
    DatabaseAway,
    DiskFull,
    HeldElsewhere,
    InvalidInput,
    StorageUnavailable,
    StoreInUse,
    WellwornError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg.abc import Buffer
    from sqlalchemy.sql.functions import Function

    PsycopgConnection = psycopg.Connection[Any]

_DRIVER: Final = "postgresql+wellworn"
_CONNECT: Final = {
    "application_name": "wellworn",
    "connect_timeout": 10,
    "client_encoding": "utf8",
    # A server that is gone without a word is noticed within a minute.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
Later = Callable[[], "list[tuple[Any, ...]]"]
SETTING: Final = "wellworn.spaces"
"""The spaces whose rows a transaction reaches, as the policies of tables read them."""
_ALL_SPACES: Final = "*"
_spaces: ContextVar[str] = ContextVar("spaces", default=_ALL_SPACES)
"""Goes along where a call goes on in another thread, and is no longer there than the call."""
_BEGIN_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WAIT_S: Final = 10
"""The longest wait for another process that is just ending."""
_QUEUED_S: Final = 30
"""The longest wait for writers of other servers."""
_STUCK_S: Final = 300
"""The longest that one who hangs in a write transaction keeps other writers out."""
_LOCK: Final = 1_466_262_383
"""The name of the servers' lock, with that of the schema: b"Well" as a number; others follow."""
_SCHEMA: Final = "hashtext(current_schema())"
_JOIN: Final = f"SELECT pg_advisory_lock_shared({_LOCK}, {_SCHEMA})"
_BE_ALONE: Final = f"SELECT pg_try_advisory_lock({_LOCK}, {_SCHEMA})"
_BE_NO_LONGER_ALONE: Final = f"SELECT pg_advisory_unlock({_LOCK}, {_SCHEMA})"
_LOCK_WRITERS: Final = f"SELECT pg_advisory_xact_lock({_LOCK + 1}, {_SCHEMA})"
_LEASE: Final = f"({_LOCK + 2}, hashtext(current_schema() || '.' || %s))"
_TAKE_LEASE: Final = f"SELECT pg_try_advisory_lock{_LEASE}"
_END_LEASE: Final = f"SELECT pg_advisory_unlock{_LEASE}"
_FIND_LEASED: Final = (
    "SELECT name FROM unnest(%s::text[]) AS name JOIN pg_locks"
    " ON objid = hashtext(current_schema() || '.' || name)::oid"
    " AND classid = %s AND objsubid = 2 AND locktype = 'advisory'"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_PATIENCE: Final = (
    f"SET lock_timeout = '{_QUEUED_S}s'; SET idle_in_transaction_session_timeout = '{_STUCK_S}s'"
    # A machine that is gone without a word has no locks after a minute.
    "; SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)
_BEAT: Final = "SET idle_session_timeout = '60s'"
"""Ends the connection, and with it all leases, of a server that stands still from now on."""

_IS_UNBOUND: Final = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_OWN_TABLES: Final = (
    "SELECT quote_ident(tablename) FROM pg_tables"
    " WHERE schemaname = current_schema() AND tableowner = current_user"
)

_RETRY: Final = "call again in a few seconds"
_BY_STATE: Final[Mapping[str, tuple[type[WellwornError], str]]] = {
    "53100": (DiskFull, "the disk of PostgreSQL is full; nothing was written"),
    "53300": (
        DatabaseAway,
        "PostgreSQL has no connection left; raise its max_connections",
    ),
    "25006": (
        StorageUnavailable,
        "PostgreSQL accepts no writes: it is a replica, or set to read only; nothing was written",
    ),
    "28000": (StorageUnavailable, "PostgreSQL does not let this user in; see pg_hba.conf"),
    "28P01": (
        StorageUnavailable,
        "PostgreSQL refuses the user or the password of WELLWORN_STORAGE__URL",
    ),
    "3D000": (
        StorageUnavailable,
        "the database that WELLWORN_STORAGE__URL names does not exist; make it with `createdb`",
    ),
    "42501": (
        StorageUnavailable,
        "PostgreSQL's user may not do this; make it the owner of the database",
    ),
    "25P03": (DatabaseAway, f"PostgreSQL ended a transaction that stood still; {_RETRY}"),
    "55P03": (DatabaseAway, f"other servers of this database are busy; {_RETRY}"),
    "57P01": (DatabaseAway, f"PostgreSQL is shutting down; {_RETRY}"),
    "57P02": (DatabaseAway, f"PostgreSQL is restarting; {_RETRY}"),
    "57P03": (DatabaseAway, f"PostgreSQL is starting; {_RETRY}"),
    "XX001": (DamagedStore, "PostgreSQL reports a damaged page; restore its backup"),
    "XX002": (DamagedStore, "PostgreSQL reports a damaged index; REINDEX, or restore its backup"),
}
_RESHAPED: Final = (
    "a server is changing the tables of this database, moves records there, or is of an earlier"
    " version that shares none; end it first"
)
_AWAY: Final = (
    "PostgreSQL cannot be reached; see that it runs, and that WELLWORN_STORAGE__URL is right"
)
_OTHER_SPACE: Final = (
    "PostgreSQL refused to write a row of another space than the call's; nothing was written, and"
    " this is a fault of wellworn"
)
_ABORTED: Final = "an earlier statement of the transaction failed; nothing was written"


class PostgreSQL:
    """What `Database` asks of PostgreSQL."""

    errors: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(self, url: str, *, connections: int, options: str = "") -> None:
        """Connect to nothing yet; reading connections begin with these options, if any.

        Raises:
            InvalidInput: the URL is none of PostgreSQL.
        """
        address = _read_url(url)
        self.leases = set[str]()
        self.joined = 0
        self.reader = _open(_add_options(address, options), connections)
        self.writer = _open(address, 1)
        event.listen(self.reader, "connect", _let_read)
        event.listen(self.reader, "begin", _begin_read)
        event.listen(self.writer, "begin", _begin_write)
        event.listen(self.writer, "connect", self._join)
        event.listen(self.writer, "commit", _refuse_aborted)

    def explain(self, error: Exception) -> WellwornError:
        """Return the port's error for one of SQLAlchemy or of the driver; no URL is in it."""
        driver = error.orig if isinstance(error, DBAPIError) else error
        state = getattr(driver, "sqlstate", None) or _find_state(driver)
        if state == "42501" and "row-level security" in str(driver):
            return StorageUnavailable(_OTHER_SPACE)
        if state in _BY_STATE:
            kind, message = _BY_STATE[state]
            return kind(message)
        if isinstance(driver, psycopg.DataError) and "NUL" in str(driver):
            return InvalidInput("a text with a NUL character cannot be kept in PostgreSQL")
        if isinstance(error, PoolTimeoutError):
            return DatabaseAway(f"all connections to PostgreSQL are busy; {_RETRY}")
        if isinstance(driver, psycopg.OperationalError) and state is None:
            return DatabaseAway(_AWAY)
        return StorageUnavailable("PostgreSQL did not do it; see the server's log")

    def is_in_transaction(self, driver: PipelinedConnection) -> bool:
        """Tell whether a transaction can be committed; none can where a statement of it failed."""
        return driver.is_under_way

    def require_space(self, least_free_bytes: int) -> None:
        """Leave it to PostgreSQL, whose disk is another one, to say that it is full."""

    def hold(self) -> None:
        """Open the connection that writes, and with it become one of the servers."""
        with self.writer.connect():
            pass

    def _join(self, connection: PsycopgConnection, _record: object) -> None:
        try:
            connection.execute(f"SET lock_timeout = '{_WAIT_S}s'".encode())
            connection.execute(_JOIN.encode())
            connection.execute(_PATIENCE.encode())
            self.joined += 1
            # What the connection before had; somebody may have taken it meanwhile.
            for name in sorted(self.leases):
                if not _ask(connection, _TAKE_LEASE, name):
                    self.leases.discard(name)
        except psycopg.errors.LockNotAvailable as error:
            connection.close()
            raise StoreInUse(_RESHAPED) from error
        except BaseException:
            connection.close()
            raise

    def require_alone(self, otherwise: str, *, within: Connection | None = None) -> None:
        """Keep other servers out until `let_others_in`.

        Raises:
            HeldElsewhere: one has the database open; the message says what to do.
        """
        with self.writer.connect() if within is None else nullcontext(within) as connection:
            if not _ask(_driver(connection), _BE_ALONE):
                raise HeldElsewhere(otherwise)

    def let_others_in(self, *, within: Connection | None = None) -> None:
        """Be one of several again, after `require_alone`."""
        with self.writer.connect() if within is None else nullcontext(within) as connection:
            _ask(_driver(connection), _BE_NO_LONGER_ALONE)

    def take_lease(self, name: str) -> bool:
        """Tell whether this server has a lease, which it takes if nobody has it."""
        with self.writer.connect() as connection:
            if name not in self.leases and _ask(_driver(connection), _TAKE_LEASE, name):
                self.leases.add(name)
        return name in self.leases

    def end_lease(self, name: str) -> None:
        """Leave to others what this server had."""
        self.leases.discard(name)  # first: a connection that is new must not ask for it again
        with self.writer.connect() as connection:
            _ask(_driver(connection), _END_LEASE, name)

    def renew_leases(self) -> None:
        """Show that this server does not stand still; ask again for what it had if it did."""
        with self.writer.connect() as connection:
            _driver(connection).execute(_BEAT.encode())

    def find_leased(self, names: Sequence[str]) -> set[str]:
        """Return those of the leases that some server has."""
        with self.reader.connect() as connection:
            rows = _driver(connection).execute(_FIND_LEASED, ([*names], _LOCK + 2)).fetchall()
        return {name for (name,) in rows}

    def run(
        self, statement: str, values: Sequence[object], *, within: Connection | None
    ) -> list[tuple[Any, ...]]:
        """Return the rows of one statement, in a transaction or in none."""
        with self.reader.connect() if within is None else nullcontext(within) as connection:
            return _driver(connection).execute(statement.encode(), values).fetchall()

    def ask(self, statement: str, values: Sequence[object], *, within: Connection) -> Later:
        """Send a statement with the next of a transaction; return what returns its rows."""
        driver = _driver(within)
        cursor = driver.queue(statement, values)

        @cache
        def read() -> list[tuple[Any, ...]]:
            if cursor.description is None:
                driver.flush()
            return cursor.fetchall()

        return read

    @contextmanager
    def reshaping(self, connection: Connection) -> Generator[None]:
        """Do nothing: a table is altered in place, with what points to it."""
        del connection
        yield

    def has_broken_references(self, connection: Connection) -> bool:
        """Trust PostgreSQL, which checks each reference when it is written."""
        del connection
        return False

    @contextmanager
    def confine(self, spaces: Collection[str] | None) -> Generator[None]:
        """Let transactions that begin within reach these spaces' rows alone; all where None."""
        before = _spaces.set(_ALL_SPACES if spaces is None else ",".join(spaces))
        try:
            yield
        finally:
            _spaces.reset(before)

    def confine_begun(self, connection: Connection) -> None:
        """Let a transaction go on as one that begins now would."""
        driver = _driver(connection)
        if driver.is_under_way:
            driver.queue(_set_spaces())

    def is_walled(self) -> bool:
        """Tell whether policies of rows hold for this user; some are above them."""
        return not self.run(_IS_UNBOUND, (), within=None)[0][0]

    def scrub(self, alone: Callable[[], AbstractContextManager[None]]) -> bool:
        """Let dead rows go, and return their room: all that a user of the database can do.

        Their bytes stay in PostgreSQL's own files until they are written over, in its log until
        that is recycled, and in replicas and backups: docs/how-to/postgresql.md says so.
        """
        del alone  # Writers go on meanwhile.
        with self.reader.connect() as connection:
            driver = _driver(connection)
            names = [name for (name,) in driver.execute(_OWN_TABLES)]
            if names:
                driver.execute(f"VACUUM {', '.join(names)}".encode())
        return True

    def is_sound(self, connection: Connection) -> bool:
        """Ask for an answer; PostgreSQL checks the pages that it reads by itself."""
        return connection.exec_driver_sql("SELECT 1").scalar() == 1


class PipelinedSavepoint(Savepoint):
    """Keeps or undoes a writer, in his spaces, who shares a transaction with others."""

    def begin(self, driver: PipelinedConnection) -> None:
        driver.begin_writer(_set_spaces())

    def end(self, driver: PipelinedConnection, *, is_only: bool) -> bool:
        driver.end_writer(is_only=is_only)
        return is_only

    def undo(self, driver: PipelinedConnection) -> None:
        driver.undo_writer()


def _read_url(url: str) -> URL:
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        address = None
    if address is None or address.get_backend_name() not in {"postgresql", "postgres"}:
        # Without the URL, which may have a password.
        raise InvalidInput("WELLWORN_STORAGE__URL begins with postgresql:// and names a database")
    return address.set(drivername=_DRIVER)


def _add_options(address: URL, options: str) -> URL:
    if not options:
        return address
    told = address.query.get("options", "")
    told = told if isinstance(told, str) else " ".join(told)
    return address.update_query_dict({"options": f"{told} {options}".strip()})


def _open(address: URL, connections: int) -> Engine:
    registry.register("postgresql.wellworn", __name__, "PostgreSQLDialect")
    engine = create_engine(
        address,
        # Errors reach the log; what was said must not.
        hide_parameters=True,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=30,
        pool_pre_ping=True,
        label_length=63,
        connect_args={name: _CONNECT[name] for name in _CONNECT if name not in address.query},
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: PsycopgConnection, _record: object) -> None:
    # The driver must not begin transactions on its own: `_begin_…` says which kind.
    connection.autocommit = True
    connection.adapters.register_loader("numeric", _NumberLoader)
    connection.adapters.register_dumper(HalfVector, _HalfVectorDumper)


def _let_read(connection: PipelinedConnection, _record: object) -> None:
    connection.only_reads = True
    # Plans are made for the values: how many there are tells which way is the shortest.
    connection.prepare_threshold = None


def _ask(connection: PsycopgConnection, question: str, *values: object) -> bool:
    row = connection.execute(question.encode(), values).fetchone()
    return row is not None and row[0] is True


def _set_spaces() -> str:
    # No longer than the transaction: behind a pooler, the next may be somebody else's.
    quoted = _spaces.get().replace("'", "''")
    return f"SET LOCAL {SETTING} = '{quoted}'"


def _begin_read(connection: Connection) -> None:
    driver = _driver(connection)
    driver.queue(_BEGIN_READ)
    driver.queue(_set_spaces())


def _begin_write(connection: Connection) -> None:
    driver = _driver(connection)
    driver.queue("BEGIN")
    driver.queue(_LOCK_WRITERS)
    driver.queue(_set_spaces())
    if not connection.get_execution_options().get("wellworn_shared", False):
        # What is not in the database must not be looked at before others are locked out.
        driver.flush()


def _refuse_aborted(connection: Connection) -> None:
    """Raise where PostgreSQL would undo the transaction and call that a commit."""
    if _driver(connection).info.transaction_status == TransactionStatus.INERROR:
        raise psycopg.errors.InFailedSqlTransaction(_ABORTED)


def _driver(connection: Connection) -> PipelinedConnection:
    return cast("PipelinedConnection", connection.connection.driver_connection)


def _find_state(error: BaseException | None) -> str | None:
    """Return the state that a failed connection tells in words alone."""
    words = str(error)
    return next((state for told, state in _TOLD.items() if told in words), None)


_TOLD: Final = {
    "password authentication failed": "28P01",
    "no pg_hba.conf entry": "28000",
    "too many c": "53300",
    "remaining connection slots": "53300",
    "the database system is ": "57P03",
    'FATAL:  role "': "28000",
    'FATAL:  database "': "3D000",
}


class HalfVector(bytes):
    """A `halfvec` of pgvector in its binary form; written out, one is ten times as long."""


class _HalfVectorDumper(Dumper):
    # No number of the type: the statement names it, and each database has its own.
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> bytes:
        return bytes(obj)


class _NumberLoader(Loader):
    """Reads sums of whole numbers, which PostgreSQL has as decimals, as SQLite does."""

    def load(self, data: Buffer) -> float:
        digits = bytes(data)
        return int(digits) if digits.lstrip(b"-").isdigit() else float(digits)


class _Types(PGTypeCompiler):
    """Types as wide as SQLite's."""

    def visit_INTEGER(self, type_: Any, **_: Any) -> str:  # noqa: N802 - SQLAlchemy's name
        del type_
        return "BIGINT"

    def visit_VARCHAR(self, type_: Any, **_: Any) -> str:  # noqa: N802 - SQLAlchemy's name
        del type_
        return "VARCHAR"


class _Statements(PGCompiler_psycopg):
    """Functions that take narrower numbers than our columns are."""

    def visit_substr_func(self, function: Function[Any], **options: Any) -> str:
        text, *places = (self.process(clause, **options) for clause in function.clauses)
        return f"substr({', '.join([text, *(f'CAST({place} AS INTEGER)' for place in places)])})"


class _Tables(PGDDLCompiler):
    """Columns that number their rows, and sort their texts, as SQLite's do."""

    def get_column_specification(self, column: Column[Any], **options: Any) -> str:
        specification = super().get_column_specification(column, **options)
        if isinstance(column.type, String):
            return f'{specification} COLLATE "C"'
        return specification.replace(" SERIAL", " BIGSERIAL", 1)


class PostgreSQLDialect(PGDialect_psycopg):
    """SQLAlchemy's PostgreSQL with our types, names and functions."""

    supports_statement_cache = True
    # Numbers are as wide as each is: functions take no wider ones than they need.
    colspecs = {**PGDialect_psycopg.colspecs, Integer: Integer}  # noqa: RUF012 - SQLAlchemy's way
    statement_compiler = _Statements
    type_compiler_cls = _Types
    ddl_compiler = _Tables
    # PostgreSQL cuts longer names of constraints, and the same ones wherever it reads them.
    max_identifier_length = 255

    def connect(self, *arguments: Any, **options: Any) -> Any:
        """Open a connection that sends statements together."""
        return PipelinedConnection.connect(*arguments, **options)

    def do_ping(  # pyright: ignore[reportIncompatibleMethodOverride] - the pool takes False
        self, dbapi_connection: Any
    ) -> bool:
        """Ask only where something is to be read, which a connection that ended has."""
        if not dbapi_connection.is_alive():
            return False
        poll = select.poll()
        poll.register(dbapi_connection.fileno(), select.POLLIN)
        return not poll.poll(0) or super().do_ping(dbapi_connection)
