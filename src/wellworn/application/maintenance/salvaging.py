"""Salvage: what can be read of a damaged database, in a new data folder.

The damaged folder is only read. What follows from rows that are lost is counted anew, and the
indexes are made anew, so that the new folder is a memory like any other.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from wellworn.application.bootstrap import DATABASE
from wellworn.application.maintenance.copies import require_new_folder
from wellworn.application.maintenance.rebuilding import Advance, index, nobody
from wellworn.application.migrations import mend, upgrade
from wellworn.engines.daemon import hold_folder
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sealed import mark_salvaged
from wellworn.engines.storage.sql import Database, LostRow, SalvagedRows, salvage_database

_KEYS = ("server.key", "server.salt")


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """How many rows were brought out, and what was not."""

    rows: int
    lost: tuple[LostRow, ...]


def salvage(
    home: Path,
    target: Path,
    advance: Advance = nobody,
    *,
    is_dry: bool = False,
    embedder: Embedder | None = None,
) -> SalvageReport:
    """Bring all that can be read of a memory into a new folder; dry, only say what that is.

    `advance` is told how many thoughts are indexed there.

    Raises:
        NotFound, InvalidInput: see `require_new_folder`.
        StoreInUse: a server or another job has the folder.
        StorageUnavailable: the target could not be written; nothing is left of it.
    """
    require_new_folder(home, target)
    draft = target.with_name(f"{target.name}.partial")
    with hold_folder(home, "salvage"):
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True, mode=0o700)
        try:
            salvaged = _fill(home, draft)
            if not is_dry:
                draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    if not is_dry:
        with hold_folder(target, "salvage"):
            index(target, advance, embedder)
    return SalvageReport(sum(salvaged.counts.values()), tuple(salvaged.lost))


def _fill(home: Path, draft: Path) -> SalvagedRows:
    model = draft / "model.db"
    with closing(Database(model)) as empty:
        upgrade(empty)
    salvaged = salvage_database(home / DATABASE, draft / DATABASE, model)
    for path in draft.glob(f"{model.name}*"):
        path.unlink()
    for name in _KEYS:
        if (home / name).is_file():
            shutil.copy(home / name, draft / name)
    with closing(Database(draft / DATABASE)) as database:
        mend(database, salvaged.lost)
        with database.write() as transaction:
            mark_salvaged(transaction)
        database.scrub()
    return salvaged
