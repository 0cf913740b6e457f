"""Room on the disk, asked for before anything is written.

The vector engine writes through memory-mapped files with holes. On a full file system such a write
is no error that could be answered: the kernel kills the process. So writing stops while there is
still some room, and reading goes on.
"""

from __future__ import annotations

import os
from pathlib import Path

from wellworn.errors import StorageUnavailable

LEAST_FREE_BYTES = 64 * 1024**2
"""What every write leaves free: a segment of the engine's own log where an older index has one
(32 MiB), and as much again for the database's log and for whoever else writes between the question
and the write."""


def require_space(path: Path, least_bytes: int = LEAST_FREE_BYTES) -> None:
    """Refuse to go on with less free space than this around a path; takes some 5 µs.

    Raises:
        StorageUnavailable: there is less, or the path cannot be reached.
    """
    try:
        free = free_bytes(path)
    except OSError as error:
        raise StorageUnavailable("the data folder cannot be reached") from error
    if free < least_bytes:
        raise StorageUnavailable("the disk is full; nothing was written")


def free_bytes(path: Path) -> int:
    """Return how much an ordinary user may still write to the file system of a path."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def allocated_bytes(folder: Path) -> int:
    """Return what the files of a folder take on the disk, holes not counted."""
    return sum(file.stat().st_blocks for file in folder.rglob("*") if file.is_file()) * 512
