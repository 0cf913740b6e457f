"""What counts as co-use, and how strongly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.co_use import CoUse, Session, Step, iterate_co_uses, score_co_uses
from wellworn.engines.retrieval.co_use.events import HALF_LIFE_S, weigh_users

DAY_S = 86_400.0


def step(shown: tuple[int, ...], used: tuple[int, ...], at: float = 0.0) -> Step:
    return Step(at, np.zeros(3, dtype=np.float32), shown, used)


def pairs_of(*steps: Step) -> set[tuple[int, int]]:
    return {(one.thought, one.other) for one in iterate_co_uses(Session("ada", None, steps))}


def by(user: str, other: int = 2, *, owned: bool = True, at: float = 0.0) -> CoUse:
    return CoUse(1, other, user, user if owned else None, at)


def test_what_two_queries_used_is_paired_from_both_ends():
    assert pairs_of(step((1, 5), (1,)), step((2, 6), (2,))) == {(1, 2), (2, 1)}


def test_what_one_query_used_is_no_pair():
    assert pairs_of(step((1, 2), (1, 2))) == set()


@pytest.mark.parametrize(("first", "second"), [((1, 2), (2,)), ((1,), (2, 1))])
def test_what_either_query_had_returned_with_the_other_is_no_pair(first, second):
    assert pairs_of(step(first, (1,)), step(second, (2,))) == set()


def test_a_thought_is_not_its_own_company():
    assert pairs_of(step((1,), (1,)), step((1,), (1,))) == set()


def test_one_user_alone_is_no_collective_and_more_count_more():
    assert [weigh_users(users) for users in (0, 1)] == [0.0, 0.0]
    assert weigh_users(2) == pytest.approx(0.369, abs=0.001)
    assert weigh_users(3) == pytest.approx(0.5)
    assert weigh_users(7) == pytest.approx(2 / 3)


@given(st.integers(1, 10_000))
def test_the_factor_of_users_grows_and_stays_below_one(users):
    assert 0.0 <= weigh_users(users) < weigh_users(users + 1) < 1.0


def test_what_the_caller_did_counts_in_full():
    assert score_co_uses([by("ada")], owner="ada", now=0.0) == {2: 1.0}


def test_what_one_other_did_counts_for_nothing_however_often():
    assert score_co_uses([by("eve")] * 1_000, owner="ada", now=0.0) == {}


def test_what_several_others_did_counts_by_how_many_they_are():
    found = score_co_uses([by("bob"), by("eve"), by("joe")], owner="ada", now=0.0)
    assert found == {2: pytest.approx(3 * 0.5)}


def test_at_the_open_door_the_graph_is_ones_own():
    events = [by("ada", owned=False), by("bob", owned=False)]
    assert score_co_uses(events, owner=None, now=0.0) == {2: 2.0}


def test_a_member_is_not_led_by_one_label_of_the_open_door():
    assert score_co_uses([by("ada", owned=False)], owner="ada", now=0.0) == {}


def test_co_use_halves_in_fourteen_days_and_is_forgotten():
    assert score_co_uses([by("ada")], owner="ada", now=HALF_LIFE_S) == {2: pytest.approx(0.5)}
    assert score_co_uses([by("ada")], owner="ada", now=60 * DAY_S)
    assert not score_co_uses([by("ada")], owner="ada", now=61 * DAY_S)


EVENTS = st.lists(
    st.builds(
        CoUse,
        st.just(1),
        st.integers(2, 5),
        st.sampled_from("abcd"),
        st.sampled_from([None, "a", "b"]),
        st.floats(0, 1e6),
    ),
    max_size=30,
)


@given(EVENTS, st.randoms(), st.sampled_from([None, "a"]))
def test_the_order_of_events_does_not_matter(events, random, owner):
    mixed = random.sample(events, len(events))
    first, second = (score_co_uses(one, owner=owner, now=1e6) for one in (events, mixed))
    assert first.keys() == second.keys()
    assert all(math.isclose(first[one], second[one]) for one in first)


@given(EVENTS, st.builds(by, st.sampled_from("abcd"), st.integers(2, 5)))
def test_one_more_co_use_never_weakens_any(events, more):
    before = score_co_uses(events, owner="a", now=1e6)
    after = score_co_uses([*events, more], owner="a", now=1e6)
    assert all(after[one] >= before[one] - 1e-9 for one in before)
