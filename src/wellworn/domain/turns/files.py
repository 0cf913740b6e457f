"""The port to a user's files: text by relative path, in a folder or in a sealed space's database.

Paths are relative to the vault of one user of one space, with `/` between their parts. The text of
a picture is its bytes in base64, so that whatever moves, seals, exports or erases texts does so
with pictures; only in a folder they are what any program opens.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, Protocol

UNKEPT: Final = "The disk is full: this turn was not kept."


class Vault(Protocol):
    """The files of one user in one space."""

    def read(self, path: str) -> str | None:
        """Return a file's text; None where there is no such file."""
        ...

    def write(self, path: str, text: str) -> None:
        """Replace all of a file: readers, also those after a crash, see old or new.

        Raises:
            StorageUnavailable: it could not be stored, for example on a full disk.
        """
        ...

    def measure(self, path: str) -> int | None:
        """Return how long a file is, in a unit of the vault's own; None where there is none."""
        ...

    def append(self, path: str, text: str) -> None:
        """Add lines to a file, on the disk when this returns, at a cost of their length alone.

        Raises:
            StorageUnavailable: it could not be stored, for example on a full disk.
        """
        ...

    def list_paths(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder, sorted."""
        ...

    def list_damaged(self, folder: str) -> list[str]:
        """Return the paths below a folder where something stands that is no file, sorted."""
        ...

    def remove(self, folder: str) -> None:
        """Remove a folder with everything in it, or a file."""
        ...


class MemoryVault:
    """Files that are gone with the turn, for a disk that takes none."""

    def __init__(self) -> None:
        self._texts: defaultdict[str, str] = defaultdict(str)

    def read(self, path: str) -> str | None:
        return self._texts.get(path)

    def write(self, path: str, text: str) -> None:
        self._texts[path] = text

    def measure(self, path: str) -> int | None:
        return len(self._texts[path]) if path in self._texts else None

    def append(self, path: str, text: str) -> None:
        self._texts[path] += text

    def list_paths(self, folder: str) -> list[str]:
        return sorted(path for path in self._texts if not folder or path.startswith(f"{folder}/"))

    def list_damaged(self, folder: str) -> list[str]:  # noqa: ARG002 - memory holds texts only
        return []

    def remove(self, folder: str) -> None:
        for path in [folder, *self.list_paths(folder)]:
            self._texts.pop(path, None)
