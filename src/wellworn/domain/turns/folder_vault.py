"""A vault that is a folder of the server's machine, which Obsidian and people open as it is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from wellworn.domain.turns.files import Vault
from wellworn.errors import InvalidInput, StorageUnavailable
from wellworn.kit.pictures import decode_file, encode_file

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600


class FolderVault:
    """The files of one user below a folder; links that lead out of it are not followed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._resolved_root = os.path.realpath(root)

    def read(self, path: str) -> str | None:
        target = self._locate(path)
        try:
            return encode_file(path, target.read_bytes())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def write(self, path: str, text: str) -> None:
        target, raw = self._locate(path), decode_file(path, text)
        # A name of its own: two turns of one user may write an index at the same time.
        beside = target.with_name(f".{target.name}.{os.getpid()}.{id(text)}")
        with _translate_errors():
            target.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            try:
                _write_through(beside, raw, os.O_CREAT | os.O_TRUNC)
                beside.replace(target)
            except OSError:
                beside.unlink(missing_ok=True)
                raise

    def measure(self, path: str) -> int | None:
        try:
            return self._locate(path).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def append(self, path: str, text: str) -> None:
        target = self._locate(path)
        with _translate_errors():
            target.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            _write_through(target, text.encode(), os.O_CREAT | os.O_APPEND)

    def list_paths(self, folder: str) -> list[str]:
        top = self._locate(folder or ".")
        return sorted(
            str(Path(parent, name).relative_to(self.root))
            for parent, _, names in os.walk(top)
            for name in names
            if not name.startswith(".")
        )

    def remove(self, folder: str) -> None:
        target = self._locate(folder)
        if target.is_file():
            target.unlink(missing_ok=True)
        shutil.rmtree(target, ignore_errors=True)

    def _locate(self, path: str) -> Path:
        """Return where a path leads.

        Raises:
            InvalidInput: it leads out of the vault.
        """
        target = self.root / path
        if not Path(os.path.realpath(target)).is_relative_to(self._resolved_root):
            message = "the path leads out of the user's files"
            raise InvalidInput(message)
        return target


def _write_through(path: Path, raw: bytes, flags: int) -> None:
    handle = os.open(path, os.O_WRONLY | flags, _PRIVATE_FILE)
    with os.fdopen(handle, "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _translate_errors() -> Generator[None]:
    try:
        yield
    except OSError as error:
        message = "the turn's files could not be written; is the disk full?"
        raise StorageUnavailable(message) from error


_: type[Vault] = FolderVault
