"""The lock that makes one process the owner of a data folder.

It is an flock, which the kernel drops when the owner dies, so no stale lock needs cleaning up. The
file stays, with the holder written into it; only the lock on it counts.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from wellworn.engines.daemon.private_files import make_private_folder
from wellworn.errors import StoreInUse

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

PAUSE_S = 0.025
_GRACE_S = 0.5  # a process that only looks holds a shared lock for a moment; outlast it


class LockHolder(NamedTuple):
    """The owner of a folder and its purpose; `pid` is None until the owner has written it."""

    pid: int | None
    doing: str


@contextmanager
def hold_folder(
    home: Path, doing: str = "serve", *, inherited: int | None = None
) -> Generator[int]:
    """Own the data folder for the length of the block; yield the descriptor of the lock.

    Args:
        home: the data folder; created, readable by its owner only, when absent.
        doing: "serve" for the daemon, else the name of the job done without it.
        inherited: the descriptor, if an earlier image of this process holds the folder already.

    Raises:
        StoreInUse: another process owns it; the message says who and what to do.
    """
    make_private_folder(home)
    locked = (
        lock_exclusively(home / "daemon.lock", wait_s=_GRACE_S)
        if inherited is None
        else os.fdopen(inherited, "a+", encoding="utf-8")
    )
    with locked as file:
        if file is None:
            raise StoreInUse(_describe_holder(home))
        if inherited is None:
            _write_holder(file, doing)
            withdraw_announcement(home)  # what a killed predecessor left behind
        try:
            yield file.fileno()
        finally:
            withdraw_announcement(home)


@contextmanager
def lock_exclusively(path: Path, *, wait_s: float) -> Generator[IO[str] | None]:
    """Lock a file for the length of the block; yield None if another process keeps it locked."""
    deadline = time.monotonic() + wait_s
    with path.open("a+", encoding="utf-8") as file:
        while not _try_lock(file, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                yield None
                return
            time.sleep(PAUSE_S)
        yield file


def find_holder(home: Path) -> LockHolder | None:
    """Return the current owner of the folder, or None."""
    try:
        file = (home / "daemon.lock").open(encoding="utf-8")
    except FileNotFoundError:
        return None
    with file:
        if _try_lock(file, fcntl.LOCK_SH):
            return None
        return _parse_holder(file.read())


def withdraw_announcement(home: Path) -> None:
    """Remove the daemon's announcement; only the owner of the folder may."""
    (home / "daemon.json").unlink(missing_ok=True)


def _try_lock(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_holder(file: IO[str], doing: str) -> None:
    file.truncate(0)
    file.write(json.dumps({"pid": os.getpid(), "doing": doing}))
    file.flush()


def _parse_holder(text: str) -> LockHolder:
    try:
        fields = cast("dict[str, Any]", json.loads(text))
        return LockHolder(pid=int(fields["pid"]), doing=str(fields["doing"]))
    except (ValueError, KeyError, TypeError):
        return LockHolder(pid=None, doing="serve")


def _describe_holder(home: Path) -> str:
    owner = find_holder(home) or LockHolder(pid=None, doing="serve")
    name = "another process" if owner.pid is None else f"process {owner.pid}"
    if owner.doing != "serve":
        return f"{name} is at work on this data folder ({owner.doing}); wait until it has finished"
    return (
        f"{name} already serves this data folder{_describe_address(home)}; use it, or stop it first"
    )


def _describe_address(home: Path) -> str:
    try:
        fields = cast("dict[str, Any]", json.loads((home / "daemon.json").read_text("utf-8")))
        return f" at {fields['url']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
