"""An index made to agree with its units, whatever was lost, left over, or came in between."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import (
    PASSAGES,
    IndexRepair,
    Labels,
    Made,
    Point,
    point_id,
    point_ids,
    unit_of,
)
from wellworn.engines.storage.vectors.passages import BATCH, units_of
from wellworn.testing.vectors import ListVectorIndex

UNITS = st.integers(1, (2**63 - 1) // PASSAGES - 1)


class Shelf:
    """Units of two passages each, and an index of them."""

    def __init__(self, database, living):
        self.living = set(living)
        self.index = ListVectorIndex(dimensions=2)
        self.batches = []
        self.kept = []
        self.repair = IndexRepair(database, self.index, living=self.alive, made=self.made)

    def alive(self, _, units):
        return self.living if units is None else self.living & set(units)

    def points(self, units):
        self.batches.append(len(units))
        vector = np.array([1.0, 0.0], dtype=np.float32)
        return [
            Point(point_id(unit, passage), vector, {}, Labels("s"))
            for unit in units
            if unit in self.living
            for passage in range(2)
        ]

    def made(self, units):
        return Made(self.points(units), lambda _, living: self.kept.append(sorted(living)))

    def indexed(self):
        return units_of(self.index.ids()).tolist()


@pytest.fixture
def shelf(tmp_path):
    database = Database(tmp_path / "units.db")
    yield lambda living: Shelf(database, living)
    database.close()


@given(UNITS, st.integers(0, PASSAGES - 1))
def test_a_points_number_tells_its_unit(unit, passage):
    assert unit_of(point_id(unit, passage)) == unit
    assert units_of(np.array([point_id(unit, passage)], dtype=np.int64)).tolist() == [unit]
    assert point_id(unit, passage) in point_ids(unit)


@pytest.mark.slow
@given(UNITS)
def test_units_share_no_point(unit):
    assert len(set(point_ids(unit))) == PASSAGES
    assert set(point_ids(unit)).isdisjoint(point_ids(unit + 1))


@given(st.sets(st.integers(1, 300)), st.sets(st.integers(1, 300)))
def test_a_repaired_index_holds_exactly_what_lives(shelf, living, indexed):
    units = shelf(indexed)
    units.repair.index(sorted(indexed))
    units.living = set(living)
    missing = units.repair.missing()
    assert missing == sorted(living - indexed)
    units.repair.index(missing)
    assert units.indexed() == sorted(living)
    assert units.repair.missing() == []


def test_units_are_indexed_in_batches_and_each_is_told(shelf):
    units = shelf(range(1, BATCH + 11))
    told = []
    units.repair.index(sorted(units.living), told.append)
    assert (units.batches, told) == ([BATCH, 10], [BATCH, BATCH + 10])


def test_a_unit_that_goes_while_it_is_embedded_does_not_come_back(shelf, monkeypatch):
    units = shelf([1, 2])
    embed = units.made

    def embedding(asked):
        made = embed(asked)
        units.living.discard(1)
        return made

    monkeypatch.setattr(units.repair, "_made", embedding)
    units.repair.index([1, 2])
    assert units.indexed() == [2]
    # What stands beside the points is kept of what is still there, and of nothing else.
    assert units.kept == [[2]]


def test_a_unit_that_comes_while_strays_are_looked_for_keeps_its_points(shelf, monkeypatch):
    units = shelf([1])
    ids = units.index.ids

    def storing():
        units.living.add(2)
        units.index.upsert(units.points([2]))
        return ids()

    monkeypatch.setattr(units.index, "ids", storing)
    units.repair.index([1])
    assert units.repair.missing() == []
    monkeypatch.undo()
    assert units.indexed() == [1, 2]
