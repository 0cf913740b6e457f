"""The lock that makes one process the owner of a data folder.

It is an flock: the kernel drops it when its owner dies, however it dies, so there is no stale
lock to clean up. The file stays; only the lock on it counts. Who holds it is written into it.

Source: issue 2, point 6.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

from wellworn.errors import StoreInUse

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

PAUSE_S = 0.025
_GRACE_S = 0.5  # a process that only looks holds a shared lock for a moment; outlast it


@dataclass(frozen=True, slots=True)
class Holder:
    """Who owns a folder and what for; `pid` is None in the instant before it is written."""

    pid: int | None
    doing: str


@contextmanager
def hold(home: Path, doing: str = "serve") -> Generator[None]:
    """Own the data folder for the length of the block.

    Args:
        home: the data folder; created, readable by its owner only, when absent.
        doing: "serve" for the daemon, else the name of the job done without it.

    Raises:
        StoreInUse: another process owns it; the message says who and what to do.
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with exclusive(home / "daemon.lock", wait_s=_GRACE_S) as file:
        if file is None:
            raise StoreInUse(_who(home))
        _sign(file, doing)
        withdraw(home)  # what a killed predecessor left behind
        try:
            yield
        finally:
            withdraw(home)


@contextmanager
def exclusive(path: Path, *, wait_s: float) -> Generator[IO[str] | None]:
    """Lock the file for the length of the block; yields None when it stayed locked by another."""
    deadline = time.monotonic() + wait_s
    with path.open("a+", encoding="utf-8") as file:
        while not _try(file, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                yield None
                return
            time.sleep(PAUSE_S)
        yield file


def holder(home: Path) -> Holder | None:
    """Return who owns the folder now, or None when nobody does."""
    try:
        file = (home / "daemon.lock").open(encoding="utf-8")
    except FileNotFoundError:
        return None
    with file:
        if _try(file, fcntl.LOCK_SH):
            return None
        return _signature(file.read())


def withdraw(home: Path) -> None:
    """Take back the announcement of a daemon; only the owner of the folder may."""
    (home / "daemon.json").unlink(missing_ok=True)


def _try(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(file: IO[str], doing: str) -> None:
    file.truncate(0)
    file.write(json.dumps({"pid": os.getpid(), "doing": doing}))
    file.flush()


def _signature(text: str) -> Holder:
    try:
        found = cast("dict[str, Any]", json.loads(text))
        return Holder(pid=int(found["pid"]), doing=str(found["doing"]))
    except (ValueError, KeyError, TypeError):
        return Holder(pid=None, doing="serve")


def _who(home: Path) -> str:
    owner = holder(home) or Holder(pid=None, doing="serve")
    name = "another process" if owner.pid is None else f"process {owner.pid}"
    if owner.doing != "serve":
        return f"{name} is at work on this data folder ({owner.doing}); wait until it has finished"
    return f"{name} already serves this data folder{_where(home)}; use it, or stop it first"


def _where(home: Path) -> str:
    try:
        found = cast("dict[str, Any]", json.loads((home / "daemon.json").read_text("utf-8")))
        return f" at {found['url']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
