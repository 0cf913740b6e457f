"""Copies tables from one database to another, whatever engine each is of, and compares them.

A value keeps its type: what SQLite never checked is checked here, and named where it does not fit.
Rows pass in batches, so that a table may be larger than memory. Two tables are equal when they have
as many rows, and the same sum of the rows' hashes: the order in which an engine gives them is its
own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from sqlalchemy import (
    Boolean,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    func,
    inspect,
    select,
    text,
)

from wellworn.errors import InvalidInput

if TYPE_CHECKING:
    from psycopg import Connection as PsycopgConnection

_AT_ONCE: Final = 500
_OF_BYTES: Final = 50
"""Rows at once where a value may be a piece of a sealed space, of 64 KiB."""
_DIGEST_BYTES: Final = 16
_MODULUS: Final = 1 << (8 * _DIGEST_BYTES)
_KINDS: Final = (
    # A Boolean is asked for before what it is made of.
    *((Boolean, bool), (Integer, int), (Float, float), (String, str), (LargeBinary, bytes)),
)
_OF_SERVERS: Final = ("server_changes", "server_facts", "server_points", "server_vectors_")
"""What names of tables of PostgreSQL begin with that are of servers and not of the memory."""
_REVISION: Final = "alembic_version"

_NUMBERED: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE :word"
_NUMBERED_THERE: Final = (
    "SELECT table_name, column_name, pg_get_serial_sequence(quote_ident(table_name), column_name)"
    " FROM information_schema.columns WHERE table_schema = current_schema()"
    " AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL"
)
_SIZE: Final = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
_SIZE_THERE: Final = (
    "SELECT coalesce(sum(pg_total_relation_size(quote_ident(tablename)::regclass)), 0)"
    " FROM pg_tables WHERE schemaname = current_schema()"
)
_RIGHTS: Final = (
    # The queue of jobs has a schema of its own.
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AND (to_regnamespace('dbos') IS NOT"
    " NULL OR has_database_privilege(current_database(), 'CREATE'))"
)
_IS_WALLED: Final = (
    "SELECT relforcerowsecurity FROM pg_class WHERE oid = to_regclass(quote_ident(:name))"
)
_ENCODING: Final = "SHOW server_encoding"

Rows = Callable[[int], object]
"""Is told of a number of rows that are done."""
Values = tuple[Any, ...]


class TableDigest(NamedTuple):
    """The number of rows of a table, and 32 hexadecimal digits that only the same rows have."""

    rows: int
    digest: str


class Contents(NamedTuple):
    """What a database has.

    Attributes:
        rows: the rows of each table of the memory that is there.
        others: the tables that are not of a memory.
        size: bytes that all of it takes.
    """

    rows: dict[str, int]
    others: list[str]
    size: int

    @property
    def total(self) -> int:
        """The rows of all tables."""
        return sum(self.rows.values())


def take_stock(connection: Connection, metadata: MetaData) -> Contents:
    """Count the rows of every table of a memory, and name the tables that are none of it."""
    there = set(inspect(connection).get_table_names())
    known = [table for table in metadata.sorted_tables if table.name in there]
    counts = {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in known
    }
    others = {
        name for name in there - counts.keys() - {_REVISION} if not name.startswith(_OF_SERVERS)
    }
    size = connection.execute(text(_SIZE_THERE if _is_postgresql(connection) else _SIZE))
    return Contents(counts, sorted(others), int(size.scalar_one()))


def require_rights(connection: Connection) -> None:
    """Refuse a database in which this user can make no tables, or whose texts are not Unicode.

    Raises:
        InvalidInput: the message says what to do.
    """
    if not _is_postgresql(connection):
        return
    if not connection.execute(text(_RIGHTS)).scalar():
        message = (
            "PostgreSQL's user may make no tables in this database; make it the owner:"
            " ALTER DATABASE … OWNER TO …"
        )
        raise InvalidInput(message)
    encoding = connection.execute(text(_ENCODING)).scalar()
    if encoding != "UTF8":
        message = f"the database's encoding is {encoding}; make it with `createdb --encoding UTF8`"
        raise InvalidInput(message)


def digest_table(connection: Connection, table: Table, advance: Rows) -> TableDigest:
    """Read all rows of a table; `advance` is told how many each batch has.

    Raises:
        InvalidInput: a value is not of its column's type.
    """
    summing = _Sum()
    for _ in _read(connection, table, advance, summing):
        pass
    return summing.result


def digest_rows(rows: Iterable[Values]) -> TableDigest:
    """Digest rows that are in no table, as `digest_table` does those of one."""
    summing = _Sum()
    for row in rows:
        summing.add([row])
    return summing.result


def copy_table(source: Connection, target: Connection, table: Table, advance: Rows) -> TableDigest:
    """Write all rows of a table to one that is empty, and return what was read.

    Raises:
        InvalidInput: a value is not of its column's type, or PostgreSQL cannot keep it.
    """
    summing = _Sum()
    is_postgresql = _is_postgresql(target)
    batches = _read(source, table, advance, summing, has_no_nul=is_postgresql)
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    if is_postgresql:
        driver = cast("PsycopgConnection[Any]", target.connection.driver_connection)
        copying = f'COPY "{table.name}" ({names}) FROM STDIN'
        with (
            _lower_wall(target, table),
            driver.cursor() as cursor,
            cursor.copy(copying.encode()) as copy,
        ):
            for batch in batches:
                for row in batch:
                    copy.write_row(row)
    else:
        marks = ", ".join("?" * len(table.columns))
        insert = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'  # noqa: S608
        for batch in batches:
            target.exec_driver_sql(insert, [*batch])
    return summing.result


@contextmanager
def _lower_wall(target: Connection, table: Table) -> Generator[None]:
    """Let the owner of a table copy into it, in this transaction, where a policy forbids that."""
    is_walled = target.execute(text(_IS_WALLED), {"name": table.name}).scalar()
    if is_walled:
        target.exec_driver_sql(f'ALTER TABLE "{table.name}" NO FORCE ROW LEVEL SECURITY')
    yield
    if is_walled:
        target.exec_driver_sql(f'ALTER TABLE "{table.name}" FORCE ROW LEVEL SECURITY')


def clear_table(target: Connection, table: Table) -> None:
    """Remove all rows of a table; in PostgreSQL with those of others that point to them."""
    if _is_postgresql(target):
        target.exec_driver_sql(f'TRUNCATE "{table.name}" CASCADE')
    else:
        target.exec_driver_sql(f'DELETE FROM "{table.name}"')  # noqa: S608 - of our metadata


def read_numbers(connection: Connection) -> dict[str, int]:
    """Return the highest number that each table has given to a row, for those that reuse none."""
    if _is_postgresql(connection):
        numbers = dict[str, int]()
        for table, _, sequence in connection.execute(text(_NUMBERED_THERE)).all():
            last, is_given = connection.exec_driver_sql(
                f"SELECT last_value, is_called FROM {sequence}"  # noqa: S608 - of the catalog
            ).one()
            numbers[table] = last if is_given else 0
        return numbers
    numbered = connection.execute(text(_NUMBERED), {"word": "%AUTOINCREMENT%"}).scalars().all()
    if not numbered:
        return {}
    rows = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence").all()
    given: dict[str, int] = {row.name: row.seq for row in rows}
    return {table: given.get(table, 0) for table in numbered}


def write_numbers(connection: Connection, numbers: dict[str, int]) -> None:
    """Let each table go on with its numbers where the other one stood, or after its last row."""
    if not _is_postgresql(connection):
        connection.exec_driver_sql("DELETE FROM sqlite_sequence")
        numbered = connection.execute(text(_NUMBERED), {"word": "%AUTOINCREMENT%"}).scalars().all()
        rows = [(table, numbers[table]) for table in numbered if numbers.get(table)]
        if rows:
            insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
            connection.exec_driver_sql(insert, rows)
        return
    for table, column, sequence in connection.execute(text(_NUMBERED_THERE)).all():
        highest = connection.exec_driver_sql(f'SELECT max("{column}") FROM "{table}"').scalar()  # noqa: S608
        last = max(highest or 0, numbers.get(table, 0))
        connection.execute(
            text("SELECT setval(CAST(:sequence AS regclass), :number, :given)"),
            {"sequence": sequence, "number": max(1, last), "given": last > 0},
        )


def _is_postgresql(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def _read(
    connection: Connection,
    table: Table,
    advance: Rows,
    summing: _Sum,
    *,
    has_no_nul: bool = False,
) -> Iterator[list[Values]]:
    """Yield the rows of a table in batches, each value as its column has it."""
    fitting = _Fitting(table, has_no_nul=has_no_nul)
    has_bytes = any(isinstance(column.type, LargeBinary) for column in table.columns)
    options = {"yield_per": _OF_BYTES if has_bytes else _AT_ONCE}
    with connection.execute(select(table), execution_options=options) as result:
        for rows in result.partitions():
            batch = [fitting.fit(row) for row in rows]
            summing.add(batch)
            yield batch
            advance(len(batch))


class _Fitting:
    """Checks that values are of the types that their columns have."""

    def __init__(self, table: Table, *, has_no_nul: bool) -> None:
        self._table = table
        self._has_no_nul = has_no_nul
        self._kinds = tuple(_find_kind(column.type) for column in table.columns)

    def fit(self, row: Sequence[Any]) -> Values:
        return tuple(
            value if value is None else self._check(place, kind, value, row)
            for place, (kind, value) in enumerate(zip(self._kinds, row, strict=True))
        )

    def _check(self, place: int, kind: type, value: Any, row: Sequence[Any]) -> Any:
        if kind is float and type(value) in {int, float}:
            return float(value) + 0.0  # SQLite has one zero, PostgreSQL two
        if type(value) is not kind:
            is_a = f"holds a value of type {type(value).__name__} instead of {kind.__name__}"
            raise InvalidInput(f"{self._name(place, row)} {is_a}; the source serves on")
        if kind is str and self._has_no_nul and "\0" in value:
            has = "has a NUL character, which PostgreSQL cannot keep: erase it first"
            raise InvalidInput(f"{self._name(place, row)} {has}; the file serves on")
        return value

    def _name(self, place: int, row: Sequence[Any]) -> str:
        """Return the table, the column and the key of a value, for who repairs it."""
        columns = [*self._table.columns]
        keys = (
            f"{column.name}={value!r}"
            for column, value in zip(columns, row, strict=True)
            if column.primary_key
        )
        return f"{self._table.name}.{columns[place].name} of the row {', '.join(keys)}"


def _find_kind(type_: object) -> type:
    for declared, kind in _KINDS:
        if isinstance(type_, declared):
            return kind
    raise TypeError(f"nothing says how a column of {type_!r} is moved")


class _Sum:
    """Adds up the hashes of rows."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def add(self, batch: Sequence[Values]) -> None:
        for row in batch:
            # Python writes a number as shortly as reads back the same, and bytes and text apart.
            hashed = hashlib.blake2b(repr(row).encode(), digest_size=_DIGEST_BYTES).digest()
            self._sum += int.from_bytes(hashed, "big")
        self._rows += len(batch)

    @property
    def result(self) -> TableDigest:
        return TableDigest(self._rows, f"{self._sum % _MODULUS:0{2 * _DIGEST_BYTES}x}")
