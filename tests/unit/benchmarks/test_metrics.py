"""How rankings are judged."""

from __future__ import annotations

from math import log2

import pytest
from benchmarks.retrieval.metrics import (
    METRICS,
    collapsed,
    complete,
    hit,
    mrr,
    ndcg,
    ndcg_longmemeval,
    recall,
    scores,
)
from hypothesis import given
from hypothesis import strategies as st

UNITS = "abcdefghij"
RANKINGS = st.lists(st.sampled_from(UNITS), unique=True)
EVIDENCE = st.frozensets(st.sampled_from(UNITS), min_size=1)
DEPTHS = st.integers(1, 12)


def test_recall_is_the_share_of_the_evidence_among_the_first():
    assert recall(["a", "x", "b"], frozenset("ab"), 2) == 0.5
    assert recall(["a", "x", "b"], frozenset("ab"), 3) == 1.0
    assert recall([], frozenset("ab"), 3) == 0.0


def test_a_hit_needs_one_of_the_evidence_and_all_needs_every_one():
    assert hit(["x", "a"], frozenset("ab"), 1) == 0.0
    assert hit(["x", "a"], frozenset("ab"), 2) == 1.0
    assert complete(["a", "x", "b"], frozenset("ab"), 2) == 0.0
    assert complete(["a", "x", "b"], frozenset("ab"), 3) == 1.0


def test_ndcg_divides_by_the_ideal_order_of_all_evidence():
    assert ndcg(["x", "a"], frozenset("a"), 10) == pytest.approx(1 / log2(3))
    assert ndcg(["a"], frozenset("ab"), 10) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert ndcg(["a", "b"], frozenset("abc"), 2) == pytest.approx(1.0)


def test_longmemevals_ndcg_counts_the_second_rank_in_full():
    assert ndcg_longmemeval(["x", "a"], frozenset("a"), 10) == 1.0
    assert ndcg_longmemeval(["x", "y", "a"], frozenset("a"), 10) == pytest.approx(1 / log2(3))


def test_the_reciprocal_rank_is_that_of_the_first_evidence():
    assert mrr(["x", "a", "b"], frozenset("ab"), 10) == 0.5
    assert mrr(["x", "y", "a"], frozenset("a"), 2) == 0.0


def test_a_group_stands_where_its_best_unit_stood():
    assert collapsed(["b1", "a1", "b2", "c1"], {"a1": "a", "b1": "b", "b2": "b", "c1": "c"}) == [
        *("b", "a", "c")
    ]


def test_metrics_are_asked_for_by_name_and_depth():
    assert scores(["x", "a"], frozenset("a"), ("hit@1", "hit@5", "mrr@10")) == {
        "hit@1": 0.0,
        "hit@5": 1.0,
        "mrr@10": 0.5,
    }


@given(RANKINGS, EVIDENCE, DEPTHS)
def test_evidence_on_top_is_never_beaten(ranking, relevant, k):
    ideal = sorted(ranking, key=lambda one: one not in relevant)
    for measure in METRICS.values():
        assert 0.0 <= measure(ranking, relevant, k) <= measure(ideal, relevant, k) <= 1.0 + 1e-9


@given(RANKINGS, EVIDENCE, DEPTHS)
def test_what_stands_below_the_depth_changes_nothing(ranking, relevant, k):
    for measure in METRICS.values():
        assert measure(ranking, relevant, k) == measure(ranking[:k], relevant, k)


@given(RANKINGS, EVIDENCE, DEPTHS)
def test_all_is_at_most_recall_and_recall_at_most_a_hit(ranking, relevant, k):
    assert (
        complete(ranking, relevant, k) <= recall(ranking, relevant, k) <= hit(ranking, relevant, k)
    )
