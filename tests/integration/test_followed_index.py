"""An index that is followed: a copy of it holds and finds the same, whatever is done in between."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from integration.index_world import MANY, SETTINGS, held
from wellworn.engines.storage.vectors import FollowedVectorIndex, IndexBuilder, Where
from wellworn.errors import IndexUnavailable
from wellworn.testing.vectors import DIMENSIONS, SPACES, point, points


@pytest.fixture
def index(tmp_path):
    made = FollowedVectorIndex(tmp_path / "index", SETTINGS)
    made.upsert(points(1, MANY))
    yield made
    made.close()


@pytest.fixture
def followed(index, tmp_path):
    """The index, the updates since it was copied, and the copy."""
    updates = []
    index.follow(tmp_path / "copy", updates.append)
    copy = FollowedVectorIndex(tmp_path / "copy", SETTINGS)
    yield index, updates, copy
    copy.close()


def found(index, space):
    one = point(7)
    return index.candidates(one.vector, one.terms, Where(space), limit=20)


def test_a_copy_holds_what_the_index_held_and_finds_the_same(followed):
    index, updates, copy = followed
    assert not updates
    assert held(copy) == held(index)
    for space in SPACES:
        assert [*found(copy, space)] == [*found(index, space)]


def test_what_is_stored_and_deleted_later_reaches_the_copy(followed):
    index, updates, copy = followed
    index.upsert(points(MANY + 1, MANY + 40))
    index.delete([1, 2, MANY + 3])
    index.upsert([point(2)])
    for update in updates:
        copy.repeat(update)
    assert held(copy) == held(index)
    assert {1, MANY + 3}.isdisjoint(copy.ids().tolist())
    assert [copy.count(space) for space in SPACES] == [index.count(space) for space in SPACES]
    for space in SPACES:
        assert [*found(copy, space)] == [*found(index, space)]


def test_nothing_is_missed_between_the_copy_and_the_updates(index, tmp_path):
    def store(start):
        for number in range(start, start + 50):
            index.upsert([point(number)])

    starts = [MANY + 1 + 50 * writer for writer in range(3)]
    writers = [threading.Thread(target=store, args=[start]) for start in starts]
    for writer in writers:
        writer.start()
    updates = []
    index.follow(tmp_path / "copy", updates.append)
    for writer in writers:
        writer.join()
    copy = FollowedVectorIndex(tmp_path / "copy", SETTINGS)
    for update in updates:
        copy.repeat(update)
    assert held(copy) == held(index)
    copy.close()


def test_a_refused_update_and_one_after_unfollowing_are_not_told(index, tmp_path):
    updates = []
    tell = updates.append
    index.follow(tmp_path / "copy", tell)
    with pytest.raises(IndexUnavailable):
        index.upsert([replace(point(MANY + 1), vector=np.full(DIMENSIONS, 9.0, np.float32))])
    assert not updates
    index.unfollow(tell)
    index.upsert([point(MANY + 1)])
    assert not updates


def test_a_build_makes_another_shard_and_goes_on_telling(followed):
    index, updates, copy = followed
    before = index.number
    assert IndexBuilder(index).run_if_due()
    assert index.number != before
    index.upsert([point(MANY + 1)])
    for update in updates:
        copy.repeat(update)
    assert held(copy) == held(index)


def test_a_closed_index_cannot_be_copied(index, tmp_path):
    index.close()
    with pytest.raises(IndexUnavailable):
        index.follow(tmp_path / "copy", print)
