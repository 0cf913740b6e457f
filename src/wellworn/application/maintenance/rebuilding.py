"""Makes the indexes again from the database."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from wellworn.application.bootstrap import (
    INDEXES,
    has_records,
    open_app,
    open_records,
    require_settled,
    write_mark,
)
from wellworn.application.settings import read_settings
from wellworn.engines.daemon import hold_folder
from wellworn.engines.embedding import Embedder, EncoderRecord
from wellworn.engines.storage.vectors import drop_shared_points
from wellworn.errors import DamagedStore, NotFound

_DAMAGED = (
    "the database is damaged; restore a backup into a new folder, or bring out what can be read"
    " with `wellworn salvage`"
)
Advance = Callable[[int], None]


def nobody(_: int) -> None:
    """Take note of progress for nobody."""


def rebuild(home: Path, advance: Advance = nobody, *, embedder: Embedder | None = None) -> None:
    """Remove the indexes and make them again; `advance` is told how many thoughts are done.

    Raises:
        NotFound: there is no memory in the folder.
        StoreInUse: a server or another job has the folder, or another server the database.
        DamagedStore: the database itself is damaged; the indexes are left as they are.
    """
    if not has_records(home):
        raise NotFound("there is no memory in this folder")
    with hold_folder(home, "rebuild"):
        require_sound(home)
        _drop_shared_points(home)
        _remove_indexes(home / INDEXES)
        index(home, advance, embedder)


def _drop_shared_points(home: Path) -> None:
    """Drop what the servers of one database share of their indexes."""
    settings = read_settings().storage
    if settings.url is not None:
        with closing(open_records(home, settings)) as database:
            drop_shared_points(database)


def _remove_indexes(folder: Path) -> None:
    """Remove all but what tells which encoder the memory has, unless that cannot be read."""
    try:
        record = EncoderRecord.read(folder)
    except DamagedStore:
        record = None
    shutil.rmtree(folder, ignore_errors=True)
    if record is not None:
        folder.mkdir()
        record.write(folder)
        write_mark(folder, record.name)


def index(home: Path, advance: Advance, embedder: Embedder | None) -> None:
    """Open the memory, which makes missing indexes, and fill them."""
    with closing(open_app(home, embedder=embedder)) as app:
        app.repair(advance)


def require_sound(home: Path) -> None:
    """Check the integrity of a memory's database.

    Raises:
        DamagedStore: it is no sound database.
    """
    with closing(open_records(home, read_settings().storage)) as database:
        require_settled(database)
        if not database.is_sound():
            raise DamagedStore(_DAMAGED)
