"""A consistent copy of a database file, also while another process writes to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from wellworn.errors import DamagedStore, StorageUnavailable


def copy_database(source: Path, target: Path) -> None:
    """Copy the last committed state of a database to a new file, and check the copy.

    Raises:
        DamagedStore: the source is no sound database; no copy is left.
        StorageUnavailable: the source is busy or the target cannot be written; no copy is left.
    """
    try:
        _copy(source, target)
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, sqlite3.OperationalError):
            raise StorageUnavailable("the database could not be copied") from error
        if isinstance(error, sqlite3.DatabaseError):
            raise DamagedStore("the database is damaged") from error
        raise


def _copy(source: Path, target: Path) -> None:
    # Opened by its URI, because the plain call would make a missing source.
    uri = f"{source.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)  # all pages in one step: one moment of the source
        # One file, without a log beside it, that can be moved about.
        new.execute("PRAGMA journal_mode = DELETE")
        sound = new.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        # An empty file passes for a sound database without tables.
        if not sound or new.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            raise DamagedStore("the database is damaged")
