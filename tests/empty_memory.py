"""The database of an empty memory, to begin with: making its tables takes longer than most tests.

Whether a database that is not there is made, and how, is told where nothing is put before.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from wellworn.application.bootstrap import DATABASE
from wellworn.application.migrations import upgrade
from wellworn.engines.storage.sql import Database


def put_empty_database(home: Path) -> None:
    """Put an empty memory's database into a data folder that has none."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (home / DATABASE).exists():
        (home / DATABASE).write_bytes(make_empty_database())


@cache
def make_empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE
        with closing(Database(path)) as database:
            upgrade(database)
            database.scrub()
        return path.read_bytes()
