"""How sure one can be of a mean and of a difference."""

from __future__ import annotations

import pytest
from benchmarks.retrieval.certainty import Difference, Mean
from hypothesis import given, settings
from hypothesis import strategies as st

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_the_interval_surrounds_the_mean_and_comes_out_the_same_twice():
    values = [0.0, 1.0] * 50
    mean = Mean.of(values)
    assert (mean.value, mean.count) == (0.5, 100)
    assert 0.35 < mean.low < 0.45
    assert 0.55 < mean.high < 0.65
    assert mean == Mean.of(values)


@settings(max_examples=15, deadline=None)
@given(VALUES)
def test_the_interval_lies_within_what_was_seen(values):
    mean = Mean.of(values)
    assert min(values) - 1e-9 <= mean.low <= mean.high <= max(values) + 1e-9


def test_two_runs_that_are_alike_differ_by_chance_alone():
    same = Difference.between([0.0, 1.0, 0.5], [0.0, 1.0, 0.5])
    assert (same.mean.value, same.better, same.worse, same.p) == (0.0, 0, 0, 1.0)


def test_a_run_that_is_better_on_every_question_is_better():
    found = Difference.between([1.0] * 20, [0.5] * 20)
    assert (found.mean.value, found.better, found.worse) == (0.5, 20, 0)
    assert found.p < 0.001


def test_a_few_questions_prove_nothing():
    # Of the four ways to turn two differences, two are as far from nothing.
    assert Difference.between([1.0, 1.0], [0.0, 0.0]).p == pytest.approx(0.5, abs=0.05)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(VALUES)
def test_a_comparison_the_other_way_round_is_the_same_with_signs_turned(values):
    zeros = [0.5] * len(values)
    one, other = Difference.between(values, zeros), Difference.between(zeros, values)
    assert one.mean.value == pytest.approx(-other.mean.value)
    assert (one.better, one.worse, one.p) == (other.worse, other.better, other.p)
