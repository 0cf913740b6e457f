"""Two orders are told apart by what is used of their picks, and an order's worth by chance alone.

The worlds are those of `python -m benchmarks.trials`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from benchmarks.trials import put_on_trial
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.interleaving import (
    FARTHEST,
    LEAST_DECIDED,
    Team,
    compare_teams,
    draft,
    estimate_value,
    toss_coins,
)

WORLDS = 20
SIGNS = {Team.IN_USE: -1, Team.TRIED: 1, Team.BOTH: 0}
orders = st.integers(0, 8).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)
coins = st.lists(st.integers(0, 1), min_size=5, max_size=5)


def test_equal_orders_are_not_told_apart_however_often_somebody_looks():
    trials = [put_on_trial(seed, 1.0, 1_200) for seed in range(WORLDS)]
    looks = [[trial.compare(end) for end in range(600, 1_201, 150)] for trial in trials]
    assert sum(all(look.low <= 0.0 <= look.high for look in some) for some in looks) >= 18


def test_a_better_order_is_found_by_1200_questions_and_a_worse_one_too():
    trials = [put_on_trial(seed, 0.6, 1_200) for seed in range(WORLDS)]
    assert sum(trial.compare(1_200).low > 0.0 for trial in trials) >= 18
    turned = [replace(trial, leads=-trial.leads).compare(1_200) for trial in trials]
    assert sum(trial.high < 0.0 for trial in turned) >= 18


@pytest.mark.parametrize("order", ["in_use", "tried", "third"])
def test_what_an_order_would_have_got_alone_is_within_its_interval(order):
    trials = [put_on_trial(seed, 0.6, 600) for seed in range(100)]
    assert sum(trial.holds(order, 600) for trial in trials) >= 90
    values = [trial.estimate(order, 600) for trial in trials]
    assert all(value.high - value.low < 0.15 for value in values)
    assert all(value.effective < 600 for value in values)


def test_of_an_order_whose_first_was_rarely_shown_nothing_can_be_said():
    trials = [put_on_trial(seed, 0.6, 600) for seed in range(WORLDS)]
    assert [trial.estimate("fourth", 600) for trial in trials] == [None] * WORLDS


def test_where_nothing_was_left_to_chance_nothing_can_be_said():
    ones, numbers = np.ones(500), np.arange(500)
    assert estimate_value(ones > 0, ones, ones, numbers) is None
    half = np.where(numbers % 2, 0.5, 1.0)
    assert estimate_value(ones > 0, half, ones, numbers).rate == 1.0
    few = slice(0, 20)
    assert estimate_value(ones[few] > 0, half[few], ones[few], numbers[few]) is None


def test_what_was_unlikely_counts_more_but_no_question_more_than_ten():
    numbers = np.arange(400)
    is_rare = numbers % 8 == 0
    propensities = np.where(is_rare, 0.125, 0.875)
    found = estimate_value(is_rare, propensities, is_rare * 0.0 + (numbers % 16 == 0), numbers)
    assert (found.rate, found.covered, found.effective) == (0.5, 1.0, 50.0)
    lucky = np.where(numbers == 0, 1e-6, 0.5)
    assert estimate_value(numbers >= 0, lucky, (numbers == 0) * 1.0, numbers).rate < 0.02


def test_questions_of_one_session_count_for_fewer():
    numbers, rewards = np.arange(400), (np.arange(400) // 20 % 2).astype(float)
    propensities, is_first = np.full(400, 0.5), np.ones(400, bool)
    alone = estimate_value(is_first, propensities, rewards, numbers)
    alike = estimate_value(is_first, propensities, rewards, numbers // 20)
    assert alone.rate == alike.rate == 0.5
    assert alike.high - alike.low > 3 * (alone.high - alone.low)


def test_few_sessions_tell_nothing_and_it_is_told_how_many_there_are():
    sessions = [("ann", 1.0)] * 30 + [("bob", -1.0)] * 7 + [("ann", 0.0)] * 90
    assert compare_teams(sessions) == (30, 7, 90, None, None, None, None)
    assert compare_teams([*sessions, *[("eve", 2.0)] * (LEAST_DECIDED - 37)]).lead > 0.0


def test_how_many_more_sessions_a_lead_takes_is_told_where_it_is_a_lead():
    def more(wins, losses):
        users = enumerate([1.0] * wins + [-1.0] * losses)
        return compare_teams([(f"user-{number}", lead) for number, lead in users])

    close = more(55, 45)
    assert close.low < 0.0 < close.high
    decided = 100 + close.more
    sure = more(round(0.55 * decided), round(0.45 * decided))
    assert sure.more == 0
    assert sure.low > -0.01
    assert more(75, 35).more == more(35, 75).more == 0
    assert more(50, 50).more is None
    assert more(5_001, 4_999).more is None
    assert FARTHEST >= more(520, 480).more > 0


def test_one_user_does_not_outvote_many():
    loud = [("loud", -1.0)] * 200
    found = compare_teams([*loud, *[(f"quiet-{n}", 1.0) for n in range(100)]])
    assert found.wins < found.losses
    assert found.low > 0.0


@given(orders, coins, st.integers(0, 9))
def test_every_item_is_picked_once_and_what_both_agree_on_stays(both, tosses, places):
    in_use, tried = both
    drafted = draft(in_use, tried, tosses, places)
    items = [item for item, _ in drafted]
    assert len({*items}) == len(items) == min(places, len(in_use))
    for upper, lower in pairwise(items):
        assert in_use.index(upper) < in_use.index(lower) or tried.index(upper) < tried.index(lower)
    for lower in items:
        above = {
            item
            for item in in_use
            if in_use.index(item) < in_use.index(lower) and tried.index(item) < tried.index(lower)
        }
        assert above <= {*items[: items.index(lower)]}


@given(orders, coins)
def test_turned_coins_turn_the_teams(both, tosses):
    in_use, tried = both
    drafted = draft(in_use, tried, tosses, 9)
    turned = draft(tried, in_use, [1 - coin for coin in tosses], 9)
    assert [(item, SIGNS[team]) for item, team in drafted] == [
        (item, -SIGNS[team]) for item, team in turned
    ]


def test_what_both_begin_with_is_nobodys_and_the_coin_decides_who_goes_on():
    in_use, tried = "abcd", "adcb"
    assert draft(in_use, tried, [1, 0], 4) == [
        ("a", Team.BOTH),
        ("d", Team.TRIED),
        ("b", Team.IN_USE),
        ("c", Team.IN_USE),
    ]
    assert draft(in_use, in_use, [], 9) == [(item, Team.BOTH) for item in in_use]


def test_a_call_always_tosses_the_same_coins_and_calls_toss_both_alike():
    assert toss_coins("one", 25) == toss_coins("one", 25) != toss_coins("two", 25)
    first = sum(toss_coins(f"call {number}", 1)[0] for number in range(2_000))
    assert 900 < first < 1_100
