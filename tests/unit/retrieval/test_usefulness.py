"""Confirmed use in the order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.scored import fuse, rank_by_cosine
from wellworn.engines.retrieval import (
    UseEvidence,
    apply_usefulness,
    discount_exposure,
)
from wellworn.kit.matches import Match

DAY_S = 86_400.0


def near(number: int, cosine: float, keyword: float = 0.0) -> Match:
    return Match(number, cosine, keyword)


EVIDENCE = st.builds(UseEvidence, st.floats(0, 1e6), st.floats(0, 1e6))
CANDIDATES = st.lists(
    st.builds(Match, st.integers(1, 200), st.floats(-1, 1), st.floats(0, 50)),
    max_size=80,
    unique_by=lambda one: one.id,
)
KNOWN = st.dictionaries(st.integers(1, 200), EVIDENCE)
ORDERS = st.sampled_from([fuse, rank_by_cosine])


def ids(ranked) -> list[int]:
    return [one.id for one in ranked]


def three() -> list[Match]:
    return [near(1, 0.60), near(2, 0.55), near(3, 0.20)]


def test_what_was_used_passes_what_is_about_as_near():
    assert ids(apply_usefulness(rank_by_cosine(three()), {2: UseEvidence(5, 2)}, 0.2)) == [2, 1, 3]


def test_what_was_shown_in_vain_falls_behind_what_is_about_as_near():
    assert ids(apply_usefulness(rank_by_cosine(three()), {1: UseEvidence(0, 30)}, 0.4)) == [2, 1, 3]


def test_no_amount_of_use_carries_something_far_away_to_the_top():
    assert ids(apply_usefulness(rank_by_cosine(three()), {3: UseEvidence(1e9, 0)}, 0.4))[0] == 1


def test_the_shift_on_the_plain_order_is_weight_times_posterior_less_prior():
    ranked = apply_usefulness(rank_by_cosine(three()), {2: UseEvidence(6, 2)}, 0.2, prior=0.25)
    (moved,) = [one for one in ranked if one.id == 2]
    assert moved.parts == {"meaning": 0.55, "usefulness": pytest.approx(0.2 * (7 / 12 - 0.25))}


def test_the_same_use_shifts_a_fused_order_by_as_many_deviations():
    some = [near(number, number / 10) for number in range(1, 9)]
    plain, both = (
        apply_usefulness(order(some), {4: UseEvidence(6, 2)}, 0.4)
        for order in (rank_by_cosine, fuse)
    )
    assert ids(plain) == ids(both) == [8, 7, 6, 4, 5, 3, 2, 1]


def test_among_equals_use_alone_decides():
    equals = fuse([near(number, 0.5, 1.0) for number in (1, 2, 3)])
    moved = apply_usefulness(equals, {3: UseEvidence(uses=5.0, exposures=5.0)}, 0.2)
    assert [one.id for one in moved] == [3, 1, 2]


def test_without_evidence_nothing_moves():
    ranked = fuse(three())
    assert ids(apply_usefulness(ranked, {}, 0.4)) == ids(ranked)


def test_beyond_the_first_fifty_nothing_moves():
    ranked = rank_by_cosine([near(number, 1 - number / 1000) for number in range(1, 80)])
    known = {75: UseEvidence(100, 0), 50: UseEvidence(100, 0)}
    moved = ids(apply_usefulness(ranked, known, 0.4))
    assert moved.index(75) == 74
    assert moved[0] == 50


@given(CANDIDATES, KNOWN, ORDERS, st.floats(-5, 0))
def test_weight_zero_is_the_identical_order(candidates, known, order, weight):
    ranked = order(candidates)
    assert apply_usefulness(ranked, known, weight) == ranked


@given(CANDIDATES, KNOWN, ORDERS, st.floats(0.4, 100))
def test_no_weight_counts_more_than_the_greatest_allowed(candidates, known, order, weight):
    ranked = order(candidates)
    assert apply_usefulness(ranked, known, weight) == apply_usefulness(ranked, known, 0.4)


@given(CANDIDATES, KNOWN, ORDERS, st.floats(0, 0.4))
def test_the_shift_is_bounded_and_explained(candidates, known, order, weight):
    ranked = order(candidates)
    before = {one.id: one.rank_score for one in ranked}
    scores = list(before.values())[:50]
    # A unit of cosine is worth at most the whole spread of the list over the least deviation.
    bound = weight * max(1.0, (max(scores, default=0) - min(scores, default=0)) / 0.05)
    after = apply_usefulness(ranked, known, weight)
    assert sorted(ids(after)) == sorted(before)
    for one in after:
        assert math.isfinite(one.rank_score)
        assert one.rank_score == math.fsum(one.parts.values())
        assert abs(one.parts.get("usefulness", 0.0)) <= bound + 1e-9


@given(EVIDENCE, st.floats(0, 1))
def test_a_rate_of_use_is_a_share(evidence, prior):
    assert 0 <= evidence.estimate_rate(prior) <= 1


@given(EVIDENCE, st.floats(0.01, 0.99))
def test_use_never_lowers_and_exposure_never_raises_the_rate(evidence, prior):
    rate = evidence.estimate_rate(prior)
    assert UseEvidence(evidence.uses + 1, evidence.exposures).estimate_rate(prior) >= rate
    assert UseEvidence(evidence.uses, evidence.exposures + 1).estimate_rate(prior) <= rate


def test_untried_means_the_prior():
    assert UseEvidence().estimate_rate(0.3) == pytest.approx(0.3)


def test_evidence_halves_in_fourteen_days():
    assert UseEvidence(8, 4).decay(14 * DAY_S) == UseEvidence(4, 2)
    assert UseEvidence(8, 4).decay(28 * DAY_S) == UseEvidence(2, 1)


def test_a_clock_that_went_back_adds_nothing():
    assert UseEvidence(8, 4).decay(-DAY_S) == UseEvidence(8, 4)


@given(EVIDENCE, st.floats(0, 1e8), st.floats(0, 1e8))
def test_ageing_in_two_steps_is_ageing_in_one(evidence, first, second):
    twice, once = evidence.decay(first).decay(second), evidence.decay(first + second)
    assert twice.uses == pytest.approx(once.uses)
    assert twice.exposures == pytest.approx(once.exposures)


def test_the_first_place_counts_in_full_and_the_others_ever_less():
    counts = [discount_exposure(rank) for rank in range(10)]
    assert counts[0] == 1.0
    assert counts == sorted(counts, reverse=True)
    assert counts[9] == pytest.approx(1 / 3.7)
