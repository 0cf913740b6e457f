"""Paths of sessions and gatherings of agents: told where they are, and not where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.gatherings import count_alarms, count_hits, lived
from benchmarks.trajectories import ORDERED, count_regimes, one_topic, repeated

from wellworn.engines.retrieval.gatherings import (
    GatheringAnswer,
    find_gatherings,
    find_regions,
    refuse_log,
)
from wellworn.engines.retrieval.trajectories import MOST_QUESTIONS, Regime, follow_path

EMPTY = np.empty(0, np.int64)


@pytest.mark.parametrize("world", [one_topic, repeated])
def test_where_the_order_says_nothing_no_regime_is_told(world):
    assert count_regimes(world, 12, sessions=40)[Regime.UNDETERMINED] >= 36


@pytest.mark.parametrize("regime", ORDERED)
def test_where_it_says_something_that_is_told(regime):
    assert count_regimes(ORDERED[regime], 12, sessions=10)[regime] >= 9


def test_a_path_of_one_question_of_the_same_and_of_many_is_told():
    one = follow_path(np.eye(4)[:1])
    assert (one.local_drift, one.global_drift, one.dispersion) == ((0.0,), (0.0,), 0.0)
    same = follow_path(np.repeat(np.eye(4)[:1], 9, axis=0))
    assert (same.regime, same.p, same.dispersion) == (Regime.UNDETERMINED, 1.0, 0.0)
    many = follow_path(np.eye(60))
    assert len(many.local_drift) == MOST_QUESTIONS
    assert (many.regime, many.p) == (Regime.UNDETERMINED, 1.0)


def test_where_nobody_gathers_nothing_is_told_and_where_six_do_it_is():
    assert count_alarms("stays", known=True, simulations=10) <= 1
    assert count_hits(6, known=True, simulations=5) >= 4


def test_of_too_few_agents_and_days_nothing_is_said():
    rng = np.random.default_rng(0)
    log = lived(rng, agents=3)
    few = find_gatherings(log.agents, log.days, log.topics)
    assert (few.answer, few.agents) == (GatheringAnswer.NOT_ENOUGH_AGENTS, 3)
    assert refuse_log(log.agents, log.days) == few
    log = lived(rng, agents=5)
    assert refuse_log(log.agents, log.days) is None
    late = log.days < 9
    short = find_gatherings(log.agents[late], log.days[late], log.topics[late])
    assert (short.answer, short.days) == (GatheringAnswer.NOT_ENOUGH_DAYS, 9)
    assert find_gatherings(EMPTY, EMPTY, EMPTY).answer is GatheringAnswer.NOT_ENOUGH_AGENTS


def test_newcomers_who_all_ask_the_popular_thing_are_no_gathering():
    log = lived(np.random.default_rng(3))
    popular = np.bincount(log.topics).argmax()
    found = find_gatherings(
        np.concatenate([log.agents, np.arange(12, 20)]),
        np.concatenate([log.days, np.zeros(8, np.int64)]),
        np.concatenate([log.topics, np.full(8, popular)]),
    )
    assert (found.answer, found.agents) == (GatheringAnswer.NO, 12)


def test_regions_are_questions_that_lie_together_and_one_alone_has_none():
    assert len(find_regions(np.empty((0, 4)))) == 0
    rng = np.random.default_rng(2)
    middles = np.repeat(np.eye(8)[:2], 6, axis=0)
    asked = np.concatenate([middles + 0.05 * rng.normal(size=middles.shape), np.eye(8)[5:6]])
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    regions = find_regions(asked)
    assert len({*regions[:6]}) == len({*regions[6:12]}) == 1
    assert regions[0] != regions[6]
    assert regions[12] not in {regions[0], regions[6]}
