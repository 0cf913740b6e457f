"""From a data folder and settings to one App. Only here are parts chosen.

Opening a folder migrates its database, opens its indexes, and makes them agree with the database.
A damaged index is set aside and made anew: it is derived, nothing is lost with it.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import ExitStack
from pathlib import Path

from wellworn.bootstrap.app import REPAIRED_AT_ONCE, App
from wellworn.embedding import Embedder, MiniLM
from wellworn.errors import DamagedStore
from wellworn.kit.clock import Clock, SystemClock
from wellworn.knowledge import Knowledge, PracticeIndexer
from wellworn.memory import Memory
from wellworn.migrations import upgrade
from wellworn.settings import Settings, read_settings
from wellworn.storage.sql import Database
from wellworn.storage.vectors import EdgeVectorIndex, IndexBuilder, VectorSettings
from wellworn.thoughts import Indexer, Thoughts
from wellworn.transfer import Transfer

DATABASE = "wellworn.db"
INDEXES = "index"

_log = logging.getLogger(__name__)


def open_app(
    home: Path,
    settings: Settings | None = None,
    *,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> App:
    """Open the memory in a folder, which is made when it is not there.

    Raises:
        StoreInUse: another process has it open.
        DamagedStore: the database is no database, or of a newer version.
        StorageUnavailable: the folder cannot be used.
    """
    settings = settings or read_settings()
    clock = clock or SystemClock()
    embedder = embedder or MiniLM(settings.embedding)
    home.mkdir(parents=True, exist_ok=True)
    _drop_foreign_indexes(home / INDEXES, embedder.name)
    vectors = settings.vectors.model_copy(update={"dimensions": embedder.dimensions})
    # What was opened is closed again if a later part cannot be.
    with ExitStack() as opened:
        indexes = _index(home, "thoughts", vectors), _index(home, "practices", vectors)
        for index in indexes:
            opened.callback(index.close)
        _refuse_if_gone(home / DATABASE, indexes[0])
        database = Database(home / DATABASE)
        opened.callback(database.close)
        upgrade(database)
        app = _assembled(database, indexes, embedder, clock, settings)
        app.unindexed = sum(len(repair.missing()) for repair in app.repairs)
        if 0 < app.unindexed <= REPAIRED_AT_ONCE:
            app.repair()
        opened.pop_all()
    return app


def _assembled(
    database: Database,
    indexes: tuple[EdgeVectorIndex, EdgeVectorIndex],
    embedder: Embedder,
    clock: Clock,
    settings: Settings,
) -> App:
    thought_index, practice_index = indexes
    thoughts = Thoughts(database, thought_index, embedder, clock, settings.thoughts)
    knowledge = Knowledge(database, practice_index, embedder, clock)
    return App(
        database=database,
        embedder=embedder,
        memory=Memory(database, thoughts, embedder, clock),
        thoughts=thoughts,
        knowledge=knowledge,
        transfer=Transfer(database, thoughts, knowledge, clock),
        indexes=indexes,
        builders=(IndexBuilder(thought_index), IndexBuilder(practice_index)),
        repairs=(
            Indexer(database, thought_index, embedder),
            PracticeIndexer(database, practice_index, embedder),
        ),
    )


def _refuse_if_gone(path: Path, index: EdgeVectorIndex) -> None:
    """Tell a lost database from a new memory: an index with points was made from something."""
    if (not path.exists() or path.stat().st_size == 0) and len(index.ids()):
        message = (
            "the database is gone while its index is still there; restore a backup into a new "
            "folder, or remove the index folder to begin an empty memory"
        )
        raise DamagedStore(message)


def _index(home: Path, name: str, settings: VectorSettings) -> EdgeVectorIndex:
    folder = home / INDEXES / name
    try:
        return EdgeVectorIndex(folder, settings)
    except DamagedStore:
        _log.warning("the %s index is damaged and is made anew", name)
        shutil.rmtree(folder)
        return EdgeVectorIndex(folder, settings)


def _drop_foreign_indexes(folder: Path, model: str) -> None:
    """Remove indexes whose vectors another model made; the repair makes them anew."""
    mark = folder / "MODEL"
    if mark.exists() and mark.read_text(encoding="utf-8").strip() != model:
        _log.warning("the indexes were made by another model and are made anew")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    mark.write_text(f"{model}\n", encoding="utf-8")
