"""A cache of ranking units: a search reads hundreds of them, mostly the same ones.

Cached units do not become stale. The content of a thought does not change, held thoughts are not
cached, and nothing returns into quarantine. Those of thoughts that waited to be embedded are
replaced when they are. An erased thought leaves the vector index before its
transaction ends, so no search asks for it again; and all that is shown is read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from threading import Lock
from typing import Final

from wellworn.engines.retrieval import Unit

CACHE_BYTES: Final = 128 * 1024 * 1024
CACHED_UNITS: Final = 100_000
"""About how many turns fit in."""

_OBJECTS_BYTES: Final = 500
"""The size of a unit without its codes and counts."""


_Units = defaultdict[str, dict[int, Unit]]
"""By space and seq, without further objects, which would slow the garbage collector."""


class UnitCache:
    """Units of all spaces of one database, limited in bytes and safe in threads.

    New units go into the younger of two halves, and so do those of the older half that are found;
    when the younger half is full, the older one is dropped.
    """

    def __init__(self, limit_bytes: int = CACHE_BYTES) -> None:
        self._half = limit_bytes // 2
        self._size = 0
        self._younger: _Units = defaultdict(dict)
        self._older: _Units = defaultdict(dict)
        self._lock = Lock()

    def find(self, space: str, seqs: Iterable[int]) -> dict[int, Unit]:
        """Return the cached units of these thoughts, without a match."""
        units: dict[int, Unit] = {}
        with self._lock:
            younger, older = self._younger[space], self._older[space]
            for seq in seqs:
                unit = younger.get(seq)
                if unit is None and (unit := older.get(seq)):
                    self._put(space, unit)
                if unit is not None:
                    units[seq] = unit
        return units

    def put(self, space: str, units: Iterable[Unit]) -> None:
        """Cache units without a match; those without features are skipped.

        What is cached stays: it may have been replaced since these units were read.
        """
        with self._lock:
            younger, older = self._younger[space], self._older[space]
            for unit in units:
                is_cached = unit.id in younger or unit.id in older
                if not is_cached and (unit.codes or unit.counts):
                    self._put(space, unit)

    def replace(self, space: str, unit: Unit) -> None:
        """Cache a unit in place of what was cached of the thought."""
        with self._lock:
            self._put(space, unit)

    def discard(self, seqs: Iterable[int]) -> None:
        """Remove the units of deleted thoughts."""
        deleted = frozenset(seqs)
        with self._lock:
            for units in (*self._younger.values(), *self._older.values()):
                for seq in deleted & units.keys():
                    del units[seq]

    def _put(self, space: str, unit: Unit) -> None:
        size = len(unit.codes) + len(unit.counts) + _OBJECTS_BYTES
        if self._size + size > self._half:
            self._older, self._younger, self._size = self._younger, defaultdict(dict), 0
        self._younger[space][unit.id] = unit
        self._size += size
