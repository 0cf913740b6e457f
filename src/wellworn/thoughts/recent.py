"""Units that searches read lately, kept in memory: a search reads hundreds, mostly the same ones.

A unit that is kept never becomes wrong. A thought's words do not change, nothing that is held is
kept, and what is out of quarantine never goes back. What is erased leaves the vector index before
its transaction ends, so that no search asks for it again; and all that is shown is read anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final, NamedTuple

from wellworn.retrieval import Unit

ROOM_BYTES: Final = 64 * 1024 * 1024
"""Some 70,000 turns."""

_OBJECTS_BYTES: Final = 500
"""What a unit takes beside its codes and counts."""


class _Kept(NamedTuple):
    space: str
    unit: Unit


class RecentUnits:
    """Units of all spaces of one database, at most so many bytes of them; safe in threads.

    In two halves: what comes goes into the younger one, also from the older one when it is asked
    for; when that is full the older one is dropped.
    """

    def __init__(self, room_bytes: int = ROOM_BYTES) -> None:
        self._half = room_bytes // 2
        self._size = 0
        self._younger: dict[int, _Kept] = {}
        self._older: dict[int, _Kept] = {}
        self._lock = Lock()

    def known(self, space: str, seqs: Iterable[int]) -> dict[int, Unit]:
        """Return those of these thoughts that are kept and in this space, without a match."""
        found: dict[int, Unit] = {}
        with self._lock:
            younger, older = self._younger, self._older
            for seq in seqs:
                kept = younger.get(seq)
                if kept is None and (kept := older.get(seq)):
                    self._put(kept)
                if kept and kept.space == space:
                    found[seq] = kept.unit
        return found

    def keep(self, space: str, units: Iterable[Unit]) -> None:
        """Keep units without a match; not those of which nothing is known yet."""
        with self._lock:
            for unit in units:
                if unit.codes or unit.counts:
                    self._put(_Kept(space, unit))

    def forget(self, seqs: Iterable[int]) -> None:
        """Drop what is kept of thoughts that are gone."""
        with self._lock:
            for seq in seqs:
                self._younger.pop(seq, None)
                self._older.pop(seq, None)

    def _put(self, kept: _Kept) -> None:
        size = len(kept.unit.codes) + len(kept.unit.counts) + _OBJECTS_BYTES
        if self._size + size > self._half:
            self._older, self._younger, self._size = self._younger, {}, 0
        self._younger[kept.unit.id] = kept
        self._size += size
