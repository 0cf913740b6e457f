"""The exact index: what the double answers, and what its database says after a failure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.storage.sql import RamDatabase
from wellworn.engines.storage.vectors import (
    ExactVectorIndex,
    Labels,
    Point,
    Where,
)
from wellworn.engines.storage.vectors.exact import idf
from wellworn.errors import DamagedStore, StorageUnavailable
from wellworn.testing.persistence_contract import answers
from wellworn.testing.vectors import DIMENSIONS, ListVectorIndex, axis, point, points

WIDE = 48


@pytest.fixture
def database():
    made = RamDatabase()
    yield made
    made.close()


@pytest.fixture
def index(database):
    made = ExactVectorIndex(database, dimensions=DIMENSIONS)
    yield made
    made.close()


def unit(chance):
    drawn = chance.normal(size=WIDE).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def terms(chance, most):
    return {int(term): float(chance.random() + 0.01) for term in chance.zipf(1.5, most) % 300}


def drawn_points(chance, count):
    return [
        Point(
            number,
            unit(chance),
            terms(chance, 12),
            Labels(
                ("meadow", "forest")[int(chance.integers(4)) == 0],
                f"agent-{chance.integers(4)}",
                frozenset(f"tag-{tag}" for tag in chance.integers(0, 9, 3)),
            ),
        )
        for number in chance.permutation(np.arange(1, count + 1)).tolist()
    ]


HERE = Where("meadow")
WHERES = [
    Where("meadow"),
    Where("forest"),
    Where("meadow", any_tags=frozenset({"tag-1", "tag-2"})),
    Where("meadow", all_tags=frozenset({"tag-3", "tag-4"}), not_contributor="agent-1"),
    Where("meadow", not_contributor="nobody", any_tags=frozenset({"never"})),
]


def test_it_finds_what_the_double_finds_the_nearest_first(database):
    chance = np.random.default_rng(5)
    double = ListVectorIndex(WIDE)
    exact = ExactVectorIndex(database, dimensions=WIDE)
    stored = drawn_points(chance, 600)
    again = [Point(one.id, unit(chance), terms(chance, 9), one.labels) for one in stored[:90]]
    gone = [one.id for one in stored[60:140]]
    for index in (double, exact):
        index.upsert(stored)
        index.upsert(again)
        index.delete(gone)
    compared = 0
    for number in range(60):
        query, words = unit(chance), terms(chance, 6)
        names = terms(chance, 4) if number % 2 else {}
        where, limit = WHERES[number % len(WHERES)], (1, 10, 50)[number % 3]
        expected = double.candidates(query, words, where, limit=limit, names=names)
        found = exact.candidates(query, words, where, limit=limit, names=names)
        scores = {one.id: one[1:] for one in expected}
        shared = [one for one in found if one.id in scores]
        # The double rounds before it ranks, so that the last of a list may be another.
        assert max(len(found), len(expected)) - len(shared) <= 1
        assert np.array([one[1:] for one in shared]) == pytest.approx(
            np.array([scores[one.id] for one in shared]), abs=2e-4
        )
        assert [one.cosine for one in found] == sorted((one.cosine for one in found), reverse=True)
        compared += len(shared)
    assert compared > 1000


@pytest.mark.parametrize("order", [[5, 3, 9, 1, 7], [9, 7, 5, 3, 1], [1, 3, 5, 7, 9]])
def test_of_equal_points_those_stored_first_are_found(index, order):
    index.upsert([point(20, axis(1))])
    for number in order:
        index.upsert([point(number, axis(0), {7: 1.0})])
    for query, words in ((axis(0), {}), (axis(1), {7: 1.0})):
        found = index.candidates(query, words, HERE, limit=2)
        assert {*order[:2]} <= {one.id for one in found}
        assert {*order[2:]}.isdisjoint(one.id for one in found)


@pytest.mark.parametrize("kept", ["<f2", "<f4"])
def test_points_are_read_in_the_precision_of_today_and_of_before(database, index, kept):
    index.upsert(points(3, 40))
    before = answers(index)
    with database.write() as transaction:
        rows = transaction.exec_driver_sql("SELECT id, vector FROM points").all()
        for number, stored in rows:
            vector = np.frombuffer(stored, "<f2").astype(kept).tobytes()
            transaction.exec_driver_sql(
                "UPDATE points SET vector = ? WHERE id = ?", (vector, number)
            )
    again = ExactVectorIndex(database, dimensions=DIMENSIONS)
    assert answers(again) == before


def test_equal_vectors_have_equal_cosines_wherever_they_are(database):
    exact = ExactVectorIndex(database, dimensions=WIDE)
    chance = np.random.default_rng(1)
    vector, query = unit(chance), unit(chance)
    others = [Point(number, unit(chance), {}, Labels("meadow")) for number in range(200, 400)]
    for number in range(1, 40):
        exact.upsert([Point(number, vector, {}, Labels("meadow")), *others[number : number + 3]])
    found = exact.candidates(query, {}, Where("meadow"), limit=500)
    assert len({one.cosine for one in found if one.id < 40}) == 1
    assert len(found) == 80


def fail(database, *steps):
    with database.write():
        for step in steps:
            step()
        raise ValueError("stop")


@pytest.mark.parametrize(
    "steps",
    [
        [lambda index: index.upsert(points(9, 50))],
        [lambda index: index.upsert([point(3, axis(0))])],
        [lambda index: index.delete([1, 2, 3, 500])],
        [lambda index: index.delete([*range(1, 31)])],
        [
            lambda index: index.upsert([point(3, axis(0)), point(77, axis(1), {3: 1.0})]),
            lambda index: index.upsert([point(3, axis(2)), point(77, axis(3))]),
            lambda index: index.delete([3, 4, 77]),
        ],
    ],
)
def test_a_failed_transaction_leaves_the_index_as_it_was(database, index, steps):
    index.upsert(points(4, 30))
    before = answers(index)
    with pytest.raises(ValueError, match="stop"):
        fail(database, *(lambda step=step: step(index) for step in steps))
    assert answers(index) == before
    again = ExactVectorIndex(database, dimensions=DIMENSIONS)
    assert answers(again) == before


def test_a_failed_part_of_a_transaction_is_undone_alone(database, index):
    expected = ListVectorIndex(DIMENSIONS)
    expected.upsert([*points(4, 30), point(90, axis(1))])
    with database.write():
        index.upsert(points(4, 30))
        with pytest.raises(ValueError, match="stop"):
            fail(database, lambda: index.upsert(points(9, 50)), lambda: index.delete([7]))
        index.upsert([point(90, axis(1))])
    assert answers(index) == answers(expected)


class Full:
    """A journal without room."""

    room = True

    def append(self, changes):
        if not self.room:
            raise StorageUnavailable("full")

    def checkpoint(self): ...

    def settle(self): ...


def test_a_journal_that_fails_leaves_the_index_as_it_was():
    journal = Full()
    database = RamDatabase(journal=journal)
    index = ExactVectorIndex(database, dimensions=DIMENSIONS)
    index.upsert(points(4, 30))
    before = answers(index)
    journal.room = False
    for step in (lambda: index.upsert(points(9, 40)), lambda: index.delete([1, 2])):
        with pytest.raises(StorageUnavailable):
            step()
    assert answers(index) == before
    database.close()


@pytest.mark.slow
def test_many_replacements_and_deletions_lose_nothing(database, index):
    chance = np.random.default_rng(3)
    expected = ListVectorIndex(DIMENSIONS)
    for round_number in range(60):
        batch = points(round_number, 100)
        gone = chance.integers(1, 100, 20).tolist()
        for one in (index, expected):
            one.upsert(batch)
            one.delete(gone)
    assert answers(index) == answers(expected)
    assert index._rows.size < 3000
    assert answers(ExactVectorIndex(database, dimensions=DIMENSIONS)) == answers(expected)


def test_more_points_than_it_made_room_for_are_found(index):
    expected = ListVectorIndex(DIMENSIONS)
    for start in range(0, 3000, 500):
        batch = [point(start + number, terms={number % 7: 1.0}) for number in range(1, 501)]
        index.upsert(batch)
        expected.upsert(batch)
    found = index.candidates(axis(2), {3: 1.0}, Where("meadow"), limit=20)
    by_meaning = expected.candidates(axis(2), {}, Where("meadow"), limit=20)
    assert {one.id for one in by_meaning} <= {one.id for one in found}
    assert index.ids().tolist() == expected.ids().tolist()


def test_two_indexes_share_a_database(database, index):
    other = ExactVectorIndex(database, name="practices", dimensions=DIMENSIONS)
    other.upsert([point(1, axis(3))])
    index.upsert([point(2, axis(3))])
    assert other.ids().tolist() == [1]
    assert index.ids().tolist() == [2]


def test_stored_vectors_of_another_length_are_not_opened(database, index):
    index.upsert([point(1)])
    with pytest.raises(DamagedStore):
        ExactVectorIndex(database, dimensions=DIMENSIONS + 1)


def test_a_table_is_named_by_a_word(database):
    with pytest.raises(ValueError, match="word"):
        ExactVectorIndex(database, name="points; DROP TABLE thoughts")


def test_a_closed_index_keeps_no_vector(database):
    index = ExactVectorIndex(database, dimensions=DIMENSIONS)
    index.upsert([point(1, axis(0))])
    held = index._rows.vectors
    index.close()
    assert not held.any()


def test_a_deleted_vector_is_overwritten(index):
    index.upsert([point(1, axis(0))])
    held = index._rows.vectors
    index.delete([1])
    assert not held.any()


@given(points=st.integers(1, 10**6), data=st.data())
def test_idf_is_positive_and_falls_as_more_points_hold_a_term(points, data):
    holding = data.draw(st.integers(1, points))
    assert idf(points, holding) > 0
    if holding > 1:
        assert idf(points, holding - 1) > idf(points, holding)


def test_idf_is_the_one_of_bm25():
    assert idf(10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))
