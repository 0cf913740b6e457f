"""A vault that is a folder of the server's machine, which Obsidian and people open as it is."""

from __future__ import annotations

import logging
import os
import shutil
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from wellworn.domain.turns.files import Vault
from wellworn.errors import InvalidInput, StorageUnavailable
from wellworn.kit.pictures import decode_file, encode_file

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SUFFIXES = {".md", ".json", ".jsonl", ".png"}
_OUTSIDE = "the path leads out of the user's files"
_log = logging.getLogger(__name__)


class FolderVault:
    """The files of one user below a folder.

    What stands in place of a file and is none (a link, a folder, a pipe) is damage: it is never
    followed, opened or waited for, and is passed over wherever files are listed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._resolved_root = os.path.realpath(root)

    def read(self, path: str) -> str | None:
        target = self._locate(path)
        if not self._is_within(target.parent):
            return None
        try:
            with os.fdopen(os.open(target, _READ), "rb") as file:
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return encode_file(path, file.read())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            _log.warning("the file %s of a turn cannot be read: %s", path, error.strerror)
            return None
        _log.warning("the file %s of a turn is damaged: it is no regular file", path)
        return None

    def write(self, path: str, text: str) -> None:
        target, raw = self._locate_to_write(path), decode_file(path, text)
        # A name of its own: two turns of one user may write an index at the same time.
        beside = target.with_name(f".{target.name}.{os.getpid()}.{id(text)}")
        with _translate_errors():
            target.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            try:
                _write_through(beside, raw, os.O_CREAT | os.O_TRUNC)
                if target.is_dir() and not target.is_symlink():
                    target.rename(target.with_name(f".{target.name}.{os.getpid()}.damaged"))
                beside.replace(target)
            except OSError:
                beside.unlink(missing_ok=True)
                raise

    def measure(self, path: str) -> int | None:
        target = self._locate(path)
        try:
            status = target.lstat()
        except OSError:
            return None
        if not self._is_within(target.parent):
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def append(self, path: str, text: str) -> None:
        target = self._locate_to_write(path)
        with _translate_errors():
            target.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            _write_through(target, text.encode(), os.O_CREAT | os.O_APPEND)

    def list_paths(self, folder: str) -> list[str]:
        paths = self._walk(folder)
        return sorted(path for path in paths if self.measure(path) is not None)

    def list_damaged(self, folder: str) -> list[str]:
        return sorted(path for path in self._walk(folder) if self.measure(path) is None)

    def _walk(self, folder: str) -> Iterator[str]:
        """Yield the paths of everything below a folder but of folders."""
        top = self._locate(folder or ".")
        if not self._is_within(top):
            return
        for parent, folders, names in os.walk(top):
            odd = [name for name in folders if _is_no_folder(Path(parent, name))]
            folders[:] = [name for name in folders if name not in odd]
            for name in (*names, *odd):
                if not name.startswith("."):
                    yield str(Path(parent, name).relative_to(self.root))

    def remove(self, folder: str) -> None:
        target = self._locate_to_write(folder)
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)

    def _locate(self, path: str) -> Path:
        """Return where a path leads.

        Raises:
            InvalidInput: it leads out of the vault.
        """
        target = Path(os.path.normpath(self.root / path))
        if not target.is_relative_to(os.path.normpath(self.root)):
            raise InvalidInput(_OUTSIDE)
        return target

    def _is_within(self, target: Path) -> bool:
        """Tell whether no folder above leads out of the vault."""
        return Path(os.path.realpath(target)).is_relative_to(self._resolved_root)

    def _locate_to_write(self, path: str) -> Path:
        target = self._locate(path)
        if not self._is_within(target.parent):
            raise InvalidInput(_OUTSIDE)
        return target


def list_own(vault: Vault) -> list[str]:
    """Return the paths of the files that turns write, without what else people put there."""
    return [path for path in vault.list_paths("") if PurePath(path).suffix in _SUFFIXES]


def _is_no_folder(path: Path) -> bool:
    """Tell whether a folder is a link, or stands in place of a file."""
    return path.is_symlink() or path.suffix in _SUFFIXES


def _write_through(path: Path, raw: bytes, flags: int) -> None:
    flags |= os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags, _PRIVATE_FILE)
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
