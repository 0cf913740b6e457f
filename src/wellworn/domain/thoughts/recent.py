"""Units that searches read lately, kept in memory: a search reads hundreds, mostly the same ones.

A unit that is kept never becomes wrong. A thought's words do not change, nothing that is held is
kept, and what is out of quarantine never goes back. What is erased leaves the vector index before
its transaction ends, so that no search asks for it again; and all that is shown is read anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from threading import Lock
from typing import Final

from wellworn.engines.retrieval import Unit

ROOM_BYTES: Final = 128 * 1024 * 1024
UNITS: Final = 100_000
"""Some turns that there is room for."""

_OBJECTS_BYTES: Final = 500
"""What a unit takes beside its codes and counts."""


_Units = defaultdict[str, dict[int, Unit]]
"""By space and number: units are many, and every object more slows the collector of garbage."""


class RecentUnits:
    """Units of all spaces of one database, at most so many bytes of them; safe in threads.

    In two halves: what comes goes into the younger one, also from the older one when it is asked
    for; when that is full the older one is dropped.
    """

    def __init__(self, room_bytes: int = ROOM_BYTES) -> None:
        self._half = room_bytes // 2
        self._size = 0
        self._younger: _Units = defaultdict(dict)
        self._older: _Units = defaultdict(dict)
        self._lock = Lock()

    def known(self, space: str, seqs: Iterable[int]) -> dict[int, Unit]:
        """Return those of these thoughts of a space that are kept, without a match."""
        found: dict[int, Unit] = {}
        with self._lock:
            younger, older = self._younger[space], self._older[space]
            for seq in seqs:
                unit = younger.get(seq)
                if unit is None and (unit := older.get(seq)):
                    self._put(space, unit)
                if unit is not None:
                    found[seq] = unit
        return found

    def keep(self, space: str, units: Iterable[Unit]) -> None:
        """Keep units without a match; not those of which nothing is known yet."""
        with self._lock:
            for unit in units:
                if unit.codes or unit.counts:
                    self._put(space, unit)

    def forget(self, seqs: Iterable[int]) -> None:
        """Drop what is kept of thoughts that are gone."""
        gone = frozenset(seqs)
        with self._lock:
            for kept in (*self._younger.values(), *self._older.values()):
                for seq in gone & kept.keys():
                    del kept[seq]

    def _put(self, space: str, unit: Unit) -> None:
        size = len(unit.codes) + len(unit.counts) + _OBJECTS_BYTES
        if self._size + size > self._half:
            self._older, self._younger, self._size = self._younger, defaultdict(dict), 0
        self._younger[space][unit.id] = unit
        self._size += size
