"""The embedded vector index: Qdrant Edge in a folder, in this process.

Chosen because it is the fastest measured with filters, keywords and vectors in one engine, without
a service to run. What it demands in return shapes this module: it holds the interpreter lock in
every call, so nothing long (`optimize`, `flush`) is called while serving; one process may open a
folder; what it acknowledged survives the process (not the power) because it is in a log (`log.py`)
that is written again when the folder opens; it writes through memory-mapped files, so nothing is
written to a disk that may be full; and deleted points stay in its files until a build leaves them
behind.

Once the engine fails in a call, or a stored vector is not what can have been stored, the index is
damaged: nothing is read or written any more, and the next opening makes it anew. Half an answer
would look like a whole one. The same holds once a mapped file was cut short, which is looked at
before every use; the engine is then not even closed.

Every call goes through one lock. That costs nothing, as the engine's calls exclude each other
anyway, and lets a search see one state of one shard while writers write and builds swap shards.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import NamedTuple
from uuid import UUID

import numpy as np
import qdrant_edge as engine
from numpy.typing import NDArray

from wellworn.engines.storage import disk
from wellworn.engines.storage.vectors import shard as edge
from wellworn.engines.storage.vectors.checks import check_points, check_query, is_possible
from wellworn.engines.storage.vectors.folder import IndexFolder
from wellworn.engines.storage.vectors.log import Update, UpdateLog
from wellworn.engines.storage.vectors.mapped_files import MappedFiles
from wellworn.engines.storage.vectors.models import NO_NAMES, Point, Where
from wellworn.engines.storage.vectors.precision import round_point, round_scores, round_vector
from wellworn.engines.storage.vectors.settings import VectorSettings
from wellworn.engines.storage.vectors.statistics import Statistics
from wellworn.errors import DamagedStore, IndexCutShort, IndexUnavailable
from wellworn.kit.matches import Matches

_PAGE = 10_000
_CHECKED = 64
_LEAST_LOG_BYTES = 1 << 20
_DAMAGED = "The vector index is damaged; stop the server and run `wellworn rebuild`."
_CUT_SHORT = (
    "A file of the vector index was cut short. The index is made anew when the server starts again,"
    " as `wellworn serve` does by itself; call again in a few seconds."
)
_RETRY_AFTER_S = 5
_log = logging.getLogger(__name__)


class Build(NamedTuple):
    """The folders that a build reads from and writes to."""

    copy: Path
    new: Path


class _Copied(NamedTuple):
    """The counts at the time of the copy."""

    outside: int
    with_terms: int
    erasures: int


class EdgeVectorIndex:
    """A `VectorIndex` in a folder of its own, made when it is not there.

    Raises:
        StoreInUse: another index has the folder open.
        DamagedStore: the folder holds something that cannot be read; rebuild from SQL.
        IndexUnavailable: the folder cannot be used.
        StorageUnavailable: the disk is full.
    """

    def __init__(self, path: Path, settings: VectorSettings | None = None) -> None:
        self.settings = settings or VectorSettings()
        self._folder = IndexFolder(path)
        self._writing = Lock()
        self._engine = RLock()
        self._journal: list[Update] | None = None
        self._statistics = Statistics()
        self._outside = 0
        self._erasures = 0
        self._is_damaged = False
        self.is_cut_short = False
        self._copied = _Copied(0, 0, 0)
        try:
            # The log is written again when the folder opens.
            disk.require_space(path)
            self._number = self._prepare()
            self._shard: engine.EdgeShard | None = self._open()
            self._log = self._log_of(self._number)
        except BaseException:
            self._folder.release()
            raise

    def _prepare(self) -> int:
        number = self._folder.current()
        self._folder.sweep()
        if number is None:
            number = 1
            edge.create(self._folder.shard(number), self.settings)
            self._folder.point_to(number)
        return number

    def _open(self) -> engine.EdgeShard:
        saved = self._folder.take_statistics(self._number)
        shard = edge.load(self._folder.shard(self._number), self.settings)
        with edge.engine_errors(DamagedStore, "The vector index cannot be read; rebuild it."):
            self._statistics = self._count_terms(shard, saved)
            self._outside = edge.count_unindexed(shard, self._statistics.with_terms)
            self.has_graph = edge.has_graph(shard, self._statistics.with_terms)
        self._erasures = int(self._folder.holds_erased())
        self._mapped = MappedFiles(self._folder.shard(self._number))
        return shard

    def _log_of(self, number: int) -> UpdateLog:
        try:
            return UpdateLog(self._folder.shard(number))
        except OSError as error:
            raise IndexUnavailable("The log of the vector index cannot be written.") from error

    def _count_terms(self, shard: engine.EdgeShard, saved: bytes | None) -> Statistics:
        if saved and (statistics := Statistics.from_bytes(saved, points=edge.size(shard))):
            return statistics
        statistics = Statistics()
        statistics.add(edge.all_words(shard))
        return statistics

    def upsert(self, points: Sequence[Point]) -> None:
        check_points(points, self.settings.dimensions)
        if not points:
            return
        disk.require_space(self._folder.path)
        rounded_points = [*map(round_point, points)]
        self._update(Update(stored=rounded_points), {point.id for point in points})

    def delete(self, ids: Sequence[int]) -> None:
        stored = [number for number in ids if is_possible(number)]
        if stored:
            self._update(Update(deleted=stored), {*stored})

    def _update(self, update: Update, ids: set[int]) -> None:
        with edge.engine_errors(IndexUnavailable, "The points cannot be stored or removed."):
            operation = edge.operation(update)
        with self._writing, self._serving() as shard:
            before = edge.words_of(shard, ids)
            if update.deleted and before:
                self._remember_erasure()
            logged = self._log.size
            self._note(update)
            try:
                shard.update(operation)
            except BaseException:
                self._log.cut(logged)
                raise
            finally:
                # Read back instead of assumed: a failed update may have been applied in part.
                self._mapped.note_new()
                self._statistics.remove(before)
                after = edge.words_of(shard, ids)
                self._statistics.add(after)
                self._outside += sum(point.vector is not None for point in update.stored)
            if self._journal is not None:
                self._journal.append(update)

    def _note(self, update: Update) -> None:
        """Log an update; a deletion goes on even if the disk is full."""
        try:
            self._log.append(update)
        except OSError as error:
            if update.stored:
                raise IndexUnavailable("The log of the vector index cannot be written.") from error
            # After the death of the process it is the repair that removes what SQL does not have.
            _log.exception("a deletion from the vector index could not be logged")

    def _remember_erasure(self) -> None:
        self._erasures += 1
        try:
            self._folder.mark_erased()
        except OSError:
            # The deletion itself matters more than the files, and this process still counts it.
            _log.exception("a deletion from the vector index could not be marked")

    def candidates(
        self,
        vector: NDArray[np.float32],
        terms: Mapping[int, float],
        where: Where,
        *,
        limit: int,
        names: Mapping[int, float] = NO_NAMES,
    ) -> Matches:
        check_query(vector, terms, self.settings.dimensions)
        check_query(vector, names, self.settings.dimensions)
        if limit < 1:
            return Matches.of(())
        by_vector = edge.VectorSearch(round_vector(vector), self.settings)
        with self._serving() as shard:
            weighted = (self._statistics.weigh(asked, where.space) for asked in (terms, names))
            searches = [by_vector, *map(edge.TermSearch, weighted)]
            cosines, by_word, by_name = edge.search_lists(shard, searches, where, limit)
            # A vector that was overwritten comes out as the nearest or the farthest.
            order = sorted(cosines, key=cosines.__getitem__)
            edge.check_points(shard, order[:: max(1, len(order) - 1)])
        return round_scores(edge.join_lists(cosines, by_word, by_name))

    def rarity(self, terms: Iterable[int], space: str) -> dict[int, float]:
        with self._engine:
            # Asked in every call, and kept here: no file of the engine is read for it.
            self._check_usable()
            return self._statistics.rarity(terms, space)

    def ids(self) -> NDArray[np.int64]:
        ids: list[int] = []
        start: int | UUID | str | None = 0
        while start is not None:
            page = engine.ScrollRequest(start, _PAGE, with_payload=False, with_vector=False)
            with self._serving() as shard:
                records, start = shard.scroll(page)
            ids += [int(record.id) for record in records]
        return np.array(ids, dtype=np.int64)

    def count(self, space: str) -> int:
        with self._serving():
            return self._statistics.count(space)

    def flush(self) -> None:
        with self._writing, self._serving() as shard:
            shard.flush()
            self._log.cut(0)

    def close(self) -> None:
        with self._writing, self._engine:
            if self._shard is None:
                return
            shard, self._shard = self._shard, None
            try:
                self._look_for_cuts()
                if self.is_cut_short:
                    edge.abandon(shard)
                    return
                with edge.engine_errors(IndexUnavailable, "The vector index did not close well."):
                    shard.flush()
                self._log.cut(0)
                edge.close(shard)
                if not self._is_damaged:
                    self._save_statistics()
            finally:
                self._log.close()
                self._folder.release()

    def _save_statistics(self) -> None:
        try:
            self._folder.save_statistics(self._statistics.to_bytes(), self._number)
        except OSError:
            _log.warning("the term statistics could not be saved; opening reads them back")

    def check(self) -> None:
        """Look at some of the stored points.

        Raises:
            IndexUnavailable: the index is damaged.
        """
        page = engine.ScrollRequest(0, _CHECKED, with_payload=False, with_vector=False)
        with self._serving() as shard:
            records, _ = shard.scroll(page)
            edge.check_points(shard, [int(record.id) for record in records])

    def count_unindexed(self) -> int:
        """Count the points outside of every graph, searched one by one.

        A point stored again counts again. After opening it is the engine's own estimate.
        """
        with self._serving():
            return self._outside

    def holds_erased(self) -> bool:
        """Tell whether files hold points that were deleted; until a build leaves them behind."""
        return self._erasures > 0

    def is_untidy(self) -> bool:
        """Tell whether a build would save room: an old kind of shard, or a log half its size."""
        folder = self._folder.shard(self._number)
        if edge.is_of_before(folder):
            return True
        log = self._log.size
        return log >= _LEAST_LOG_BYTES and log > (disk.measure_folder(folder) - log) // 2

    def require_room(self) -> None:
        """Raise `StorageUnavailable` unless the disk has room for two more shards of this size."""
        size = disk.measure_folder(self._folder.shard(self._number))
        disk.require_space(self._folder.path, 2 * size + disk.LEAST_FREE_BYTES)

    def begin_build(self) -> Build:
        """Copy the shard, keep all updates from here on, and return where to read and write.

        Writers wait while the copy is made, searches do not. Nothing is flushed first: what the
        engine has not yet written to its segments is in the log, which is copied too.
        """
        with self._writing:
            self._check_open()
            copy = self._folder.copy(self._number)
            self._journal = []
            self._copied = _Copied(self._outside, self._statistics.with_terms, self._erasures)
            return Build(copy, self._folder.shard(self._number + 1))

    def finish_build(self) -> None:
        """Bring the built shard up to date and let it take the old one's place.

        Raises:
            IndexUnavailable: the new shard cannot be read or lacks points; it is not used.
        """
        log, retired = self._log_of(self._number + 1), None
        try:
            with edge.engine_errors(IndexUnavailable, "The built index cannot be read."):
                retired = fresh = edge.load(self._folder.shard(self._number + 1), self.settings)
                left = edge.count_unindexed(fresh, self._copied.with_terms)
            with self._writing:
                missed, self._journal = self._journal or [], []
            self._repeat(missed, fresh, log)
            with self._writing, self._serving() as old:
                self._repeat(self._journal, fresh, log)
                if edge.size(old) != edge.size(fresh):
                    raise IndexUnavailable("The built index lacks points.")
                self._folder.point_to(self._number + 1)
                self._number += 1
                self._shard, retired = fresh, old
                self._mapped = MappedFiles(self._folder.shard(self._number))
                self._log, log = log, self._log
                self._outside += left - self._copied.outside
                self._erasures -= self._copied.erasures
                self.has_graph = edge.has_graph(fresh, self._statistics.with_terms)
                self._journal = None
        finally:
            log.close()
            if retired is not None:
                edge.close(retired)

    def _repeat(self, updates: Sequence[Update], shard: engine.EdgeShard, log: UpdateLog) -> None:
        """Apply to a built shard what was written while it was built."""
        edge.replay(map(edge.operation, updates), shard)
        try:
            for update in updates:
                log.append(update)
        except OSError as error:
            raise IndexUnavailable("The log of the built index cannot be written.") from error

    def end_build(self) -> None:
        """Stop keeping updates, and remove every shard but the current one."""
        with self._writing:
            self._journal = None
            if self._shard is not None and self._folder.sweep() and not self._erasures:
                self._folder.unmark_erased()

    @contextmanager
    def _serving(self) -> Generator[engine.EdgeShard]:
        with self._engine:
            shard = self._check_open()
            try:
                with edge.engine_errors(IndexUnavailable, _DAMAGED):
                    yield shard
            except IndexUnavailable as error:
                if error.message == _DAMAGED:
                    self._is_damaged = True
                    self._folder.condemn()
                raise

    def _check_open(self) -> engine.EdgeShard:
        if self._shard is not None:
            self._look_for_cuts()
        return self._check_usable()

    def _check_usable(self) -> engine.EdgeShard:
        if self._shard is None:
            raise IndexUnavailable("The vector index is closed.")
        if self.is_cut_short:
            raise IndexCutShort(_CUT_SHORT, retry_after_s=_RETRY_AFTER_S)
        if self._is_damaged:
            raise IndexUnavailable(_DAMAGED)
        return self._shard

    def _look_for_cuts(self) -> None:
        if not self.is_cut_short and not self._mapped.are_whole():
            _log.error("%s", _CUT_SHORT)
            self.is_cut_short = self._is_damaged = True
            self._folder.condemn()
