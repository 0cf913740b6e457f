"""Topics: what is near is together, nothing is twice, and the same units give the same tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.words import pack_word_counts
from wellworn.engines.retrieval.topics import TopicEncoder, cluster_topics, compute_centroids
from wellworn.engines.retrieval.topics.clustering import DEEPEST, DIVIDED_ABOVE, FEWEST

DIMENSIONS = 32


def bunches(sizes, *, spread=0.15, seed=0):
    """Return units of length one around as many middles as there are sizes, and whose they are."""
    chance = np.random.default_rng(seed)
    middle = np.repeat(chance.standard_normal((len(sizes), DIMENSIONS)), sizes, axis=0)
    found = middle + spread * chance.standard_normal(middle.shape) * np.sqrt(1.0)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype(np.float32), np.repeat(np.arange(len(sizes)), sizes)


def every(branches):
    for branch in branches:
        yield branch
        yield from every(branch.children)


def code(*signs):
    return np.packbits(np.array(signs, bool), axis=1).tobytes()


def test_bunches_are_topics_and_the_largest_comes_first():
    vectors, whose = bunches([6, 12, 9])
    found = cluster_topics(vectors)
    assert [set(whose[one.members].tolist()) for one in found] == [{1}, {2}, {0}]
    assert [len(one.members) for one in found] == [12, 9, 6]


def test_what_is_near_to_nothing_is_in_no_topic():
    vectors, _ = bunches([8, 1, 1])
    [only] = cluster_topics(vectors)
    assert sorted(only.members.tolist()) == list(range(8))


def test_what_has_hardly_anything_in_common_is_no_topic():
    # Each two have a cosine of 0.1.
    vectors = np.hstack([0.9**0.5 * np.eye(8), np.full((8, 1), 0.1**0.5)]).astype(np.float32)
    assert cluster_topics(vectors) == ()


@pytest.mark.parametrize("size", range(FEWEST))
def test_fewer_than_three_units_have_no_topics(size):
    assert cluster_topics(bunches([2])[0][:size]) == ()


def test_the_most_central_member_comes_first():
    vectors, _ = bunches([9], spread=0.5)
    [only] = cluster_topics(vectors)
    middle = vectors.mean(axis=0)
    assert only.members[0] == np.argmax(vectors @ middle)


def test_a_large_topic_is_divided_and_a_small_one_is_not():
    chance = np.random.default_rng(1)
    large, _ = bunches([20, 20, 20], seed=2)
    other, _ = bunches([20], seed=3)
    # Three bunches with much in common, far from the fourth.
    large = large + 2 * chance.standard_normal(DIMENSIONS).astype(np.float32)
    large /= np.linalg.norm(large, axis=1, keepdims=True)
    vectors = np.concatenate([large, other])
    found = cluster_topics(vectors)
    for one in found:
        assert bool(one.children) == (len(one.members) > DIVIDED_ABOVE[0])
    leaves = [one for one in every(found) if not one.children]
    assert all(len({row // 20 for row in one.members.tolist()}) == 1 for one in leaves)


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=6), st.floats(0.05, 1.5), st.integers(0, 9)
)
def test_topics_inside_hold_members_of_the_outer_one_each_once(sizes, spread, seed):
    vectors, _ = bunches(sizes, spread=spread, seed=seed)

    def check(branches, allowed, depth):
        assert depth <= DEEPEST
        rows = [row for one in branches for row in one.members.tolist()]
        assert len(rows) == len(set(rows))
        assert set(rows) <= allowed
        assert all(len(one.members) >= FEWEST for one in branches)
        assert [len(one.members) for one in branches] == sorted(
            (len(one.members) for one in branches), reverse=True
        )
        for one in branches:
            if one.children:
                check(one.children, set(one.members.tolist()), depth + 1)

    check(cluster_topics(vectors), set(range(len(vectors))), 1)


def test_the_same_units_have_the_same_topics():
    vectors, _ = bunches([30, 50, 20, 5], spread=0.8)
    told = [[one.members.tolist() for one in every(cluster_topics(vectors))] for _ in range(2)]
    assert told[0] == told[1]


def test_a_middle_lies_nearest_to_its_own_topic():
    vectors, whose = bunches([6, 12, 9])
    found = cluster_topics(vectors)
    nearest = (vectors @ compute_centroids([one.members for one in found], vectors).T).argmax(
        axis=1
    )
    assert nearest.tolist() == [{1: 0, 2: 1, 0: 2}[one] for one in whose.tolist()]
    assert compute_centroids((), vectors).shape == (0, DIMENSIONS)


def test_units_of_the_same_pieces_and_words_are_seen_alike():
    chance = np.random.default_rng(4)
    pieces = chance.random((6, 4, 128)) < 0.5
    codes = [code(*each) for each in pieces[[0, 0, 1, 2, 3, 4]]]
    counts = [
        pack_word_counts(text) for text in ("oil lamp", "oil lamp", "salt", "rope", "wind", "tide")
    ]
    seen = TopicEncoder.fit(codes, counts).encode(codes, counts)
    assert np.allclose(np.linalg.norm(seen, axis=1), 1.0, atol=1e-5)
    cosines = seen @ seen.T
    assert cosines[0, 1] == pytest.approx(1.0, abs=1e-5)
    assert cosines[0, 2:].max() < 0.6


def test_a_rare_word_in_common_brings_nearer_than_one_that_all_have():
    texts = ["all fresnel", "all fresnel", "all rope", *(f"all word{at}" for at in range(20))]
    counts = [pack_word_counts(text) for text in texts]
    codes = [b""] * len(texts)
    cosines = (seen := TopicEncoder.fit(codes, counts).encode(codes, counts)) @ seen.T
    assert cosines[0, 1] > 0.99
    assert cosines[0, 2] < 0.5


def test_units_without_pieces_or_words_are_near_to_nothing():
    seen = TopicEncoder.fit([b"", b""], [b"", b""]).encode([b""], [b""])
    assert not seen.any()
    assert TopicEncoder.fit([], []).encode([b""], [pack_word_counts("oil")]).shape == seen.shape
