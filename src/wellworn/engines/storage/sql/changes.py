"""Records the rows that a transaction changes, writes them as bytes, and replays them.

A database in memory is on disk only as an image that lags behind. Later commits are stored as rows,
not as statements, because a replay of rows depends on no clock, default or trigger. Triggers note
the changed rows in a temporary table, which no image contains. Every table must have a rowid. A
row changed ten times in a transaction is written once, with its last value.

Source: SQLite's session extension does the same; Python does not offer it.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from wellworn.errors import DamagedStore

_NOTES = "wellworn_notes"
_WRITTEN = ("INSERT", "UPDATE", "DELETE")


class TableChange(NamedTuple):
    """The changes of one table: rows with their new values, rowid first, and deleted rowids."""

    table: str
    rows: Sequence[Sequence[Any]]
    gone: Sequence[int]


class Recorder:
    """Notes which rows of one connection's main database change."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tables: list[str] = []
        self._schema = -1

    def watch(self) -> None:
        """Watch the present tables; call again when the schema has changed.

        Raises:
            DamagedStore: a table has no rowid.
        """
        execute = self._connection.execute
        execute(f"CREATE TABLE IF NOT EXISTS temp.{_NOTES} (source INTEGER, row INTEGER)")
        for (name,) in execute("SELECT name FROM temp.sqlite_master WHERE type = 'trigger'"):
            execute(f"DROP TRIGGER temp.{quote(name)}")
        self._tables = tables(self._connection)
        for source, name in enumerate(self._tables):
            for event in _WRITTEN:
                execute(_trigger(source, name, event))
        self.forget()
        self._schema = self._version()

    def schema_changed(self) -> bool:
        """Tell whether the schema changed since `watch`."""
        return self._version() != self._schema

    def forget(self) -> None:
        """Drop all notes."""
        self._connection.execute(f"DELETE FROM temp.{_NOTES}")  # noqa: S608 - a constant

    def take(self) -> bytes | None:
        """Return the changes of the open transaction as bytes, and forget them; None if none."""
        select = f"SELECT DISTINCT source, row FROM temp.{_NOTES} ORDER BY source, row"  # noqa: S608
        noted = self._connection.execute(select).fetchall()
        if not noted:
            return None
        changed = [
            self._read_changes(source, [row for _, row in rows])
            for source, rows in groupby(noted, key=lambda note: note[0])
        ]
        self.forget()
        return _encode(changed, _sequences(self._connection))

    def _read_changes(self, source: int, noted: Sequence[int]) -> TableChange:
        name = self._tables[source]
        among = f"SELECT row FROM temp.{_NOTES} WHERE source = ?"  # noqa: S608
        select = f"SELECT rowid, * FROM main.{quote(name)} WHERE rowid IN ({among})"  # noqa: S608
        rows = self._connection.execute(select, (source,)).fetchall()
        there = {row[0] for row in rows}
        return TableChange(name, rows, [row for row in noted if row not in there])

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA main.schema_version").fetchone()
        return int(version)


def replay(
    connection: sqlite3.Connection, changes: Iterable[bytes], *, has_gaps: bool = False
) -> None:
    """Apply what `Recorder.take` returned, oldest first, all or nothing; before any `watch`.

    With gaps between them, a row takes the place of those that it contradicts.

    Raises:
        DamagedStore: the changes are not of this database.
    """
    # What was committed held together; halfway through it need not.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    try:
        for change in changes:
            _do_again(connection, change, "INSERT OR REPLACE" if has_gaps else "INSERT")
    except (sqlite3.Error, LookupError, TypeError, ValueError) as error:
        connection.execute("ROLLBACK")
        raise DamagedStore("what was written since the last image cannot be read") from error
    connection.execute("COMMIT")
    connection.execute("PRAGMA foreign_keys = ON")


def _do_again(connection: sqlite3.Connection, change: bytes, verb: str) -> None:
    changed, sequences = _decode(change)
    for table_change in changed:
        old = [(row[0],) for row in table_change.rows] + [(row,) for row in table_change.gone]
        name = f"main.{quote(table_change.table)}"
        # All of them go first: a unique value may have passed from one row to another.
        connection.executemany(f"DELETE FROM {name} WHERE rowid = ?", old)  # noqa: S608
        if table_change.rows:
            statement = _insert(connection, table_change.table, verb)
            connection.executemany(statement, table_change.rows)
    if sequences:
        connection.execute("DELETE FROM main.sqlite_sequence")
        connection.executemany("INSERT INTO main.sqlite_sequence VALUES (?, ?)", sequences)


def _insert(connection: sqlite3.Connection, table: str, verb: str) -> str:
    info = connection.execute(f"PRAGMA main.table_info({quote(table)})").fetchall()
    columns = ["rowid", *(quote(column[1]) for column in info)]
    marks = ", ".join("?" * len(columns))
    return f"{verb} INTO main.{quote(table)} ({', '.join(columns)}) VALUES ({marks})"


def tables(connection: sqlite3.Connection) -> list[str]:
    listing = connection.execute("PRAGMA main.table_list").fetchall()
    tables = [row for row in listing if not row[1].startswith("sqlite_") and row[2] != "view"]
    if any(kind != "table" or without_rowid for _, _, kind, _, without_rowid, _ in tables):
        raise DamagedStore("a table of this database has no row numbers")
    return sorted(name for _, name, *_ in tables)


def _trigger(source: int, table: str, event: str) -> str:
    sides = {"INSERT": ("new",), "UPDATE": ("old", "new"), "DELETE": ("old",)}[event]
    notes = " ".join(f"INSERT INTO {_NOTES} VALUES ({source}, {side}.rowid);" for side in sides)  # noqa: S608
    name = f"{_NOTES}_{source}_{event.lower()}"
    return f"CREATE TEMP TRIGGER {name} AFTER {event} ON main.{quote(table)} BEGIN {notes} END"


def _sequences(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    exists = "SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'"
    if connection.execute(exists).fetchone() is None:
        return []
    return connection.execute("SELECT name, seq FROM main.sqlite_sequence").fetchall()


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _encode(changed: Sequence[TableChange], sequences: Sequence[tuple[str, int]]) -> bytes:
    content = [changed, sequences]
    return json.dumps(content, default=_blob, separators=(",", ":"), ensure_ascii=False).encode()


def _decode(change: bytes) -> tuple[list[TableChange], list[tuple[str, int]]]:
    changed, sequences = json.loads(change, object_hook=_bytes)
    return [TableChange(*values) for values in changed], sequences


# Rows hold no objects, so an object can only be a blob.
def _blob(value: object) -> dict[str, str]:
    if not isinstance(value, bytes):
        raise TypeError("a row holds what SQLite does not")
    return {"b": base64.b64encode(value).decode()}


def _bytes(value: dict[str, str]) -> bytes:
    return base64.b64decode(value["b"])
