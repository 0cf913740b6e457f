"""Topics and units on a plane: apart, beside what they are like, and there again the next day."""

from __future__ import annotations

import numpy as np

from wellworn.engines.retrieval.topics import find_radius, place_topics, spread_units, surround

DIMENSIONS = 96


def make_centroids(count, seed=3):
    """Return topics of which each two in a row are alike, and the others are not."""
    chance = np.random.default_rng(seed)
    pairs = chance.standard_normal((count // 2, DIMENSIONS))
    rows = np.repeat(pairs, 2, axis=0) + 0.4 * chance.standard_normal((count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def measure(spots):
    distance = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    return distance


def place(centroids, radii, before=None):
    return place_topics(
        centroids, radii, np.full((len(radii), 2), np.nan) if before is None else before
    )


def test_discs_do_not_overlap_and_leave_little_room():
    radii = np.array([find_radius(10 * number) for number in range(2, 26)])
    spots = place(make_centroids(24), radii)
    assert (measure(spots) - (radii[:, None] + radii[None])).min() > 0
    reach = (np.linalg.norm(spots, axis=1) + radii).max()
    assert (radii**2).sum() > 0.3 * reach**2


def test_topics_that_are_alike_lie_side_by_side():
    radii = np.full(24, 6.0)
    distance = measure(place(make_centroids(24), radii))
    pairs = [distance[row, row + 1] for row in range(0, 24, 2)]
    assert np.median(pairs) < 0.5 * np.median(distance[np.isfinite(distance)])


def test_what_was_there_stays_and_what_is_new_comes_beside_what_it_is_like():
    centroids, radii = make_centroids(24), np.full(24, 6.0)
    old = np.arange(24) != 7
    before = np.full((24, 2), np.nan)
    before[old] = place(centroids[old], radii[old])
    spots = place(centroids, radii * 1.03, before)
    reach = np.linalg.norm(before[old], axis=1).max()
    assert np.median(np.linalg.norm(spots[old] - before[old], axis=1)) < 0.05 * reach
    distance = measure(spots)
    assert (distance[7] < distance[7, 6]).sum() < 6
    assert (distance - 1.03 * 12).min() > 0


def test_the_same_is_placed_the_same():
    centroids, radii = make_centroids(10), np.full(10, 4.0)
    spots = place(centroids, radii)
    assert (spots == place(centroids, radii)).all()
    assert np.abs(place(centroids, radii, spots) - spots).max() < 0.01


def test_units_fill_their_disc_with_those_that_are_alike_together():
    chance = np.random.default_rng(5)
    kinds = chance.standard_normal((3, DIMENSIONS))
    units = np.repeat(kinds, 40, axis=0) + 0.3 * chance.standard_normal((120, DIMENSIONS))
    spots = spread_units(units.astype(np.float32))
    assert np.linalg.norm(spots, axis=1).max() <= 1
    assert 0.6 < np.linalg.norm(spots, axis=1).mean() < 0.72
    nearest = measure(spots).argmin(axis=1) // 40
    assert (nearest == np.arange(120) // 40).mean() > 0.9


def test_units_move_little_when_some_come():
    chance = np.random.default_rng(6)
    axes = np.linspace(3, 0.2, DIMENSIONS)
    units = (chance.standard_normal((210, DIMENSIONS)) * axes).astype(np.float32)
    before, after = spread_units(units[:200]), spread_units(units)[:200]
    assert np.median(np.linalg.norm(before - after, axis=1)) < 0.1


def test_equal_units_are_spread_all_the_same():
    spots = spread_units(np.ones((50, DIMENSIONS), np.float32))
    assert measure(spots).min() > 0.05
    assert spread_units(np.ones((1, DIMENSIONS), np.float32)).tolist() == [[0, 0]]
    assert spread_units(np.ones((0, DIMENSIONS), np.float32)).shape == (0, 2)


def test_what_is_in_no_topic_lies_around_the_nearest():
    centroids, radii = make_centroids(4), np.array([3.0, 4.0, 5.0, 6.0])
    spots = place(centroids, radii)
    around = surround(centroids, centroids, spots, radii)
    away = np.linalg.norm(around - spots, axis=1)
    assert (away >= radii).all()
    assert (away <= 1.6 * radii).all()


def test_nothing_is_placed_nowhere():
    assert place(np.zeros((0, DIMENSIONS), np.float32), np.zeros(0)).shape == (0, 2)
