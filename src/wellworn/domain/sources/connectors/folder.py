"""A folder on the server's machine.

A file that cannot be read counts as present: only a file that is not listed is gone. Links inside
are not followed, and none that took the place of the folder or of one above it, so a source never
reads outside its folder. Hidden files are passed over unless the source wants them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Any

from wellworn.domain.sources.connectors.fields import read_line, read_switch, reject_unknown
from wellworn.domain.sources.connectors.file_kinds import (
    HEAD,
    LONGEST_PLAIN,
    SkippedFiles,
    is_plain,
    is_readable,
    is_text,
)
from wellworn.domain.sources.connectors.models import (
    ConnectorContext,
    Listing,
    ListingFailed,
    Recognition,
    Sign,
    SourceItem,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType, SyncStatus
from wellworn.errors import InvalidInput
from wellworn.kit.folder_paths import is_without_links
from wellworn.kit.text import is_storable

_LONGEST_PATH = 1024
_MOST_FILES = 200_000
_MOST_UNLISTED = 20
_REPOSITORY = ".git/"
"""The folder of git; its files are no documents."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def _recognize(what: str, _options: Collection[str]) -> Recognition | None:
    """Recognise a folder that exists."""
    path = Path(what).expanduser().resolve()
    return Recognition(Sign.FORM, path.name, str(path)) if what and path.is_dir() else None


KIND = SourceKind(
    SourceType.FOLDER,
    location="path",
    options=("include", "watch", "hidden"),
    is_local=True,
    recognize=_recognize,
)


class Folder:
    """Reads a folder, configured as `{"path": "/srv/docs", "include": "*.md", "watch": true}`."""

    kind = KIND
    is_scheduled = True

    def __init__(self, context: ConnectorContext) -> None:
        self._most_bytes = context.most_bytes

    def validate_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        reject_unknown(config, *KIND.fields)
        path = Path(read_line(config, "path")).expanduser()
        if not path.is_absolute():
            raise InvalidInput("config.path must be an absolute path on the server's machine")
        valid: dict[str, Any] = {"path": str(path)}
        if include := read_line(config, "include", default=""):
            valid["include"] = include
        return valid | {name: True for name in ("watch", "hidden") if read_switch(config, name)}

    @contextmanager
    def open_snapshot(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_FolderSnapshot]:
        del secret, state
        yield _FolderSnapshot(config, self._most_bytes)


class _FolderSnapshot:
    """A folder, by its path without links."""

    def __init__(self, config: Mapping[str, Any], most_bytes: int) -> None:
        self._root = Path(os.path.normpath(config["path"]))
        self._include = config.get("include", "")
        self._reads_hidden = config.get("hidden", False)
        self._most_bytes = most_bytes
        self._skipped = SkippedFiles()

    def list_items(self) -> Listing | ListingFailed:
        if not is_without_links(str(self._root)):
            message = "a link stands in the place of this folder; name the folder itself"
            return ListingFailed(SyncStatus.BLOCKED, message)
        if not self._root.is_dir():
            message = "the folder does not exist; mount it again or change the source's path"
            return ListingFailed(SyncStatus.FAILED, message)
        items: list[SourceItem] = []
        problems: list[Problem] = []
        unlisted: list[OSError] = []
        files = self._walk(unlisted)
        for relative in filter(None, islice(files, _MOST_FILES)):
            self._add_file(relative, items, problems)
        if has_more := next(files, None) is not None:
            message = f"of more than {_MOST_FILES:,} files and folders the rest is not looked at"
            problems.append(Problem("", message))
        problems += [self._describe_unlisted(error) for error in unlisted[:_MOST_UNLISTED]]
        return Listing(
            tuple(items),
            tuple(problems),
            is_complete=not unlisted and not has_more,
            skipped=self._skipped.describe(),
        )

    def _walk(self, unlisted: list[OSError]) -> Iterator[str]:
        """Yield the paths of all files, relative to the folder, and note what cannot be listed.

        An empty one stands for each folder, so that these are counted as well.
        """
        root = str(self._root)
        for folder, inner, names in os.walk(root, onerror=unlisted.append):
            yield ""
            within = f"{folder}/"[len(root) :].lstrip("/")
            inner[:] = sorted(name for name in inner if self._is_visible(within, f"{name}/"))
            for name in inner:
                if (Path(folder) / name).is_symlink():
                    self._skipped.add_linked(f"{within}{name}/")
            yield from (
                f"{within}{name}" for name in sorted(names) if self._is_visible(within, name)
            )

    def _describe_unlisted(self, error: OSError) -> Problem:
        place = os.path.relpath(error.filename or self._root, self._root)
        shown = "" if place == "." else place.encode("utf-8", "replace").decode()[:200]
        return Problem(shown, "this folder cannot be listed; check its permissions")

    def _is_visible(self, within: str, name: str) -> bool:
        """Tell whether a file or folder is looked at; a hidden one that is not is counted."""
        if name == _REPOSITORY or not name.startswith("."):
            return name != _REPOSITORY
        if not self._reads_hidden and not self._include:
            self._skipped.add_hidden(f"{within}{name}")
        return self._reads_hidden

    def _add_file(self, relative: str, items: list[SourceItem], problems: list[Problem]) -> None:
        if not self._is_wanted(relative):
            return
        if not is_storable(relative) or len(relative) > _LONGEST_PATH:
            shown = relative.encode("utf-8", "replace").decode()[:200]
            problems.append(Problem(shown, "its name cannot be stored; rename the file"))
            return
        try:
            status = os.lstat(f"{self._root}/{relative}")
        except OSError:
            items.append(SourceItem(relative, "unreadable"))
            return
        if S_ISREG(status.st_mode):
            version = _describe_version(status)
            items.append(SourceItem(relative, version, changed_at=status.st_mtime))
        else:
            problems.append(Problem(relative, "a link or special file is not followed"))

    def _is_wanted(self, relative: str) -> bool:
        if self._include:
            return fnmatch(relative, self._include)
        is_wanted = is_readable(relative) or (is_plain(relative) and self._is_text(relative))
        if not is_wanted:
            self._skipped.add(relative)
        return is_wanted

    def _is_text(self, relative: str) -> bool:
        """Tell whether a file is a short text; a file that cannot be opened counts as one."""
        path = self._root / relative
        try:
            status = path.lstat()
            if not S_ISREG(status.st_mode) or status.st_size > LONGEST_PLAIN:
                return False
            with os.fdopen(_open_beneath(self._root, relative), "rb") as file:
                return is_text(file.read(HEAD))
        except (OSError, ValueError):
            return True

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        for item in items:
            yield item, self._read(item)

    def _read(self, item: SourceItem) -> bytes | Problem:
        try:
            with os.fdopen(_open_beneath(self._root, item.path), "rb") as file:
                raw = file.read(self._most_bytes + 1)
        except OSError:
            return Problem(item.path, "it cannot be read; check its permissions")
        if len(raw) > self._most_bytes:
            limit = f"{self._most_bytes / 1e6:.0f} MB"
            return Problem(item.path, f"it is larger than {limit}; split it or raise the limit")
        return raw


def _describe_version(status: os.stat_result) -> str:
    """Return what differs after any change of a file.

    Copies can be given an old time and have an old size; when the file was written, and which one
    it is, nobody sets.
    """
    parts = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return "-".join(map(str, parts))


def _open_beneath(root: Path, path: str) -> int:
    """Open a file without following a link that replaced any part of its path since the listing.

    Args:
        root: an absolute path without links.
        path: relative to it.

    Raises:
        OSError: the path contains a link, or there is no such file.
    """
    *folders, name = (*root.parts[1:], *path.split("/"))
    at = os.open(root.anchor, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            above, at = at, os.open(folder, _FOLDER, dir_fd=at)
            os.close(above)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


def create_connector(context: ConnectorContext) -> Folder:
    return Folder(context)
