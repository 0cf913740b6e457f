"""The vector index of the open spaces: an exact one, its points in a small database of its own.

The database survives the death of its process, not the power: what is lost, lacking or too much is
mended from the memory's own database, which is the truth. A file that turns out damaged is removed
at the next opening, and the index made again; until then all that was stored is found.

Other processes may search the same points in memory of their own: they read the file, and are told
of every update.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Final

from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors.checks import check_points
from wellworn.engines.storage.vectors.exact import ExactVectorIndex
from wellworn.engines.storage.vectors.models import Point, Update
from wellworn.engines.storage.vectors.point_table import Row, to_row
from wellworn.errors import (
    DamagedStore,
    DiskFull,
    IndexDamaged,
    IndexUnavailable,
    StorageUnavailable,
    StoreInUse,
)

if TYPE_CHECKING:
    from wellworn.engines.storage.vectors.shared import SharedPoints

POINTS: Final = "points.db"
WORDS: Final = "words.db"
"""The file of an index whose vectors are elsewhere."""
_OF_BEFORE: Final = ("CURRENT", "STATISTICS")
"""The files of an index of the earlier kind, which had a graph, beside its shards."""
_RETRY_AFTER_S: Final = 5
_DAMAGED: Final = (
    "A file of the vector index is damaged. The index is made anew when the server starts again,"
    " as `wellworn serve` does by itself; call again in a few seconds."
)


class StoredVectorIndex(ExactVectorIndex):
    """A `VectorIndex` in a folder, made when it is not there.

    Raises:
        StoreInUse: another index has the folder open.
        DamagedStore: its points cannot be read, or are of another length; make it again.
        IndexUnavailable: the folder cannot be used.
        StorageUnavailable: the disk is full.
    """

    def __init__(self, folder: Path, *, dimensions: int = 384, file: str = POINTS) -> None:
        self._folder, self._file = folder, file
        self._telling = Lock()
        self._followers: tuple[Callable[[Update], None], ...] = ()
        self._shared: SharedPoints | None = None
        self.tell_changed: Callable[[Sequence[int]], object] = lambda _: None
        """Is told of points that other servers changed."""
        self.is_damaged = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._held = _lock(folder / "LOCK")
        except OSError as error:
            raise IndexUnavailable("The folder of the vector index cannot be used.") from error
        try:
            shutil.rmtree(folder / "shards", ignore_errors=True)
            for name in _OF_BEFORE:
                (folder / name).unlink(missing_ok=True)
            self._own = Database(folder / file, is_derived=True)
            super().__init__(self._own, dimensions=dimensions)
        except BaseException:
            self._release()
            raise

    def upsert(self, points: Sequence[Point]) -> None:
        if self._shared is None or not points:
            self._upsert_here(points)
            return
        check_points(points, self._dimensions)
        rows = [*{point.id: to_row(point) for point in points}.values()]
        with self._shared.changing():
            self._shared.put(rows, lambda: self._reread([row.id for row in rows]))
            self._upsert_here(points)

    def _upsert_here(self, points: Sequence[Point]) -> None:
        with self._changing(Update(stored=points)):
            super().upsert(points)

    def delete(self, ids: Sequence[int]) -> None:
        """Remove points; their bytes leave the files with the next scrub."""
        if self._shared is None or self._shared.is_undoing:
            self._delete_here(ids)
            return
        with self._shared.changing():
            with self._serving():
                stored = self._rows.keep_existing(ids)
            if stored:
                self._shared.delete(stored, lambda: self._reread(stored))
                self._delete_here(stored)

    def _delete_here(self, ids: Sequence[int]) -> None:
        with self._changing(Update(deleted=ids)):
            try:
                super().delete(ids)
            except DiskFull:
                # Found no more all the same; the next to open the index removes it from the file.
                with self._serving():
                    self._rows.remove(ids)
            self._own.expect_scrub()

    def share(self, database: Database, kind: str, encoder: str, *, gives: bool = False) -> None:
        """Be this server's copy of what several share, from now on; called once, at opening.

        Where nothing is shared yet, or this one `gives`, it is what this index has.

        Raises:
            StorageUnavailable: the database failed.
        """
        # What speaks to PostgreSQL is loaded by those alone who use it.
        from wellworn.engines.storage.vectors.shared import SharedPoints  # noqa: PLC0415

        shared = SharedPoints(database, kind, encoder)
        if gives:
            shared.clear()
        shared.take_back()
        self._join(shared)

    def _join(self, shared: SharedPoints) -> None:
        with self._own.write() as transaction:
            transaction.exec_driver_sql("CREATE TABLE IF NOT EXISTS seen (number INTEGER NOT NULL)")
            seen = transaction.exec_driver_sql("SELECT number FROM seen").scalar()
        with shared.reading() as transaction:
            is_empty = not shared.has_any(transaction)
            newest = shared.find_newest(transaction)
            if not is_empty and (seen is None or seen > newest):
                self._take_everything(shared, transaction)
                seen = newest
        if is_empty:
            with self._own.read() as transaction:
                for page in self._table.pages(transaction):
                    shared.give([Row(*row) for row in page])
            seen = newest
        self._shared = shared
        self._note_seen(seen or 0)
        shared.follow(self._take_changes, partial(self._take_everything, shared), seen=seen or 0)

    def forget_shared(self) -> None:
        """Take everything from the others at the next `share`, also what is here already."""
        with self._own.write() as transaction:
            transaction.exec_driver_sql("DROP TABLE IF EXISTS seen")

    def _take_changes(self, transaction: Transaction, ids: Sequence[int]) -> None:
        assert self._shared is not None  # noqa: S101 - narrows for the checker
        self._replace(ids, self._shared.load(ids, transaction))

    def _take_everything(self, shared: SharedPoints, transaction: Transaction) -> None:
        known = set[int](self.ids().tolist())
        for rows in shared.pages(transaction):
            ids = [row.id for row in rows]
            known.difference_update(ids)
            self._replace(ids, rows)
        self._replace([*known], ())

    def _reread(self, ids: Sequence[int]) -> None:
        assert self._shared is not None  # noqa: S101 - narrows for the checker
        self._replace(ids, self._shared.load(ids))

    def _replace(self, ids: Sequence[int], rows: Sequence[Row]) -> None:
        """Have these rows in place of all points of these ids."""
        with self._changing(Update(deleted=ids, rows=rows)):
            # What another server stored must be taken in, however little room there is.
            with self._own.share_write(least_free_bytes=0) as transaction:
                self._table.delete(transaction, ids)
                self._table.put(transaction, rows)
            with self._serving():
                self._rows.remove(ids)
                self._take(rows)
            self._own.expect_scrub()
        self.tell_changed(ids)

    def _note_seen(self, number: int) -> None:
        with self._own.share_write(least_free_bytes=0) as transaction:
            transaction.exec_driver_sql("DELETE FROM seen")
            transaction.exec_driver_sql("INSERT INTO seen VALUES (?)", (number,))

    @contextmanager
    def _changing(self, update: Update) -> Generator[None]:
        with self._telling:
            self._check_open()
            if self.is_damaged:
                raise IndexDamaged(_DAMAGED, retry_after_s=_RETRY_AFTER_S)
            try:
                yield
            except DiskFull:
                raise
            except (StorageUnavailable, DamagedStore) as error:
                self.is_damaged = True
                raise IndexDamaged(_DAMAGED, retry_after_s=_RETRY_AFTER_S) from error
            for tell in self._followers:
                tell(update)

    def follow(self, tell: Callable[[Update], None]) -> None:
        """Tell of every update from now on, for a `VectorIndexCopy` that is opened after this.

        Raises:
            IndexUnavailable: the index is closed.
        """
        with self._telling:
            self._check_open()
            self._followers = (*self._followers, tell)

    def unfollow(self, tell: Callable[[Update], None]) -> None:
        """Tell of updates no more."""
        with self._telling:
            self._followers = tuple(other for other in self._followers if other != tell)

    def check(self) -> None:
        """Raise `IndexUnavailable` if the index is closed or damaged."""
        self._check_open()
        if self.is_damaged:
            raise IndexUnavailable(_DAMAGED)

    def scrub_if_due(self) -> bool:
        """Leave nothing in the files that was deleted; tell whether that was due and is done."""
        if self._shared is not None:
            self._note_seen(self._shared.seen)
        return self._own.scrub_if_due()

    def close(self) -> None:
        """Release the files; those that are damaged are removed."""
        with self._telling:
            if not self._is_closed:
                if self._shared is not None and not self.is_damaged:
                    self._note_seen(self._shared.seen)
                super().close()
                self._release()

    def _release(self) -> None:
        if database := getattr(self, "_own", None):
            database.close()
        if self.is_damaged:
            for path in self._folder.glob(f"{self._file}*"):
                path.unlink()
        self._held.close()


class VectorIndexCopy(ExactVectorIndex):
    """The points of a stored index, in the memory of another process; it is only searched.

    Raises:
        DamagedStore, StorageUnavailable: the points cannot be read.
    """

    def __init__(self, folder: Path, *, dimensions: int = 384, file: str = POINTS) -> None:
        database = Database(folder / file, is_derived=True)
        try:
            super().__init__(database, dimensions=dimensions)
        finally:
            database.close()

    def repeat(self, update: Update) -> None:
        """Apply an update of the index; one that was read with the points changes nothing."""
        with self._serving():
            self._rows.remove(update.deleted)
            self._take([*{point.id: to_row(point) for point in update.stored}.values()])
            self._take(update.rows)


def _lock(path: Path) -> IO[bytes]:
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise StoreInUse("Another process uses this vector index.") from error
    return file
