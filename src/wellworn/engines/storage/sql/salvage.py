"""Brings the rows of a damaged database file into a new one, and names those that are lost.

SQLite reads nothing of a database whose first page is damaged, and nothing below a damaged page of
a tree. Here pages are read one by one: what no tree leads to any more belongs to the one table with
a hole that its rows fit.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from wellworn.engines.storage.sql.changes import quote, replay
from wellworn.engines.storage.sql.file_pages import (
    FileRow,
    PageCells,
    PageFile,
    Value,
    is_leaf_of_table,
    walk,
)
from wellworn.errors import StorageUnavailable

_KINDS_OF_SCHEMA: Final = {"table", "index", "view", "trigger"}
_SEQUENCES: Final = "sqlite_sequence"
_IMAGE_PAGE: Final = 8192
"""The size of a page of a database that was made in memory."""


@dataclass(frozen=True, slots=True)
class LostRow:
    """A row, or several, that could not be brought out; `name` is what is known of it."""

    table: str
    name: str
    reason: str


@dataclass(slots=True)
class SalvagedRows:
    """The counts of rows of each table that were brought out, and the rows that were not."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    lost: list[LostRow] = field(default_factory=list[LostRow])


class SchemaLine(NamedTuple):
    """A line of the schema: what is made by a statement and begins at a page; 0 if unknown."""

    kind: str
    name: str
    table: str
    root: int
    statement: str | None


class TableColumn(NamedTuple):
    name: str
    affinity: str
    is_required: bool
    is_rowid: bool

    def fits(self, value: Value) -> bool:
        if value is None:
            return self.is_rowid or not self.is_required
        return isinstance(value, _VALUES.get(self.affinity, (int, float, str, bytes)))


_VALUES: Final[dict[str, tuple[type, ...]]] = {
    "INTEGER": (int,),
    "REAL": (int, float),
    "TEXT": (str,),
    "BLOB": (bytes,),
}


_AFFINITIES: Final = {
    "INT": "INTEGER",
    "CHAR": "TEXT",
    "TEXT": "TEXT",
    "BLOB": "BLOB",
    "FLOAT": "REAL",
    "REAL": "REAL",
}


def salvage_database(source: Path, target: Path, model: Path) -> SalvagedRows:
    """Make a new database of the rows of a damaged one that can be read.

    Tables that the damaged schema does not tell of any more are made as in `model`, an empty
    database of today.

    Raises:
        StorageUnavailable: the target cannot be written.
    """
    try:
        with closing(PageFile(source)) as file, closing(sqlite3.connect(target)) as database:
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("ATTACH ? AS model", (str(model),))
            salvaged = _SalvageRun(file, database).run()
            database.commit()
            return salvaged
    except (sqlite3.Error, OSError) as error:
        raise StorageUnavailable("what can be read could not be written") from error


def salvage_image(
    image: bytes | bytearray, changes: Iterable[bytes], model: bytes, *, has_holes: bool
) -> tuple[bytes, SalvagedRows]:
    """Return an image of the rows that can be read of one with holes, and of changes with gaps.

    `model` is an image of an empty database of today; nothing is written to any file.

    Raises:
        DamagedStore: the changes are not of this database.
    """
    with (
        closing(PageFile(image, _IMAGE_PAGE)) as file,
        closing(sqlite3.connect(":memory:")) as database,
    ):
        database.execute(f"PRAGMA page_size = {_IMAGE_PAGE}")
        run = _SalvageRun(file, database)
        if has_holes:
            database.execute("ATTACH ':memory:' AS model")
            database.deserialize(model, name="model")
            run.run()
            database.commit()
        else:
            database.deserialize(image)
        replay(database, changes, has_gaps=True)
        run.drop_dangling()
        database.commit()
        return database.serialize(), run.result


class _SalvageRun:
    def __init__(self, file: PageFile, database: sqlite3.Connection) -> None:
        self._file = file
        self._database = database
        self._seen: set[int] = set()
        self._columns: dict[str, list[TableColumn]] = {}
        self._broken: set[str] = set()
        self.result = SalvagedRows()

    def run(self) -> SalvagedRows:
        """Fill the new database."""
        with suppress(ValueError):
            self._seen |= self._file.list_free()
        schema = self._find_schema()
        tables = [line for line in schema if line.kind == "table" and line.statement]
        self._make(schema)
        own = [line.name for line in tables if line.name != _SEQUENCES]
        for line in tables:
            if line.name in own:
                self._copy_table(line)
        self._adopt(own)
        for line in schema:
            if line.name == _SEQUENCES:
                self._copy_sequences(line)
        roots = {line.name: line.root for line in schema if line.kind == "index"}
        for table in sorted(self._broken):
            self._name_missing(table, roots)
        self.drop_dangling()
        for table in own:
            self._begin_anew(table)
            [self.result.counts[table]] = self._database.execute(
                f"SELECT count(*) FROM {quote(table)}"  # noqa: S608
            ).fetchone()
        return self.result

    def _find_schema(self) -> list[SchemaLine]:
        """Return the schema as far as it can be read, and what it lacks from the model."""
        lines: dict[str, SchemaLine] = {}
        is_whole = True
        for _, cells in walk(self._file, 1, self._seen):
            is_whole = is_whole and cells is not None and not cells.damaged
            lines |= {line.name: line for line in _read_schema(cells.rows if cells else ())}
        if is_whole:
            return list(lines.values())
        for number, cells in self._find_orphans():
            if schema := list(_read_schema(cells.rows)):
                lines |= {line.name: line for line in schema}
                self._seen.add(number)
        rows = self._database.execute(
            "SELECT type, name, tbl_name, 0, sql FROM model.sqlite_master"
        )
        return list(({row[1]: SchemaLine(*row) for row in rows} | lines).values())

    def _find_orphans(self) -> Iterator[tuple[int, PageCells]]:
        for number in range(1, self._file.count + 1):
            if number not in self._seen:
                with suppress(ValueError, IndexError, ArithmeticError):
                    cells = self._file.read_cells(number)
                    if is_leaf_of_table(cells):
                        yield number, cells

    def _make(self, schema: list[SchemaLine]) -> None:
        for kind in ("table", "index"):
            for line in schema:
                if line.kind == kind and line.statement and not line.name.startswith("sqlite_"):
                    self._database.execute(line.statement)

    def _copy_table(self, line: SchemaLine) -> None:
        if not line.root:
            self._broken.add(line.name)
            return
        for number, cells in walk(self._file, line.root, self._seen):
            if cells is None or cells.damaged:
                self._broken.add(line.name)
                what = "page" if cells is None else f"{cells.damaged} rows of page"
                self._lose(line.name, f"{what} {number}", "the page is damaged")
            self._insert(line.name, cells.rows if cells else ())

    def _insert(self, table: str, rows: Iterable[FileRow]) -> None:
        columns = self._list_columns(table)
        names = [quote(column.name) for column in columns]
        has_rowid = any(column.is_rowid for column in columns)
        for row in rows:
            values = [
                row.rowid if column.is_rowid else value
                for column, value in zip(columns, row.values, strict=False)
            ]
            into = names[: len(values)]
            if not has_rowid:
                into, values = ["rowid", *into], [row.rowid, *values]
            places = ", ".join("?" * len(values))
            statement = f"INSERT INTO {quote(table)} ({', '.join(into)}) VALUES ({places})"  # noqa: S608
            reason = "" if _fits(columns, row) else "is of other columns"
            try:
                if not reason:
                    self._database.execute(statement, values)
            except sqlite3.IntegrityError as error:
                reason = str(error)
            if reason:
                self._broken.add(table)
                self._lose(table, f"row {row.rowid}", reason)

    def _adopt(self, tables: Iterable[str]) -> None:
        """Put the rows of pages that no tree leads to into the one table with a hole they fit."""
        for number, cells in self._find_orphans() if self._broken else ():
            fitting = [
                table
                for table in tables
                if table in self._broken
                and all(_fits(self._list_columns(table), row) for row in cells.rows)
            ]
            exact = [
                table
                for table in fitting
                if len(self._list_columns(table)) == len(cells.rows[0].values)
            ]
            if len(exact or fitting) == 1:
                self._insert((exact or fitting)[0], cells.rows)
            elif fitting:
                text = f"the {len(cells.rows)} rows of page {number}"
                self._lose(" or ".join(fitting), text, "nothing tells which table they are of")

    def _begin_anew(self, table: str) -> None:
        """Fill a table that lost all its rows with those that a new memory begins with."""
        name = quote(table)
        is_empty = self._database.execute(f"SELECT 1 FROM main.{name}").fetchone() is None  # noqa: S608
        if table in self._broken and is_empty:
            with suppress(sqlite3.OperationalError):
                self._database.execute(f"INSERT INTO main.{name} SELECT * FROM model.{name}")  # noqa: S608

    def _copy_sequences(self, line: SchemaLine) -> None:
        """Take over which numbers were given out, so that none is given out again."""
        for _, cells in walk(self._file, line.root, self._seen):
            for row in cells.rows if cells else ():
                at_least = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
                name, seq = row.values
                if not self._database.execute(at_least, (seq, name)).rowcount:
                    self._database.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", row.values)

    def drop_dangling(self) -> None:
        """Drop references to rows that are lost, and rows that are nothing without them."""
        dropped: Counter[tuple[str, str]] = Counter()
        while rows := self._database.execute("PRAGMA foreign_key_check").fetchall():
            for table, rowid, parent, number in rows:
                column = self._find_reference(table, number)
                name = quote(table)
                if column.is_required:
                    self._database.execute(f"DELETE FROM {name} WHERE rowid = ?", (rowid,))  # noqa: S608
                    dropped[table, parent] += 1
                else:
                    change = f"UPDATE {name} SET {quote(column.name)} = NULL WHERE rowid = ?"  # noqa: S608
                    self._database.execute(change, (rowid,))
        for (table, parent), count in dropped.items():
            self._lose(table, f"{count} rows", f"belong to lost rows of {parent}")

    def _find_reference(self, table: str, number: int) -> TableColumn:
        references = self._database.execute(f"PRAGMA foreign_key_list({quote(table)})")
        name = next(row[3] for row in references if row[0] == number)
        return next(column for column in self._list_columns(table) if column.name == name)

    def _name_missing(self, table: str, roots: Mapping[str, int]) -> None:
        """Name the rows that a unique index tells of and the table lacks; roots are of indexes."""
        indexes = self._database.execute(f"PRAGMA index_list({quote(table)})").fetchall()
        columns = {
            row[1]: [
                column[2]
                for column in self._database.execute(f"PRAGMA index_info({quote(row[1])})")
            ]
            for row in indexes
            if row[2] and row[1] in roots
        }
        rowids = self._database.execute(f"SELECT rowid FROM {quote(table)}")  # noqa: S608
        known = {row[0] for row in rowids}
        for index in sorted(columns, key=lambda index: "id" not in columns[index]):
            for _, cells in walk(self._file, roots[index], set()):
                for row in cells.rows if cells else ():
                    if row.rowid not in known:
                        known.add(row.rowid)
                        pairs = zip(columns[index], row.values, strict=False)
                        name = ", ".join(f"{column} {value}" for column, value in pairs)
                        self._lose(table, name, "was on a damaged page")

    def _lose(self, table: str, name: str, reason: str) -> None:
        self.result.lost.append(LostRow(table, name, reason))

    def _list_columns(self, table: str) -> list[TableColumn]:
        if table not in self._columns:
            rows = self._database.execute(f"PRAGMA table_info({quote(table)})").fetchall()
            keys = sum(bool(row[5]) for row in rows)
            self._columns[table] = [
                TableColumn(
                    name=row[1],
                    affinity=_find_affinity(row[2]),
                    is_required=bool(row[3] or row[5]) and row[4] is None,
                    is_rowid=bool(row[5]) and keys == 1 and row[2] == "INTEGER",
                )
                for row in rows
            ]
        return self._columns[table]


def _read_schema(rows: Iterable[FileRow]) -> Iterator[SchemaLine]:
    for row in rows:
        if len(row.values) == len(SchemaLine._fields) and row.values[0] in _KINDS_OF_SCHEMA:
            kind, name, table, root, statement = row.values
            yield SchemaLine(
                str(kind),
                str(name),
                str(table),
                root if isinstance(root, int) else 0,
                statement if isinstance(statement, str) else None,
            )


def _fits(columns: list[TableColumn], row: FileRow) -> bool:
    """Tell whether a row may be one of a table; columns that were added later may be missing."""
    values = row.values
    if len(values) > len(columns) or any(column.is_required for column in columns[len(values) :]):
        return False
    return all(column.fits(value) for column, value in zip(columns, values, strict=False))


def _find_affinity(declared: str) -> str:
    for word, affinity in _AFFINITIES.items():
        if word in declared.upper():
            return affinity
    return "ANY"
