"""A unit of text as several points of an index, and an index made to agree with its units.

A text longer than the encoder's window is cut into passages, each a point of its own, so that a
fact at its very end is found as well as one at its start. The units stand in the database, which is
the truth: a process that died between the index and the commit leaves a point too many, a lost or
replaced index lacks all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors.models import Point, VectorIndex

Ids = TypeVar("Ids", int, NDArray[np.int64])

PASSAGES: Final = 64
"""Passages a unit can have; what is beyond them is not indexed."""
BATCH: Final = 128


def point_id(unit: int, passage: int) -> int:
    """Return the point id of a unit's passage, the first being 0."""
    return unit * PASSAGES + passage


def point_ids(unit: int) -> list[int]:
    """Return every point id that a unit may have."""
    return [point_id(unit, passage) for passage in range(PASSAGES)]


def points_in(index: VectorIndex, units: Sequence[int]) -> list[int]:
    """Return the ids of the points that an index has of units, however few of the many possible."""
    held = index.ids()
    return held[np.isin(held // PASSAGES, units)].tolist()


def unit_of(point: Ids) -> Ids:
    """Return the number of the unit that a point is a passage of, or those of many points."""
    return point // PASSAGES


def units_of(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the units that point ids belong to, each once, ascending."""
    return np.unique(points // PASSAGES)


@dataclass(frozen=True, slots=True)
class Made:
    """Units made ready: their points, and how to keep what belongs beside these.

    `keep` is called with those units that are still there, in the transaction that indexes them.
    """

    points: Sequence[Point]
    keep: Callable[[Transaction, Collection[int]], None] = lambda _, __: None


class IndexRepair:
    """Compares an index with its units and repairs it; safe to run while the memory serves.

    Args:
        living: tells which of these units are there, or with None all that are.
        made: embeds units; those that are gone are left out.
        is_apart: whether nobody is served from the index yet. Then writers do not wait for it, and
            what is erased meanwhile is removed when it is looked at next.
    """

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        *,
        living: Callable[[Transaction, Sequence[int] | None], Collection[int]],
        made: Callable[[Sequence[int]], Made],
        is_apart: bool = False,
    ) -> None:
        self._lock = database.read if is_apart else database.write
        self._database = database
        self._index = index
        self._living = living
        self._made = made

    def missing(self) -> list[int]:
        """Remove points without a living unit; return the units without a point, ascending."""
        with self._database.read() as transaction:
            living = np.array(sorted(self._living(transaction, None)), dtype=np.int64)
        indexed = units_of(self._index.ids())
        self._remove(np.setdiff1d(indexed, living).tolist())
        return np.setdiff1d(living, indexed).tolist()

    def _remove(self, suspects: Sequence[int]) -> None:
        for batch in _batches(suspects):
            # Under the write lock: what looked astray may be a unit that was just being stored.
            with self._lock() as transaction:
                for stray in set(batch).difference(self._living(transaction, batch)):
                    self._index.delete(point_ids(stray))

    def index(self, units: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index units, in batches; `advance` is told how many are done."""
        done = 0
        for batch in _batches(units):
            self.store(batch, self._made(batch))
            done += len(batch)
            advance(done)

    def store(self, units: Sequence[int], made: Made) -> None:
        """Store what was made of units in one transaction."""
        # Under the write lock, so that a unit erased meanwhile does not come back.
        with self._lock() as transaction:
            living = set(self._living(transaction, units))
            self._index.upsert([point for point in made.points if unit_of(point.id) in living])
            made.keep(transaction, living)


def _batches(units: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(units), BATCH):
        yield units[start : start + BATCH]
