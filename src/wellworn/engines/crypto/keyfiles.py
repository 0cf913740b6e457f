"""Files that hold what only the server's user may read.

A file that others could have read or put there is refused, not repaired: those who could, may have
done so already. A new file appears complete or not at all, however many processes start at once.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from wellworn.errors import KeyUnavailable

_OWNER_ONLY = 0o600
_LIMIT_BYTES = 4096


def read_private(path: Path) -> bytes | None:
    """Return the content, or None when there is no such file.

    Raises:
        KeyUnavailable: it is no regular file, a symbolic link, another user's, open to others,
            too large or unreadable; the message says what to do.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        # The kernel reports a symbolic link as a loop; which of the two does not matter.
        raise KeyUnavailable(
            "the key file cannot be read: it must be a plain file, no link, of the user who serves"
        ) from error
    try:
        _refuse_unless_private(os.fstat(descriptor))
        return os.read(descriptor, _LIMIT_BYTES)
    finally:
        os.close(descriptor)


def write_private(path: Path, content: bytes) -> bool:
    """Create the file, readable by its owner only; False when somebody else just did.

    Raises:
        KeyUnavailable: the folder cannot be written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            _write(draft, content)
            os.link(draft, path)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        _settle(path.parent)
    except FileExistsError:
        return False
    except OSError as error:
        raise KeyUnavailable(
            "the key file cannot be created: its folder must be writable by the user who serves"
        ) from error
    return True


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _settle(folder: Path) -> None:
    """Make a new name in the folder outlast a power cut: a key that is lost is lost for good."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_unless_private(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise KeyUnavailable("the key file is not a regular file; put the key into one")
    if status.st_uid != os.geteuid():
        raise KeyUnavailable(
            "the key file belongs to another user; let the user who serves own it (chown)"
        )
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyUnavailable("the key file is open to other users; close it with chmod 600")
    if status.st_size > _LIMIT_BYTES:
        raise KeyUnavailable("the key file is too large to be one; check which file is set")
