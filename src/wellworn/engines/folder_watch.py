"""Watches folders for changes of their files, by the operating system's own notices.

One thread watches all of them. Each time it begins again, because a folder came, went or was put in
another's place, every folder counts as changed: nobody has looked meanwhile.

Changes are told of when the folder has been quiet for a moment, and of one folder not more often
than every few seconds, however busy it is.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Final

from watchfiles import Change, watch

from wellworn.errors import WellwornError
from wellworn.kit.folder_paths import is_below

_QUIET_MS: Final = 400
_LONGEST_MS: Final = 5_000
_CHECKED_EVERY_S: Final = 2.0
_LEAST_PAUSE_S: Final = 5.0
_POLLED_EVERY_MS: Final = 10_000
_REPOSITORY: Final = ".git"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """The path of a folder, and whether changes of hidden files count."""

    path: str
    reads_hidden: bool = False


WatchedFolders = Mapping[int, WatchedFolder]
"""Folders by a number of the one who wants to know."""


class FolderWatch:
    """Tells `report` the number of each folder in which files changed, came or went.

    What is inside the folder `ignored` counts for nothing, nor do hidden files of most folders.
    """

    def __init__(
        self,
        list_folders: Callable[[], WatchedFolders],
        report: Callable[[int], None],
        *,
        ignored: Path,
    ) -> None:
        self._list_folders = list_folders
        self._report = report
        self._ignored = os.path.realpath(ignored)
        self._is_polling = False
        self._watched: set[int] = set()
        self._changed: set[int] = set()
        self._reported_at: dict[int, float] = {}

    def run(self, until: Event) -> None:
        """Watch until the event; failures are logged, and watching begins again."""
        while not until.is_set():
            try:
                self._watch(until)
            except WellwornError as error:
                _log.warning("watching folders failed and begins anew: %s", error.message)
            except (OSError, RuntimeError):
                _log.warning(
                    "the system gives no more notices of changes, so folders are looked through"
                    " every %d s; see fs.inotify.max_user_watches",
                    _POLLED_EVERY_MS // 1000,
                )
                self._is_polling = True
            until.wait(_CHECKED_EVERY_S)

    def _watch(self, until: Event) -> None:
        """Watch the folders that are there, until these are others."""
        folders = self._list_folders()
        watched = _find_existing(folders)
        # One that is gone is told of once; what is left of it, its owner knows.
        self._changed |= watched.keys() | (self._watched & folders.keys())
        self._watched = set(watched)
        self._report_due()
        if not watched:
            return
        roots = {
            number: replace(folders[number], path=root) for number, (root, _) in watched.items()
        }
        for changes in watch(
            *sorted({folder.path for folder in roots.values()}),
            watch_filter=lambda _, path: any(self._concern(roots, path)),
            debounce=_LONGEST_MS,
            step=_QUIET_MS,
            stop_event=until,
            rust_timeout=int(_CHECKED_EVERY_S * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=self._is_polling or None,
            poll_delay_ms=_POLLED_EVERY_MS,
            ignore_permission_denied=True,
        ):
            self._note(roots, changes)
            self._report_due()
            if _find_existing(self._list_folders()) != watched:
                return

    def _note(self, roots: WatchedFolders, changes: Iterable[tuple[Change, str]]) -> None:
        for _, path in changes:
            self._changed |= set(self._concern(roots, path))

    def _concern(self, roots: WatchedFolders, path: str) -> Iterable[int]:
        """Return the numbers of the folders to which a changed path matters."""
        if is_below(self._ignored, path):
            return
        for number, folder in roots.items():
            if not is_below(folder.path, path):
                continue
            parts = Path(path).relative_to(folder.path).parts
            is_seen = folder.reads_hidden or not any(part.startswith(".") for part in parts)
            if is_seen and _REPOSITORY not in parts:
                yield number

    def _report_due(self) -> None:
        now = time.monotonic()
        for number in sorted(self._changed):
            if now - self._reported_at.get(number, -_LEAST_PAUSE_S) >= _LEAST_PAUSE_S:
                self._report(number)
                self._reported_at[number] = now
                self._changed.discard(number)


def _find_existing(folders: WatchedFolders) -> dict[int, tuple[str, tuple[int, int]]]:
    """Return the real path of each folder that is there, and which folder that is."""
    existing: dict[int, tuple[str, tuple[int, int]]] = {}
    for number, folder in folders.items():
        root = os.path.realpath(folder.path)
        if os.path.isdir(root):  # noqa: PTH112 - a name that is no path is no folder
            status = os.stat(root)  # noqa: PTH116
            existing[number] = (root, (status.st_dev, status.st_ino))
    return existing
