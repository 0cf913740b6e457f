"""Surges: what is beyond chance is told, what is not is not, and nothing where there is no past."""

from __future__ import annotations

import numpy as np
import pytest

from wellworn.engines.retrieval.topics import RECENT_DAYS, USUAL_DAYS, Course, judge_trends
from wellworn.engines.retrieval.topics.surges import FEWEST_DAYS

DAYS = RECENT_DAYS + USUAL_DAYS


def counts(recent, a_day, topics=1):
    rows = np.full((topics, DAYS), a_day)
    rows[:, :RECENT_DAYS] = 0
    rows[0, 0] = recent
    return rows


def judge(rows, days=100.0):
    return judge_trends(rows, days)


def test_much_more_than_usual_is_a_surge():
    [found] = judge(counts(12, 1))
    assert (found.recent, found.before, found.course) == (12, 30, Course.SURGING)
    assert found.expected == pytest.approx(2.0, abs=0.1)
    assert found.p < 0.001


def test_a_little_more_than_usual_is_none():
    [found] = judge(counts(4, 1))
    assert found.course is Course.STEADY
    assert found.p > 0.05


def test_nothing_any_more_where_much_was_usual_is_fading():
    [found] = judge(counts(0, 5))
    assert found.course is Course.FADING


def test_two_of_what_was_never_there_are_no_surge_and_ten_are():
    assert judge(counts(2, 0))[0].course is Course.STEADY
    assert judge(counts(10, 0))[0].course is Course.SURGING


def test_what_comes_in_bursts_must_burst_more_than_it_usually_does():
    rows = counts(12, 0)
    rows[0, 2::6] = 10
    [found] = judge(rows)
    assert found.course is Course.STEADY
    rows[0] = 0
    rows[0, :1] = 12
    rows[0, 2:] = np.resize([2, 1, 2], USUAL_DAYS)
    assert judge(rows)[0].course is Course.SURGING


def test_of_many_topics_one_that_is_a_little_unusual_is_none():
    alone = judge(counts(7, 1))[0]
    assert alone.course is Course.SURGING
    rows = counts(7, 1, topics=200)
    rows[1:, 0] = 2
    among = judge(rows)[0]
    assert among.p == pytest.approx(alone.p)
    assert among.course is Course.STEADY


@pytest.mark.parametrize("days", [0.0, 1.0, FEWEST_DAYS + RECENT_DAYS - 0.1])
def test_without_seven_days_before_nothing_is_told(days):
    [found] = judge(counts(50, 0), days)
    assert (found.recent, found.expected, found.p, found.course) == (50, None, None, Course.UNKNOWN)


def test_a_young_space_is_judged_by_the_days_that_it_has():
    rows = np.zeros((1, DAYS), int)
    rows[0, : RECENT_DAYS + 10] = 3
    [found] = judge(rows, 12.0)
    assert (found.before, found.course) == (30, Course.STEADY)
    assert found.expected == pytest.approx(6.0, abs=0.2)


def test_no_topics_have_no_trends():
    assert judge(np.zeros((0, DAYS), int)) == []


def test_large_counts_are_judged_in_numbers_that_are_finite():
    rows = counts(90_000, 20_000)
    [found] = judge(rows)
    assert 0.0 <= found.p <= 1.0


def test_where_nothing_changes_few_surges_are_told():
    chance = np.random.default_rng(5)
    rates = chance.gamma(0.8, 1.5, size=(40, 100, 1))
    burst = chance.gamma(3.0, 1 / 3.0, size=(40, 100, DAYS))
    for rows in (chance.poisson(rates, size=(40, 100, DAYS)), chance.poisson(rates * burst)):
        told = [sum(trend.course is not Course.STEADY for trend in judge(each)) for each in rows]
        assert sum(one > 0 for one in told) <= 4
