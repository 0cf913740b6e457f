"""A file of another program is replaced at once, through links, and not if it changed meanwhile."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from wellworn.errors import WellwornError

_LARGEST = 64 * 1024**2


class ConfigRefused(WellwornError):
    """A file is not changed; the message says why, and what to do."""

    code = "CONFIG_REFUSED"


def read_config(path: Path) -> str | None:
    """Return the text of a file, its line ends as they are; None where there is none.

    Raises:
        ConfigRefused: it is no file of text that can be read.
    """
    try:
        if path.stat().st_size > _LARGEST or not path.is_file():
            raise ConfigRefused(f"{path} is no file of settings")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as failure:
        raise ConfigRefused(f"{path} is not UTF-8; save it as UTF-8 and try again") from failure
    except OSError as failure:
        raise ConfigRefused(f"{path} cannot be read: {failure.strerror}") from failure


def replace_config(path: Path, before: str | None, after: str | None) -> None:
    """Write a file, or remove it where `after` is None; a link is followed and stays.

    Raises:
        ConfigRefused: it is read-only, or not as it was read.
    """
    target = path.resolve()
    if before is not None and not stat.S_IMODE(target.stat().st_mode) & stat.S_IWUSR:
        raise ConfigRefused(f"{target} is read-only; make it writable (chmod u+w) and try again")
    if read_config(target) != before:
        raise ConfigRefused(f"{target} was changed meanwhile; try again")
    try:
        if after is None:
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, after.encode())
    except OSError as failure:
        raise ConfigRefused(f"{target} cannot be written: {failure.strerror}") from failure


def _replace(target: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            Path(name).chmod(stat.S_IMODE(target.stat().st_mode))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
