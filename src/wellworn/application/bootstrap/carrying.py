"""Takes the vectors of a folder along when its records move, so that none is made again.

In a folder they are the index's own, derived from the records. Of a database of PostgreSQL they are
rows, and the folder's index is a copy of them: what the folder has is written there when records
arrive, and read from there before they leave.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from wellworn.application.bootstrap.embedders import (
    INDEXES,
    drop_foreign_indexes,
    find_embedder,
    read_mark,
)
from wellworn.application.bootstrap.opening import INDEXED
from wellworn.application.bootstrap.sharing import share_memory
from wellworn.application.settings import Settings
from wellworn.engines.crypto import open_provider
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import StoredVectorIndex
from wellworn.errors import DamagedStore


def carry_vectors(
    home: Path,
    database: Database,
    settings: Settings,
    *,
    arriving: bool,
    embedder: Embedder | None = None,
) -> dict[str, int] | None:
    """Give a database the vectors of a folder, or the folder those of the database.

    Returns how many there are of each kind; None where the folder has no whole index, which the
    next start then makes.

    Raises:
        StoreInUse: a server has the index open.
        InvalidInput: the database's vectors are of another encoder, or its key is another.
        KeyUnavailable: the server's own key is not there.
        StorageUnavailable: the database failed.
    """
    folder = home / INDEXES
    embedder = embedder or find_embedder(home, settings.embedding)
    if arriving and read_mark(folder) != embedder.name:
        return None
    drop_foreign_indexes(folder, embedder.name)
    key = open_provider(settings.crypto.key.model_copy(update={"create": False}), home)
    with ExitStack() as opened:
        indexes = dict[str, StoredVectorIndex]()
        for kind in INDEXED:
            try:
                index = StoredVectorIndex(folder / kind, dimensions=embedder.dimensions)
            except DamagedStore:
                return None
            opened.callback(index.close)
            indexes[kind] = index
        share_memory(
            database,
            indexes,
            encoder=embedder.name,
            key=key,
            vectors="memory",
            changes_encoder=False,
            gives=arriving,
        )
        return {kind: len(index.ids()) for kind, index in indexes.items()}


def forget_shared_vectors(
    home: Path, settings: Settings, *, embedder: Embedder | None = None
) -> None:
    """Let a folder take all vectors from its database at the next start.

    Raises:
        StoreInUse: a server has the index open.
    """
    folder = home / INDEXES
    embedder = embedder or find_embedder(home, settings.embedding)
    for kind in INDEXED:
        if (folder / kind).is_dir():
            try:
                index = StoredVectorIndex(folder / kind, dimensions=embedder.dimensions)
            except DamagedStore:
                continue  # it is made again at the next start
            try:
                index.forget_shared()
            finally:
                index.close()
