"""A folder for one run of a program: private, deleted at its end, swept up after a killed process.

A repository's objects and a page are here as they came, so nothing may stay. Each folder is locked
by its process; one whose lock is free belonged to a process that was killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCK = "held"


@contextmanager
def scratch(parent: Path | None, prefix: str) -> Generator[Path]:
    """Give a new folder (mode 0700) under `parent`, or where the system keeps such."""
    place = _find_place(parent)
    sweep(parent, prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    lock = _lock(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
        os.close(lock)


def _lock(folder: Path) -> int:
    """Lock before the lock can be seen, so that no sweep ever finds it free."""
    making = folder / "making"
    lock = os.open(making, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    making.rename(folder / _LOCK)
    return lock


def _find_place(parent: Path | None) -> Path:
    return Path(tempfile.gettempdir()) if parent is None else parent


def sweep(parent: Path | None, prefix: str) -> None:
    """Delete what processes that died have left."""
    for lock in _find_place(parent).glob(f"{prefix}*/{_LOCK}"):
        with suppress(OSError):
            _delete_if_free(lock)


def _delete_if_free(lock: Path) -> None:
    held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(lock.parent)
    finally:
        os.close(held)
