"""Finds where a memory's records are: in a file of its folder, or in a database of PostgreSQL.

A folder goes with one of the two: with the other it would look like an empty memory, whose vectors
and keys are of records that are not there. A move takes the records from one to the other, and
leaves what they were moved from as it was, marked, so that no server goes on with it by mistake.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from wellworn.engines.storage.sql import Database, StorageSettings, open_database, write_whole
from wellworn.errors import InvalidInput

DATABASE: Final = "wellworn.db"
ELSEWHERE: Final = "POSTGRESQL"
"""The file that marks a folder whose records are in PostgreSQL; nothing tells where."""

TURNS: Final = "turns"
"""The folder with the files of turns of a memory in a file."""
LEFT_TURNS: Final = f"{DATABASE}-turns"
"""That folder, while the memory goes on in PostgreSQL: it goes with the file that was left."""

_MARK: Final = "The records of this memory are in the database that WELLWORN_STORAGE__URL names.\n"
_HAS_FILE: Final = (
    "this folder has its records in a file, and WELLWORN_STORAGE__URL names a database: unset it,"
    " bring the records there with `wellworn move --to` and the URL, or name another folder with"
    " WELLWORN_HOME"
)
_HAS_NONE: Final = (
    "this folder's records are in PostgreSQL: set WELLWORN_STORAGE__URL, or name another folder"
    " with WELLWORN_HOME"
)
_MOVED_THERE: Final = (
    "this folder's records were moved {}: set WELLWORN_STORAGE__URL to that database. To go on with"
    " the file as it was then, without what was written since: `wellworn move --undo`"
)
_MOVED_HERE: Final = (
    "the records of this database were moved on {0} to {1}: unset WELLWORN_STORAGE__URL. To go on"
    " with the database as it was then, without what was written since: `wellworn move --undo`"
)
_ARRIVING: Final = (
    "records are being moved into this database, since {0} and from {1}, and not all of them are"
    " there: run the same `wellworn move --to` again, which goes on"
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
    is_elsewhere = (home / ELSEWHERE).exists()
    if settings.url is None and is_elsewhere:
        told = read_move(home)
        raise InvalidInput(_MOVED_THERE.format(told) if told else _HAS_NONE)
    if settings.url is not None and (home / DATABASE).exists() and not is_elsewhere:
        raise InvalidInput(_HAS_FILE)
    return open_database(home / DATABASE, settings)


def leave_turns(home: Path) -> None:
    """Put the files of turns beside the file of records that was left, with which they go."""
    if (home / TURNS).exists() and not (home / LEFT_TURNS).exists():
        (home / TURNS).rename(home / LEFT_TURNS)


def take_turns(home: Path) -> None:
    """Put the files of turns back where they belong to the file of records that serves."""
    if (home / LEFT_TURNS).exists() and not (home / TURNS).exists():
        (home / LEFT_TURNS).rename(home / TURNS)


def mark_records(home: Path, settings: StorageSettings) -> None:
    """Mark a folder whose records are in PostgreSQL from now on; a file has its turns' files."""
    if settings.url is None:
        take_turns(home)
    elif not (home / ELSEWHERE).exists():
        (home / ELSEWHERE).write_text(_MARK, encoding="utf-8")


def read_move(home: Path) -> str:
    """Return when and to where the file of a folder was moved, in words; empty if it was not.

    The file is there still, as it was then.
    """
    if not (home / ELSEWHERE).exists() or not (home / DATABASE).exists():
        return ""
    _, _, told = (home / ELSEWHERE).read_text(encoding="utf-8").partition("\n")
    return told.strip() or "to the database that it was started with last"


def mark_moved(home: Path, told: str) -> None:
    """Say of a folder that its records are in PostgreSQL from now on; a file there is of before."""
    write_whole(home / ELSEWHERE, f"{_MARK}{told}\n")


@dataclass(frozen=True, slots=True)
class MoveMark:
    """A note in a database of PostgreSQL: a move into it is not done, or it was moved away.

    Attributes:
        folder: what tells the data folder that takes part from all others.
        at: the day.
        other: where the records come from, or are now; for people.
    """

    state: Literal["arriving", "left"]
    folder: str
    at: str
    other: str


MOVE: Final = "move"
"""The name of the note in a database."""


def read_mark_of_move(database: Database) -> MoveMark | None:
    """Return the note of a move in a database, if there is one.

    Raises:
        StorageUnavailable: the database failed.
    """
    told = database.read_fact(MOVE)
    return None if told is None else MoveMark(**json.loads(told))


def write_mark_of_move(database: Database, mark: MoveMark | None) -> None:
    """Note a move in a database of PostgreSQL, or that none is under way any more."""
    database.write_fact(MOVE, None if mark is None else json.dumps(asdict(mark)))


def require_settled(database: Database) -> None:
    """Refuse a database that is half a memory, or one that the memory has left.

    Raises:
        InvalidInput: the message says what to do.
    """
    mark = read_mark_of_move(database)
    if mark is not None:
        told = _ARRIVING if mark.state == "arriving" else _MOVED_HERE
        raise InvalidInput(told.format(mark.at, mark.other))


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
