"""The folder of an embedded index: its lock, and which of its shards is current.

```
<folder>/LOCK        held while the index is open
<folder>/CURRENT     the number of the shard that counts, replaced in one step
<folder>/ERASED      there while files hold what was deleted
<folder>/STATISTICS  what the index counted, and a digest of the shard's files, from a clean close
                     to the next opening
<folder>/shards/<n>  that shard, and perhaps the copy that a build reads and the one it writes
```

Whatever CURRENT does not name is left over from a build or a creation that was cut short: nothing
in it was ever acknowledged, so opening removes it.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from wellworn.engines.storage.vectors.statistics import is_whole
from wellworn.errors import DamagedStore, IndexUnavailable, StoreInUse


class IndexFolder:
    """An index folder, locked from construction until `release`.

    Raises:
        StoreInUse: another index holds it, in this process or another.
        IndexUnavailable: the folder cannot be made or written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._shards = path / "shards"
        try:
            self._shards.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(path / "LOCK")
        except OSError as error:
            raise IndexUnavailable("The folder of the vector index cannot be used.") from error

    def current(self) -> int | None:
        """Return the number of the shard that counts, or None before there is one.

        Raises:
            DamagedStore: CURRENT is not a number, or its shard is gone.
        """
        try:
            number = int((self.path / "CURRENT").read_text(encoding="ascii"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise DamagedStore(_DAMAGED) from error
        if not self.shard(number).is_dir():
            raise DamagedStore(_DAMAGED)
        return number

    def shard(self, number: int) -> Path:
        """Return the folder of a shard."""
        return self._shards / str(number)

    def copy(self, number: int) -> Path:
        """Copy a shard, holes included, and return the folder of the copy.

        Raises:
            IndexUnavailable: no space left, or the files cannot be read.
        """
        target = self._shards / "copy"
        try:
            shutil.rmtree(target, ignore_errors=True)
            return shutil.copytree(self.shard(number), target, copy_function=_copy_with_holes)
        except OSError as error:
            raise IndexUnavailable("The vector index cannot be copied for a build.") from error

    def copy_whole(self, number: int, target: Path) -> None:
        """Make a new index folder with a copy of a shard, holes included, as its current one.

        Raises:
            IndexUnavailable: no space left, or the files cannot be read.
        """
        shard = target / "shards" / str(number)
        try:
            shutil.copytree(self.shard(number), shard, copy_function=_copy_with_holes)
            (target / "CURRENT").write_text(f"{number}\n", encoding="ascii")
        except OSError as error:
            raise IndexUnavailable("The vector index cannot be copied.") from error

    def point_to(self, number: int) -> None:
        """Make a shard the current one, atomically."""
        self._replace("CURRENT", f"{number}\n".encode("ascii"))

    def sweep(self) -> bool:
        """Remove every shard but the current one; tell whether all of them are gone."""
        current = str(self.current())
        for entry in self._shards.iterdir():
            if entry.name != current:
                shutil.rmtree(entry, ignore_errors=True)
        return [entry.name for entry in self._shards.iterdir()] == [current]

    def mark_erased(self) -> None:
        """Remember, beyond the death of the process, that files hold what was deleted."""
        # Empty: on a full disk, that is what can still be made.
        (self.path / "ERASED").touch()
        _sync(self.path)

    def holds_erased(self) -> bool:
        """Tell whether files hold what was deleted."""
        return (self.path / "ERASED").exists()

    def unmark_erased(self) -> None:
        """Forget the mark, once no file holds what was deleted."""
        (self.path / "ERASED").unlink(missing_ok=True)

    def condemn(self) -> None:
        """Let no opening take what the folder holds for an index."""
        with suppress(OSError):
            self._replace("CURRENT", b"damaged\n")

    def save_statistics(self, saved: bytes, number: int) -> None:
        """Keep what the index counted; call it last, when nothing can change any more."""
        self._replace("STATISTICS", saved + _digest_files(self.shard(number)))

    def take_statistics(self, number: int) -> bytes | None:
        """Return and remove what was counted when the index was last closed, if it was.

        It is removed so that a process that dies leaves no outdated counts.

        Raises:
            DamagedStore: the shard's files are not those that were closed.
        """
        path = self.path / "STATISTICS"
        try:
            saved = path.read_bytes()
            counted, digest = saved[:-_DIGEST_BYTES], saved[-_DIGEST_BYTES:]
            if is_whole(counted) and digest != _digest_files(self.shard(number)):
                raise DamagedStore(_DAMAGED) from ValueError("the digest differs")
            path.unlink()
            _sync(self.path)
        except OSError:
            return None
        return counted

    def _replace(self, name: str, content: bytes) -> None:
        fresh = self.path / f"{name}.new"
        with fresh.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path / name)

    def release(self) -> None:
        """Unlock the folder."""
        self._lock.close()


_CHUNK = 1 << 20
_BLOCK = 4096
_ZEROS = bytes(_CHUNK)
_DIGEST_BYTES = 32
_DAMAGED = "The folder of the vector index is damaged; rebuild the index."


def _lock(path: Path) -> IO[bytes]:
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise StoreInUse("Another process uses this vector index.") from error
    return file


def _sync(folder: Path) -> None:
    """Flush the entries of a folder to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _digest_files(folder: Path) -> bytes:
    """Digest all files; a copy with zeros in place of holes has the same digest."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)} {path.stat().st_size}\n".encode())
        with path.open("rb", 0) as file:
            for start, end in _find_data(file.fileno(), path.stat().st_size):
                for at, block in _read_blocks(file.fileno(), start, end):
                    digest.update(f"{at} ".encode() + block)
    return digest.digest()


def _read_blocks(file: int, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield each block of a stretch of a file that is more than zeros, and where it begins."""
    end += -end % _BLOCK
    for at in range(start - start % _BLOCK, end, _CHUNK):
        chunk = os.pread(file, min(_CHUNK, end - at), at)
        if _is_zeros(chunk):
            continue
        for offset in range(0, len(chunk), _BLOCK):
            block = chunk[offset : offset + _BLOCK]
            if not _is_zeros(block):
                yield at + offset, block


def _is_zeros(content: bytes) -> bool:
    # By comparison: most of what is read is zeros, and looking at each byte took a tenth of a
    # second whenever a memory was opened or closed.
    return _ZEROS.startswith(content)


def _copy_with_holes(source: str, target: str) -> None:
    """Copy only what is allocated: most of a shard's files are holes."""
    with Path(source).open("rb", 0) as read, Path(target).open("xb", 0) as written:
        size = os.fstat(read.fileno()).st_size
        written.truncate(size)
        for start, end in _find_data(read.fileno(), size):
            for at in range(start, end, _CHUNK):
                piece = os.pread(read.fileno(), min(_CHUNK, end - at), at)
                os.pwrite(written.fileno(), piece, at)


def _find_data(file: int, size: int) -> Iterator[tuple[int, int]]:
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        end = os.lseek(file, start, os.SEEK_HOLE)
        yield start, end
