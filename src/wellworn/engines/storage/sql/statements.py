"""Statements whose spelling depends on the engine.

Values from rows: a field is read from the column of its name, so each is named once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from sqlalchemy import (
    ARRAY,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Float,
    Insert,
    Row,
    Select,
    String,
    Table,
    TypeDecorator,
    bindparam,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlite3 import Connection as SQLiteConnection

    from psycopg import Cursor
    from sqlalchemy.sql import ClauseElement
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.types import TypeEngine

    from wellworn.engines.storage.sql.pipelines import PipelinedConnection

_MOST_IN_A_LIST = 10_000
T = TypeVar("T")


def split_into_batches(values: Iterable[T], size: int = _MOST_IN_A_LIST) -> Iterator[list[T]]:
    """Yield the values in lists of at most `size`; by default, what one statement can hold."""
    remaining = list(values)
    for start in range(0, len(remaining), size):
        yield remaining[start : start + size]


class _JsonList(TypeDecorator[Sequence[object]]):
    """A list that is bound as one value."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Iterable[object] | None, dialect: Dialect) -> str:  # noqa: ARG002
        return json.dumps(list(value or ()))


class _IsListed(FunctionElement[bool]):
    """Whether a column is in a list that is bound as one value."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: object = None) -> Any:
        """Stay as it is: compared with 1, SQLite would use no index."""
        del against
        return self


@compiles(_IsListed)
def _compile_listed(element: _IsListed, compiler: SQLCompiler, **options: Any) -> str:
    column, name = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} IN (SELECT anon_list.value FROM json_each({name}) AS anon_list)"  # noqa: S608


@compiles(_IsListed, "postgresql")
def _compile_listed_there(element: _IsListed, compiler: SQLCompiler, **options: Any) -> str:
    column, bound = element.clauses
    values = bindparam(cast("Any", bound).key, type_=ARRAY(column.type))
    return f"{compiler.process(column, **options)} = ANY({compiler.process(values, **options)})"


def compare_with_list(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Ask whether a column is in the list that a statement is given as `name`.

    For statements of every call: `in_` writes a list of parameters again each time, which takes
    longer than the search itself.
    """
    return _IsListed(column, bindparam(name, type_=_JsonList()))


class _Later(FunctionElement[Any]):
    """The greater of two columns that both have a value."""

    inherit_cache = True


@compiles(_Later)
def _compile_later(element: _Later, compiler: SQLCompiler, **options: Any) -> str:
    return f"max({compiler.process(element.clauses, **options)})"


@compiles(_Later, "postgresql")
def _compile_later_there(element: _Later, compiler: SQLCompiler, **options: Any) -> str:
    return f"greatest({compiler.process(element.clauses, **options)})"


def take_greater(first: ColumnElement[T], second: ColumnElement[T]) -> ColumnElement[T]:
    """Return the greater of two columns that both have a value."""
    greater = _Later(first, second)
    greater.type = first.type
    return greater


class _JsonField(FunctionElement[Any]):
    """A field of a JSON object that a column holds as text."""

    inherit_cache = True

    def __init__(self, column: ColumnElement[Any], name: str, kind: TypeEngine[Any]) -> None:
        super().__init__(column, literal_column(f"'{name}'"))
        self.type = kind


@compiles(_JsonField)
def _compile_field(element: _JsonField, compiler: SQLCompiler, **options: Any) -> str:
    column, name = (compiler.process(part, **options) for part in element.clauses)
    return f"json_extract({column}, '$.' || {name})"


@compiles(_JsonField, "postgresql")
def _compile_field_there(element: _JsonField, compiler: SQLCompiler, **options: Any) -> str:
    column, name = (compiler.process(part, **options) for part in element.clauses)
    field = f"CAST({column} AS json) -> {name}"
    kind = f"json_typeof({field})"
    if isinstance(element.type, String):
        return f"CASE {kind} WHEN 'null' THEN NULL ELSE CAST({column} AS json) ->> {name} END"
    return f"CASE {kind} WHEN 'number' THEN CAST(CAST({field} AS text) AS float8) END"


def read_json_number(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    """Return a number of a JSON object that a column holds; null, or no number, where none is."""
    return _JsonField(column, name, Float())


def read_json_text(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    """Return a field of a JSON object that a column holds, as text; null where none is."""
    return _JsonField(column, name, String())


_NAMED = sqlite.dialect(paramstyle="named")


Rows = list[tuple[Any, ...]]
Asked = tuple["ClauseElement", "Mapping[str, Any]"]
"""A statement that returns rows, with its parameters, as `fetch` takes them."""


class _Prepared(NamedTuple):
    """A statement as the driver takes it, with the values that are part of it."""

    text: str
    constants: dict[str, Any]


def fetch(
    connection: Connection, statement: ClauseElement, parameters: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Run a statement of every call and return its rows, with columns as the driver has them.

    SQLAlchemy takes as long for a statement as SQLite. The statement must be a constant, as it is
    prepared once; truth comes as 0 or 1; lists are for `compare_with_list`.
    """
    dialect, bind = _choose(connection)
    text, constants = _prepare(dialect, statement, tuple(parameters))
    bound = {name: bind(value) for name, value in parameters.items()}
    return _begin(connection).execute(text, constants | bound).fetchall()


def fetch_together(connection: Connection, *asked: Asked) -> Iterator[Rows]:
    """Yield the rows of statements, each as `fetch` returns them, at once.

    Where a statement is a round trip they take one together. SQLite runs each when it is its turn,
    so that whoever needs no more has paid for no more.
    """
    dialect, bind = _choose(connection)
    if dialect is _NAMED:
        yield from (fetch(connection, statement, parameters) for statement, parameters in asked)
        return
    driver = cast("PipelinedConnection", _begin(connection))
    cursors: list[Cursor[Any]] = []
    for statement, parameters in asked:
        text, constants = _prepare(dialect, statement, tuple(parameters))
        bound = {name: bind(value) for name, value in parameters.items()}
        cursors.append(driver.queue(text, constants | bound))
    if cursors:
        driver.flush()
    yield from (cursor.fetchall() for cursor in cursors)


def ask_number(connection: Connection, column: Column[int]) -> list[Asked]:
    """Ask for the number of a row that is written later, so that nobody waits for the row.

    SQLite says it with the row, so there is nothing to ask.
    """
    return [] if connection.dialect.name == "sqlite" else [(_next_number(column), {})]


@cache
def _next_number(column: Column[int]) -> Select[int]:
    sequence = func.pg_get_serial_sequence(column.table.description, column.name)
    return select(func.nextval(sequence))


def write_rows(
    connection: Connection, statement: ClauseElement, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Run a constant statement of every call for each of the rows, which have the same columns."""
    if rows:
        dialect, _ = _choose(connection)
        text, constants = _prepare(dialect, statement, tuple(rows[0]))
        # In PostgreSQL they wait for the next statement that is read, or for the commit.
        _begin(connection).executemany(text, [{**constants, **row} for row in rows])


def _choose(connection: Connection) -> tuple[Dialect, Callable[[object], object]]:
    dialect = connection.dialect
    return (_NAMED, _bind) if dialect.name == "sqlite" else (dialect, _bind_there)


def _bind(value: object) -> object:
    if isinstance(value, list | tuple | Set):
        return json.dumps(list(cast("Iterable[object]", value)))
    return value


def _bind_there(value: object) -> object:
    return list(cast("Iterable[object]", value)) if isinstance(value, tuple | Set) else value


def _begin(connection: Connection) -> SQLiteConnection:
    if not connection.in_transaction():
        connection.begin()
    # Of PostgreSQL's driver, the same is asked.
    return cast("SQLiteConnection", connection.connection.driver_connection)


@lru_cache(maxsize=256)
def _prepare(dialect: Dialect, statement: ClauseElement, columns: tuple[str, ...]) -> _Prepared:
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    values: Mapping[str, Any] = compiled.params or {}
    constants = {name: value for name, value in values.items() if value is not None}
    defaults = cast("SQLCompiler", compiled).insert_prefetch
    constants |= {column.key: cast("Any", column.default).arg for column in defaults}
    return _Prepared(str(compiled), constants)


def select_in(
    connection: Connection, statement: Select[*tuple[Any, ...]], column: Any, values: Iterable[Any]
) -> Iterator[Row[*tuple[Any, ...]]]:
    """Yield the rows whose `column` is among the values, however many values there are."""
    for batch in split_into_batches(values):
        yield from connection.execute(statement.where(column.in_(batch)))


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows; those whose key is there already are passed over."""
    if rows:
        write_rows(connection, _passing_over(connection.dialect.name, table), rows)


def add_up(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, object]],
    *columns: str,
    latest: tuple[str, ...] = (),
    earliest: tuple[str, ...] = (),
) -> None:
    """Insert rows; where the key is there already, add the numbers in `columns` to the old ones.

    Columns in `latest` take the new value there, those in `earliest` keep the old one; in both a
    value goes before None.
    """
    if rows:
        statement = _adding_up(connection.dialect.name, table, columns, latest, earliest)
        write_rows(connection, statement, rows)


# Made once: building a statement takes longer than SQLite takes to run it.
@lru_cache(maxsize=64)
def _passing_over(dialect: str, table: Table) -> Insert:
    return _insert(dialect, table).on_conflict_do_nothing()


@lru_cache(maxsize=64)
def _adding_up(
    dialect: str,
    table: Table,
    columns: tuple[str, ...],
    latest: tuple[str, ...],
    earliest: tuple[str, ...],
) -> Insert:
    statement = _insert(dialect, table)
    new = statement.excluded
    changes = {name: table.c[name] + new[name] for name in columns}
    changes |= {name: func.coalesce(new[name], table.c[name]) for name in latest}
    changes |= {name: func.coalesce(table.c[name], new[name]) for name in earliest}
    keys = list(table.primary_key.columns)
    return statement.on_conflict_do_update(index_elements=keys, set_=changes)


def _insert(dialect: str, table: Table) -> Any:
    # Both dialects' inserts have the same upsert methods but no common type.
    return insert_postgresql(table) if dialect == "postgresql" else insert_sqlite(table)


Value = TypeVar("Value")


def build_value(
    kind: Callable[..., Value], row: Row[*tuple[Any, ...]], /, **values: object
) -> Value:
    """Return a dataclass whose fields are a row's columns of the same names.

    Those in `values` are not read; a field that has neither keeps its default. Where rows are many
    and time counts, unpack them by position instead.
    """
    # The underscore keeps it apart from columns; it is public.
    columns = row._mapping  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    read = {name: columns[name] for name in _list_fields(kind) if name in columns}
    return kind(**(read | values))


@cache
def _list_fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
