"""A vector index that others follow: copies of it in other processes, of which each may open one.

The engine lets one process open a shard. Another process searches the same points in a copy, which
gets every update that was made since, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from wellworn.engines.storage.vectors.edge import EdgeVectorIndex
from wellworn.engines.storage.vectors.log import Update
from wellworn.engines.storage.vectors.settings import VectorSettings


class FollowedVectorIndex(EdgeVectorIndex):
    """An embedded index that tells of its updates; raises as its base does."""

    def __init__(self, path: Path, settings: VectorSettings | None = None) -> None:
        self._telling = Lock()
        self._followers: tuple[Callable[[Update], None], ...] = ()
        super().__init__(path, settings)

    @property
    def number(self) -> int:
        """The number of the shard that serves, which every build changes."""
        return self._number

    def follow(self, target: Path, tell: Callable[[Update], None]) -> int:
        """Copy the index into a new folder, and tell of every update that the copy lacks.

        Returns the number of the shard. Once a build has replaced that, the copy is slower than
        the index, and its files may hold what was deleted.

        Raises:
            IndexUnavailable: the index is damaged or closed, or cannot be copied.
        """
        with self._telling, self._writing:
            self._check_open()
            self._folder.copy_whole(self._number, target)
            self._followers = (*self._followers, tell)
            return self._number

    def unfollow(self, tell: Callable[[Update], None]) -> None:
        """Tell of updates no more."""
        with self._telling:
            self._followers = tuple(other for other in self._followers if other != tell)

    def repeat(self, update: Update) -> None:
        """Apply an update of the index that this one is a copy of."""
        self._update(update, {*update.deleted, *(point.id for point in update.stored)})

    def _update(self, update: Update, ids: set[int]) -> None:
        with self._telling:
            super()._update(update, ids)
            for tell in self._followers:
                tell(update)
