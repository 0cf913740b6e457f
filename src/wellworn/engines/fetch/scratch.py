"""A folder for one run of git: private, deleted at the end, and swept up after a process that died.

A repository's objects are here as they came, secrets included, so nothing may stay. Each folder is
locked by its process; one whose lock is free belonged to a process that was killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "wellworn-git-"
_LOCK = "held"


@contextmanager
def scratch(parent: Path | None) -> Generator[Path]:
    """Give a new folder (mode 0700) under `parent`, or where the system keeps such."""
    place = Path(tempfile.gettempdir()) if parent is None else parent
    _sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
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


def _sweep(place: Path) -> None:
    for lock in place.glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError):
            _delete_if_free(lock)


def _delete_if_free(lock: Path) -> None:
    held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(lock.parent)
    finally:
        os.close(held)
