"""Opens the vector index that the settings name; only here is the engine chosen."""

from __future__ import annotations

from pathlib import Path

from wellworn.engines.storage.sql import Database, StorageSettings
from wellworn.engines.storage.vectors.stored import (
    POINTS,
    WORDS,
    StoredVectorIndex,
    VectorIndexCopy,
)


def open_index(folder: Path, settings: StorageSettings, *, dimensions: int) -> StoredVectorIndex:
    """Open the index in a folder, which is made when it is not there.

    Raises:
        StoreInUse: another index has the folder open.
        DamagedStore: its points cannot be read, or are of another length; make it again.
        IndexUnavailable: the folder cannot be used.
        StorageUnavailable: the disk is full.
    """
    if settings.vectors == "memory":
        return StoredVectorIndex(folder, dimensions=dimensions)
    # What speaks to PostgreSQL is loaded by those alone who use it.
    from wellworn.engines.storage.vectors.pgvector import PgvectorIndex  # noqa: PLC0415

    has_graph = settings.vectors == "pgvector-hnsw"
    return PgvectorIndex(folder, dimensions=dimensions, has_graph=has_graph)


def copy_index(
    folder: Path,
    settings: StorageSettings,
    database: Database,
    *,
    kind: str,
    encoder: str,
    dimensions: int,
) -> VectorIndexCopy:
    """Read an index that a server has open into the memory of another process.

    Raises:
        DamagedStore, StorageUnavailable: the points cannot be read.
    """
    if settings.vectors == "memory":
        return VectorIndexCopy(folder, dimensions=dimensions)
    from wellworn.engines.storage.vectors.pgvector import copy_pgvector_index  # noqa: PLC0415

    return copy_pgvector_index(folder, database, kind, encoder, dimensions=dimensions)


def find_index_file(folder: Path, settings: StorageSettings) -> Path:
    """Return the file in which the index of a folder has its points."""
    return folder / (POINTS if settings.vectors == "memory" else WORDS)


def drop_shared_points(database: Database) -> None:
    """Drop what the servers of a database share of their indexes, while none of them is there.

    Raises:
        StoreInUse: one is.
        StorageUnavailable: the database failed.
    """
    from wellworn.engines.storage.vectors.shared import drop_points  # noqa: PLC0415

    drop_points(database)
