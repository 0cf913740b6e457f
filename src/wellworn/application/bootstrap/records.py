"""Finds where a memory's records are: in a file of its folder, or in a database of PostgreSQL.

A folder goes with one of the two for good: with the other it would look like an empty memory, whose
vectors and keys are of records that are not there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from wellworn.engines.storage.sql import Database, StorageSettings, open_database
from wellworn.errors import InvalidInput

DATABASE: Final = "wellworn.db"
ELSEWHERE: Final = "POSTGRESQL"
"""The file that marks a folder whose records are in PostgreSQL; nothing tells where."""

_MARK: Final = "The records of this memory are in the database that WELLWORN_STORAGE__URL names.\n"
_HAS_FILE: Final = (
    "this folder has its records in a file, and WELLWORN_STORAGE__URL names a database: unset it,"
    " or name another folder with WELLWORN_HOME and bring the memory there with `wellworn export`"
    " and `wellworn import`"
)
_HAS_NONE: Final = (
    "this folder's records are in PostgreSQL: set WELLWORN_STORAGE__URL, or name another folder"
    " with WELLWORN_HOME"
)
_NOT_THERE: Final = (
    "this works with a memory in a file alone; of one in PostgreSQL, back up the database with"
    " pg_dump, and the data folder beside it"
)


def open_records(home: Path, settings: StorageSettings) -> Database:
    """Open the database of a folder, as the settings say.

    Raises:
        InvalidInput: the folder goes with the other of the two.
    """
    if settings.url is None and (home / ELSEWHERE).exists():
        raise InvalidInput(_HAS_NONE)
    if settings.url is not None and (home / DATABASE).exists():
        raise InvalidInput(_HAS_FILE)
    return open_database(home / DATABASE, settings)


def mark_records(home: Path, settings: StorageSettings) -> None:
    """Mark a folder whose records are in PostgreSQL from now on."""
    if settings.url is not None and not (home / ELSEWHERE).exists():
        (home / ELSEWHERE).write_text(_MARK, encoding="utf-8")


def has_records(home: Path) -> bool:
    """Tell whether a folder has a memory, wherever its records are."""
    return any((home / name).is_file() for name in (DATABASE, ELSEWHERE))


def require_file(home: Path, settings: StorageSettings) -> None:
    """Refuse what is done with a file alone.

    Raises:
        InvalidInput: the records of the folder are in PostgreSQL, or are to be.
    """
    if settings.url is not None or (home / ELSEWHERE).exists():
        raise InvalidInput(_NOT_THERE)
