"""A memory's next encoder: where its vectors wait until they are complete, and how it takes over.

    index/        the indexes that serve, and what made them
    index.next/   the same for another encoder, being filled; a mark says when it is complete
    index.old/    what served before; removed

The next to open the memory puts complete indexes in place. Every step can be done again, so a
process that dies in between loses nothing.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from wellworn.application.bootstrap.embedders import INDEXES
from wellworn.application.bootstrap.records import open_records, require_settled
from wellworn.application.migrations import apply_staged, upgrade
from wellworn.engines.embedding import EmbeddingSettings, EncoderRecord, open_encoder
from wellworn.engines.storage.sql import StorageSettings
from wellworn.errors import WellwornError

STAGED: Final = "index.next"
WHOLE: Final = "WHOLE"
TAKEN: Final = "TAKEN"
"""The mark's new name, given by the one who puts the indexes in place: only one can do that."""
ROWS: Final = "rows.db"
_REPLACED: Final = "index.old"
_log = logging.getLogger(__name__)


def change_encoder(home: Path, storage: StorageSettings) -> bool:
    """Put complete indexes of another encoder in place, if there are any; tell whether there were.

    Only for the owner of the folder, before the indexes are opened.

    Raises:
        StoreInUse: another server has the database open.
        StorageUnavailable: the disk is full; the old encoder's indexes are as they were.
    """
    staged, serving = home / STAGED, home / INDEXES
    with suppress(FileNotFoundError):
        (staged / WHOLE).rename(staged / TAKEN)
    is_whole = (staged / TAKEN).exists()
    if is_whole:
        with closing(open_records(home, storage)) as database:
            require_settled(database)
            upgrade(database)
            with database.keep_alone():
                apply_staged(database, staged / ROWS)
        shutil.rmtree(home / _REPLACED, ignore_errors=True)
        if serving.exists():
            serving.rename(home / _REPLACED)
        staged.rename(serving)
        _log.info("the memory has changed over to its new encoder")
    _clear_up(home)
    return is_whole


def _clear_up(home: Path) -> None:
    """Remove what a change leaves behind, also one that was cut short."""
    for path in (home / INDEXES).glob(f"{ROWS}*"):
        path.unlink()
    for name in (TAKEN, "daemon.lock"):
        (home / INDEXES / name).unlink(missing_ok=True)
    shutil.rmtree(home / _REPLACED, ignore_errors=True)


def can_change_encoder(home: Path, settings: EmbeddingSettings) -> bool:
    """Tell whether complete indexes wait whose encoder works in this process; warn if not."""
    staged = home / STAGED
    if not (staged / WHOLE).exists():
        return False
    try:
        open_encoder(EncoderRecord.read(staged), settings).embed(["well?"])
    except WellwornError as error:
        _log.warning("the new encoder is whole, but does not work here: %s", error.message)
        return False
    return True
