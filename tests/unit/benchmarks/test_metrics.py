"""How rankings are judged."""

from __future__ import annotations

from math import log2

import pytest
from benchmarks.figures import Figure, median, quantile
from benchmarks.metrics import Mean, hit, ndcg, recall
from hypothesis import given
from hypothesis import strategies as st

RANKINGS = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1)
EVIDENCE = st.frozensets(st.sampled_from("abcdefghij"), min_size=1)


def test_recall_is_the_share_of_the_evidence_among_the_first():
    assert recall(["a", "x", "b"], frozenset("ab"), 2) == 0.5
    assert recall(["a", "x", "b"], frozenset("ab"), 3) == 1.0


def test_a_hit_needs_one_of_the_evidence_among_the_first():
    assert hit(["x", "a"], frozenset("ab"), 1) == 0.0
    assert hit(["x", "a"], frozenset("ab"), 2) == 1.0


def test_ndcg_divides_by_the_ideal_order_of_all_evidence():
    assert ndcg(["x", "a"], frozenset("a"), 10) == pytest.approx(1 / log2(3))
    assert ndcg(["a"], frozenset("ab"), 10) == pytest.approx(1 / (1 + 1 / log2(3)))


@given(RANKINGS, EVIDENCE)
def test_evidence_on_top_is_never_beaten(ranking, relevant):
    ideal = sorted(ranking, key=lambda one: one not in relevant)
    for k in (1, 3, 10):
        for measure in (recall, hit, ndcg):
            assert 0.0 <= measure(ranking, relevant, k) <= measure(ideal, relevant, k) <= 1.0 + 1e-9


def test_the_interval_surrounds_the_mean_and_comes_out_the_same_twice():
    values = [0.0, 1.0] * 50
    mean = Mean.of(values)
    assert mean.value == 0.5
    assert 0.35 < mean.low < 0.5 < mean.high < 0.65
    assert mean == Mean.of(values)


def test_quantiles_are_values_that_occurred():
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert quantile([*map(float, range(100))], 0.95) == 95.0
    assert quantile([7.0], 0.99) == 7.0


def test_a_figure_knows_whether_it_holds():
    assert Figure.at_most("p95", 50, 50, "ms").holds is True
    assert Figure.at_most("p95", 50.1, 50, "ms").holds is False
    assert Figure.at_least("recall", 0.679, 0.68, "").holds is False
    assert Figure("speed", 1).holds is None
