"""The database of an empty memory, to begin with: making its tables takes longer than most tests.

Whether a database that is not there is made, and how, is told where nothing is put before.

Tests marked `over_both` run twice: with their records in a file, and in PostgreSQL, where each data
folder has a database that is copied from one that has the tables. With `OVER_POSTGRESQL=1` in the
environment all run over PostgreSQL alone.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from wellworn.application.bootstrap import DATABASE, open_records
from wellworn.application.migrations import upgrade
from wellworn.engines.storage.sql import Database, StorageSettings

OVER_POSTGRESQL = os.environ.get("OVER_POSTGRESQL") == "1"
over_both = pytest.mark.over_both
of_files = pytest.mark.skipif(OVER_POSTGRESQL, reason="of the file of a database")
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_TABLES_THERE = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
_BYTES = re.compile(r"\bx'([0-9a-f]*)'")
_EMPTY_BYTES = re.compile(r"\bzeroblob\((\w+(?:\(\w+\))?)\)")
_databases: dict[Path, str] = {}
"""The name of the database of each data folder, where records are in PostgreSQL."""


def put_empty_database(home: Path, *, in_postgresql: bool = OVER_POSTGRESQL) -> StorageSettings:
    """Give a data folder that has none the database of an empty memory; return where it is."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if in_postgresql:
        return put_into_postgresql(home)
    if not (home / DATABASE).exists():
        (home / DATABASE).write_bytes(make_empty_database())
    return StorageSettings()


def put_into_postgresql(home: Path) -> StorageSettings:
    """Give a data folder that has none a database in PostgreSQL, and return where it is."""
    from postgres import share_server

    server = share_server()
    if home not in _databases:
        _databases[home] = server.make_database(template=_make_template())
    return StorageSettings.model_validate({"url": server.url(_databases[home]), "connections": 4})


def drop_databases(folder: Path) -> None:
    """Remove the databases of the data folders in a folder, and with them their room."""
    for home in [home for home in _databases if home.is_relative_to(folder)]:
        from postgres import share_server

        share_server().drop_database(_databases.pop(home))


class RawRecords:
    """The database of a data folder, looked into and changed as an operator would."""

    def __init__(self, connection: Any, mark: str) -> None:
        self._connection, self._mark = connection, mark

    def execute(self, statement: str, values: Sequence[object] = ()) -> Any:
        """Run a statement of SQLite, its values marked with `?`."""
        marked = statement.replace("?", self._mark)
        if self._mark != "?":
            marked = _BYTES.sub(r"'\\x\1'::bytea", marked)
            marked = _EMPTY_BYTES.sub(r"decode(repeat('00', \1), 'hex')", marked)
        return self._connection.execute(marked, *([list(values)] if values else []))

    def list_tables(self) -> list[str]:
        """Return the names of all tables, in order."""
        listed = _TABLES_THERE if self._mark == "%s" else _TABLES
        return sorted(name for (name,) in self.execute(listed) if not name.startswith("sqlite_"))


@contextmanager
def look_into(home: Path) -> Generator[RawRecords]:
    """Yield the database of a data folder; what is changed there is kept."""
    if home in _databases:
        import psycopg

        from postgres import share_server

        url = share_server().operator_url(_databases[home])
        with psycopg.connect(url) as connection:
            yield RawRecords(connection, "%s")
        return
    with closing(sqlite3.connect(home / DATABASE)) as connection, connection:
        yield RawRecords(connection, "?")


@cache
def make_empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE
        with closing(Database(path)) as database:
            upgrade(database)
            database.scrub()
        return path.read_bytes()


@cache
def _make_template() -> str:
    from postgres import share_server
    from wellworn.engines.storage.vectors.shared import SharedPoints

    server = share_server()
    name = server.make_database()
    server.run("CREATE EXTENSION vector", name)
    settings = StorageSettings.model_validate({"url": server.url(name)})
    with TemporaryDirectory() as folder, closing(open_records(Path(folder), settings)) as database:
        upgrade(database)
        database.hold()
        SharedPoints(database, "none", "none")
    return name
