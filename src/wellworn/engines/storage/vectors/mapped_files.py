"""The files that the engine maps into memory, and how long each was when last looked at.

Reading a mapping beyond the end of its file ends the process (SIGBUS), and the engine can hold its
vectors in no other way. So the lengths are compared before every use.

Source: mmap(2).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class MappedFiles:
    """The mapped files of one shard."""

    def __init__(self, shard: Path) -> None:
        self._changed_at = {shard / "segments": 0}
        self._lengths: dict[str, int] = {}
        self.note_new()

    def note_new(self) -> None:
        """Look for files that the engine has made since, in the folders that have changed."""
        for folder, changed_at in list(self._changed_at.items()):
            with suppress(FileNotFoundError):
                if folder.stat().st_mtime_ns != changed_at:
                    self._scan(folder)

    def are_whole(self) -> bool:
        """Tell whether none is shorter than before; one that was removed stays mapped."""
        for path, length in self._lengths.items():
            try:
                size = os.stat(path).st_size  # noqa: PTH116 - called for every file in every call
            except FileNotFoundError:
                continue
            if size < length:
                return False
            self._lengths[path] = size
        return True

    def _scan(self, folder: Path) -> None:
        # Before its files, so that one that is made meanwhile is seen the next time.
        self._changed_at[folder] = folder.stat().st_mtime_ns
        for path in folder.iterdir():
            if path.is_dir():
                if path not in self._changed_at:
                    self._scan(path)
            elif path.suffix != ".json":
                self._lengths.setdefault(str(path), path.stat().st_size)
