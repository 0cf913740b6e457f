"""The numbers kept of a vector: those of half precision, and near enough to what was given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.storage.vectors.precision import round_scores, round_vector, unit
from wellworn.kit.matches import Match, Matches

WIDE = 384


def directions(seed, count=20):
    """Return vectors as an encoder makes them: their own way, and one that all share."""
    chance = np.random.default_rng(seed)
    drawn = chance.normal(size=(count, WIDE)) + chance.normal(size=WIDE)
    return (drawn / np.linalg.norm(drawn, axis=1)[:, None]).astype(np.float32)


def product(one, other):
    return float(one.astype(np.float64) @ other.astype(np.float64))


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.floats(0.99, 1.01))
def test_products_of_what_is_kept_are_cosines_of_what_was_given(seed, length):
    vectors = directions(seed)
    kept = [round_vector(vector * np.float32(length)) for vector in vectors]
    for one, kept_one in zip(vectors, kept, strict=True):
        assert product(kept_one, kept_one) == pytest.approx(1.0, abs=2e-4)
        for other, kept_other in zip(vectors, kept, strict=True):
            expected = product(one, other) / np.sqrt(product(one, one) * product(other, other))
            assert product(kept_one, kept_other) == pytest.approx(expected, abs=2e-4)


def test_what_is_kept_fits_half_precision_and_lies_in_no_other_array():
    given_vector = directions(1)[0]
    kept = round_vector(given_vector)
    assert kept.dtype == np.float32
    assert (kept.astype(np.float16) == kept).all()
    assert (kept != given_vector).any()


def test_what_is_stored_in_single_precision_first_is_rounded_alike():
    for vector in directions(2, 200):
        assert (unit(vector).astype(np.float16) == round_vector(vector)).all()


@pytest.mark.parametrize(
    ("product", "cosine"), [(1.0001, 1.0), (1.0, 1.0), (0.3, 0.3), (-0.5, -0.5), (-1.0001, -1.0)]
)
def test_no_cosine_is_beyond_one(product, cosine):
    [match] = round_scores(Matches.of([Match(1, product, 0.0)]))
    assert match.cosine == cosine


def test_scores_keep_no_last_digits_and_the_nearest_is_first():
    points = [Match(3, 0.12345678, 1.234567), Match(2, 0.5, 0.0, 0.333333), Match(1, 0.5, 0.0)]
    assert [*round_scores(Matches.of(points))] == [
        (1, 0.5, 0.0, 0.0, True),
        (2, 0.5, 0.0, 0.3333, True),
        (3, 0.123457, 1.2346, 0.0, True),
    ]
