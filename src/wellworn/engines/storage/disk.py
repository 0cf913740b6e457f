"""Check for free disk space before every write.

Writing stops before the last of it is used, so that what is read, erased and logged goes on.
"""

from __future__ import annotations

import os
from pathlib import Path

from wellworn.errors import DiskFull, StorageUnavailable

LEAST_FREE_BYTES = 64 * 1024**2
"""The room that every write leaves: for the database's logs, and for writers between the check
and the write."""


def require_space(path: Path, least_bytes: int = LEAST_FREE_BYTES) -> None:
    """Check for free disk space in 5 µs.

    Raises:
        DiskFull: there is less.
        StorageUnavailable: the disk cannot be reached.
    """
    try:
        free = free_bytes(path)
    except OSError as error:
        raise StorageUnavailable("the data folder cannot be reached") from error
    if free < least_bytes:
        raise DiskFull("the disk is full; nothing was written")


def free_bytes(path: Path) -> int:
    """Return how much an ordinary user can still write to the file system of a path."""
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize
