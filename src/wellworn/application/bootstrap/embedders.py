"""Chooses the encoder that a memory is opened with: the one that made its vectors.

What an index was made by stands beside it. Settings that name another encoder do not change it,
because then nothing would be found by meaning until all is embedded again: `wellworn reembed` does.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Final

from wellworn.application.migrations import is_new
from wellworn.engines.embedding import (
    Embedder,
    EmbeddingSettings,
    EncoderRecord,
    choose_encoder,
    is_same,
    open_encoder,
)
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.errors import DamagedStore

INDEXES: Final = "index"
MARK: Final = "MODEL"
"""The file beside the indexes that holds the name of the encoder whose vectors they have."""
_log = logging.getLogger(__name__)


def open_embedder(home: Path, settings: EmbeddingSettings) -> Embedder:
    """Return the encoder that made the vectors of a memory; of a new one, that of the settings.

    Raises:
        EmbeddingFailed: a new memory is to have an encoder that cannot be loaded.
        DamagedStore: what is written down of the encoder cannot be read.
    """
    folder = home / INDEXES
    if not (folder / MARK).exists():
        record = choose_encoder(settings)
        if record is not None:
            folder.mkdir(parents=True, exist_ok=True)
            record.write(folder)
        return open_encoder(record, settings)
    record = EncoderRecord.read(folder)
    is_named = settings.base_url is not None or settings.model_folder is not None
    if is_named and not is_same(record, settings):
        _log.warning(
            "the settings name another encoder than the one that made this memory's vectors, which "
            "serves on; `wellworn reembed` changes it"
        )
    return open_encoder(record, settings)


def find_embedder(home: Path, settings: EmbeddingSettings) -> Embedder:
    """Return the encoder that a memory has, without choosing one for a new one."""
    return open_encoder(EncoderRecord.read(home / INDEXES), settings)


def read_mark(folder: Path) -> str:
    """Return the name of the encoder whose vectors the indexes have; empty without indexes."""
    mark = folder / MARK
    return mark.read_text(encoding="utf-8").strip() if mark.is_file() else ""


def write_mark(folder: Path, model: str) -> None:
    """Note beside indexes which encoder makes their vectors."""
    (folder / MARK).write_text(f"{model}\n", encoding="utf-8")


def drop_foreign_indexes(folder: Path, model: str) -> None:
    """Remove indexes whose vectors another model made; the repair makes them again."""
    if (folder / MARK).exists() and read_mark(folder) != model:
        _log.warning("the indexes were made by another model and are made anew")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_mark(folder, model)


def refuse_lost_database(database: Database, index: VectorIndex, *, is_there: bool) -> None:
    """Tell a lost database from a new memory: an index with points was made from something."""
    if len(index.ids()) and (not is_there or is_new(database)):
        message = (
            "the database is gone while its index is still there; restore a backup into a new "
            "folder, or remove the index folder to begin an empty memory"
        )
        raise DamagedStore(message)
