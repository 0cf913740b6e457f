"""A folder on this machine: the one source that most people have.

A file that cannot be read counts as present: only what is not listed is gone. Links are not
followed, so that a folder never reaches out of itself; hidden files are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from stat import S_ISREG
from typing import Any

from wellworn.domain.sources.connectors.fields import line, only
from wellworn.domain.sources.connectors.file_kinds import (
    HEAD,
    LONGEST_PLAIN,
    PassedOver,
    is_plain,
    is_readable,
    is_text,
)
from wellworn.domain.sources.connectors.models import Item, Listing, Means, Setback, SourceKind
from wellworn.domain.sources.models import Problem, SourceType, SyncStatus
from wellworn.errors import InvalidInput
from wellworn.kit.text import is_storable

_LONGEST_PATH = 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
KIND = SourceKind(SourceType.FOLDER, location="path", options=("include",))


class Folder:
    """Fills the port for `{"path": "/srv/docs", "include": "*.md"}`."""

    source_type = KIND.name
    is_scheduled = True

    def __init__(self, means: Means) -> None:
        self._most_bytes = means.most_bytes

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        only(config, *KIND.fields)
        path = Path(line(config, "path")).expanduser()
        if not path.is_absolute():
            raise InvalidInput("config.path must be an absolute path on the server's machine")
        checked = {"path": str(path)}
        if include := line(config, "include", default=""):
            checked["include"] = include
        return checked

    @contextmanager
    def visit(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_Walk]:
        del secret, state
        yield _Walk(Path(config["path"]), config.get("include", ""), self._most_bytes)


class _Walk:
    def __init__(self, root: Path, include: str, most_bytes: int) -> None:
        self._root = root
        self._include = include
        self._most_bytes = most_bytes
        self._passed_over = PassedOver()

    def listing(self) -> Listing | Setback:
        if not self._root.is_dir():
            message = "the folder is not there; mount it again or change the source's path"
            return Setback(SyncStatus.FAILED, message)
        items: list[Item] = []
        problems: list[Problem] = []
        unlisted: list[OSError] = []
        for folder, inner, names in os.walk(self._root, onerror=unlisted.append):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for name in sorted(names):
                self._look_at(Path(folder) / name, items, problems)
        if unlisted:
            problems.append(Problem("", "a folder inside cannot be listed; check its permissions"))
        return Listing(
            tuple(items),
            tuple(problems),
            is_complete=not unlisted,
            passed_over=self._passed_over.told(),
        )

    def _look_at(self, file: Path, items: list[Item], problems: list[Problem]) -> None:
        relative = file.relative_to(self._root).as_posix()
        if file.name.startswith(".") or not self._is_wanted(relative):
            return
        if not is_storable(relative) or len(relative) > _LONGEST_PATH:
            shown = relative.encode("utf-8", "replace").decode()[:200]
            problems.append(Problem(shown, "its name cannot be stored; rename the file"))
            return
        try:
            found = file.lstat()
        except OSError:
            items.append(Item(relative, "unreadable"))
            return
        if S_ISREG(found.st_mode):
            items.append(Item(relative, f"{found.st_size}-{found.st_mtime_ns}"))
        else:
            problems.append(Problem(relative, "a link or special file is not followed"))

    def _is_wanted(self, relative: str) -> bool:
        if self._include:
            return fnmatch(relative, self._include)
        is_wanted = is_readable(relative) or (is_plain(relative) and self._is_text(relative))
        if not is_wanted:
            self._passed_over.add(relative)
        return is_wanted

    def _is_text(self, relative: str) -> bool:
        """Tell whether a file is a short text; one that cannot be opened now may well be."""
        path = self._root / relative
        try:
            found = path.lstat()
            if not S_ISREG(found.st_mode) or found.st_size > LONGEST_PLAIN:
                return False
            with os.fdopen(_opened(self._root, relative), "rb") as file:
                return is_text(file.read(HEAD))
        except (OSError, ValueError):
            return True

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        for item in items:
            yield item, self._read(item)

    def _read(self, item: Item) -> bytes | Problem:
        try:
            with os.fdopen(_opened(self._root, item.path), "rb") as file:
                raw = file.read(self._most_bytes + 1)
        except OSError:
            return Problem(item.path, "it cannot be read; check its permissions")
        if len(raw) > self._most_bytes:
            limit = f"{self._most_bytes / 1e6:.0f} MB"
            return Problem(item.path, f"it is larger than {limit}; split it or raise the limit")
        return raw


def _opened(root: Path, path: str) -> int:
    """Open a file; a link put in any part of its path since the listing is not followed either.

    Raises:
        OSError: there is a link, or no such file.
    """
    *folders, name = path.split("/")
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            above, at = at, os.open(folder, _FOLDER, dir_fd=at)
            os.close(above)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


def connector(means: Means) -> Folder:
    return Folder(means)
