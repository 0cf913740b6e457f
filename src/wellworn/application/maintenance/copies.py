"""Backup, restore and salvage: the database travels, the indexes are made again where it arrives.

Salvage fills a new data folder with what can be read of a damaged database, which is only read.
What follows from rows that are lost is counted again, and the indexes are made again, so that the
new folder is a memory like any other.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from wellworn.application.bootstrap import (
    DATABASE,
    INDEXES,
    MARK,
    TURNS,
    open_audit,
    require_file,
)
from wellworn.application.calls import SERVER_TRAIL
from wellworn.application.maintenance.rebuilding import Advance, index, nobody
from wellworn.application.migrations import mend, upgrade
from wellworn.application.settings import read_settings
from wellworn.domain.audit import Action, Actor
from wellworn.domain.spaces import LOCAL
from wellworn.engines.daemon import hold_folder
from wellworn.engines.embedding import RECORD_FILE, Embedder
from wellworn.engines.storage.sealed import mark_salvaged
from wellworn.engines.storage.sql import (
    Database,
    LostRow,
    SalvagedRows,
    copy_database,
    salvage_database,
)
from wellworn.errors import DamagedStore, InvalidInput, NotFound, WellwornError

_OF_ENCODER = (MARK, RECORD_FILE)
"""The files that name the encoder of the vectors; a restored memory has it again."""
_NO_DATA = {
    *("daemon.lock", "daemon.starting", "daemon.json", "logs", "server.key", "server.salt"),
    *("backups-of-settings", "hooks"),
}
"""Contents of a folder in which nothing was ever remembered."""

_log = logging.getLogger(__name__)


def require_new_folder(home: Path, target: Path) -> None:
    """Refuse to copy a memory that is not there, or to where it cannot be copied.

    Raises:
        NotFound: there is no memory in the folder.
        InvalidInput: the target is there already, or lies in the data folder.
    """
    require_file(home, read_settings().storage)
    if not (home / DATABASE).is_file():
        raise NotFound("there is no memory in this folder")
    if target.exists():
        raise InvalidInput("the target exists already; name a new folder")
    if target.resolve().is_relative_to(home.resolve()):
        raise InvalidInput("the target lies in the data folder; name a folder elsewhere")


def backup(home: Path, target: Path) -> None:
    """Copy a memory into a new folder, all of one moment, also while a server writes to it.

    Raises:
        NotFound, InvalidInput: see `require_new_folder`.
        DamagedStore: the database is damaged; no backup is left.
        StorageUnavailable: the copy could not be made; nothing is left of it.
    """
    require_new_folder(home, target)
    draft = target.with_name(f"{target.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True, mode=0o700)
    try:
        copy_database(home / DATABASE, draft / DATABASE)
        for name in _OF_ENCODER:
            if (home / INDEXES / name).is_file():
                shutil.copyfile(home / INDEXES / name, draft / name)
        _copy_turns(home, draft)
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _write_down(home)


def _copy_turns(source: Path, target: Path) -> None:
    """Copy the files of turns; what is being written at this moment is left out.

    So is what is no file. A backup may come from anybody, and a link in it would bring in files of
    this machine, which members could then read.
    """
    if (source / TURNS).is_dir():
        shutil.copytree(source / TURNS, target / TURNS, ignore=_list_ignored)


def _list_ignored(folder: str, names: list[str]) -> set[str]:
    """Return what is being written, and what is neither a file nor a folder."""
    paths = (Path(folder, name) for name in names)
    others = {
        path.name for path in paths if path.is_symlink() or not (path.is_file() or path.is_dir())
    }
    if others:
        _log.warning("%d links and special files of turns are left out", len(others))
    return others | shutil.ignore_patterns(".*.*")(folder, names)


def _copy_encoder(source: Path, home: Path) -> None:
    """Let the memory have the encoder that it had; the shipped one needs nothing for that."""
    if not (source / RECORD_FILE).is_file():
        return
    (home / INDEXES).mkdir(exist_ok=True)
    for name in _OF_ENCODER:
        shutil.copyfile(source / name, home / INDEXES / name)


def _write_down(home: Path) -> None:
    """Put the backup into the server's trail; one that was made is not lost for want of a line."""
    try:
        with closing(Database(home / DATABASE)) as database:
            open_audit(home, database).note(SERVER_TRAIL, Action.BACKUP_MADE, by=Actor(LOCAL))
    except WellwornError as error:
        _log.warning("the backup is made, but not in the audit trail: %s", error)


def restore(
    home: Path, source: Path, advance: Advance = nobody, *, embedder: Embedder | None = None
) -> None:
    """Fill an empty data folder from a backup; `advance` is told how many thoughts are indexed.

    Interrupted while it indexes, the memory is complete; opening it does the rest.

    Raises:
        NotFound: the source is no backup.
        InvalidInput: the data folder holds something.
        StoreInUse: a server or another job has the data folder.
        DamagedStore: the backup is damaged; the data folder stays empty.
    """
    require_file(home, read_settings().storage)
    if not (source / DATABASE).is_file():
        raise NotFound("there is no backup in the source")
    if home.exists() and any(path.name not in _NO_DATA for path in home.iterdir()):
        raise InvalidInput("the data folder is not empty; move it away or name another")
    if (source / TURNS).is_symlink():
        raise InvalidInput("the turns of the backup are a link; put the folder in its place")
    with hold_folder(home, "restore"):
        arriving = home / f"{DATABASE}.partial"
        try:
            copy_database(source / DATABASE, arriving)
        except DamagedStore as error:
            raise DamagedStore("the backup is damaged; use another") from error
        arriving.rename(home / DATABASE)
        _copy_turns(source, home)
        if embedder is None:
            _copy_encoder(source, home)
        try:
            index(home, advance, embedder)
        except DamagedStore:
            (home / DATABASE).unlink()
            for folder in (INDEXES, TURNS):
                shutil.rmtree(home / folder, ignore_errors=True)
            raise


_KEYS = ("server.key", "server.salt")


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """The number of rows that were brought out, and the losses."""

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
