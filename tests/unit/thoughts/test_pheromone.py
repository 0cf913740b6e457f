"""The lazy trail against the hourly job that the specification describes, to the letter."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.domain.thoughts.pheromone import (
    BONUS,
    CEILING,
    DEPOSIT,
    FLOOR,
    USEFUL,
    Pheromone,
    add,
    create,
    dampen,
    deposit,
    hour_of,
    order_key,
    settle,
    weight_at,
)

HOUR_S = 3600
EVENTS = ("access", "bonus", "useful", "irrelevant", "settle", "read")
START_S = 1_771_858_800 - 1_771_858_800 % HOUR_S


@dataclass
class HourlyJob:
    """The specification's own bookkeeping: every number is written, every hour is run."""

    weight: float
    last_accessed: float
    next_run: int

    def run_until(self, now: float) -> None:
        while self.next_run <= now:
            if self.last_accessed < self.next_run - HOUR_S:
                self.weight = max(0.1, self.weight * 0.995)
            self.next_run += HOUR_S

    def happen(self, event: str, now: float) -> None:
        self.run_until(now)
        if event == "access":
            self.weight = min(10.0, self.weight + 0.05)
            self.last_accessed = now
        elif event == "bonus":
            self.weight = min(10.0, self.weight + 0.02)
        elif event == "useful":
            self.weight = min(10.0, self.weight + 0.10)
        elif event == "irrelevant":
            self.weight = max(0.1, self.weight * 0.9)


def after(event: str, pheromone: Pheromone, now: float) -> Pheromone:
    outcomes = {
        "access": lambda: deposit(pheromone, now),
        "bonus": lambda: add(pheromone, now, BONUS),
        "useful": lambda: add(pheromone, now, USEFUL),
        "irrelevant": lambda: dampen(pheromone, now),
        "settle": lambda: settle(pheromone, now),
        "read": lambda: pheromone,
    }
    return outcomes[event]()


# A second to either side of a full hour, the hour itself, or anywhere; bursts and long silences.
GAPS = st.one_of(
    st.integers(0, 300),
    st.integers(0, 5 * HOUR_S),
    st.integers(0, 60 * 24 * HOUR_S),
)
SNAPS = st.sampled_from([None, -1, 0, 1])
HISTORY = st.lists(st.tuples(GAPS, SNAPS, st.sampled_from(EVENTS)), min_size=1, max_size=60)


def moments(start: float, history: list[tuple[int, int | None, str]]) -> list[tuple[float, str]]:
    now, happened = start, []
    for gap, snap, event in history:
        later = now + gap
        if snap is not None:
            later = max(now, round(later / HOUR_S) * HOUR_S + snap)
        now = later
        happened.append((now, event))
    return happened


@settings(max_examples=200, deadline=None)
@given(offset=st.one_of(st.integers(0, HOUR_S), st.floats(0, HOUR_S)), history=HISTORY)
def test_every_history_weighs_what_the_hourly_job_would_have_made_of_it(
    offset: float, history: list[tuple[int, int | None, str]]
) -> None:
    created = START_S + offset
    lazy = create(created)
    job = HourlyJob(1.0, created, (hour_of(created) + 1) * HOUR_S)
    for now, event in moments(created, history):
        job.happen(event, now)
        lazy = after(event, lazy, now)
        assert weight_at(lazy, now) == pytest.approx(job.weight, rel=1e-12, abs=0)


def test_a_thought_used_hard_for_weeks_reaches_the_ceiling_as_under_the_hourly_job() -> None:
    lazy = create(START_S)
    job = HourlyJob(1.0, START_S, START_S + HOUR_S)
    for minute in range(0, 20_000, 7):
        now = START_S + 60 * minute
        job.happen("access", now)
        lazy = deposit(lazy, now)
    assert weight_at(lazy, now) == CEILING == job.weight
    much_later = now + 45 * 24 * HOUR_S
    job.run_until(much_later)
    assert weight_at(lazy, much_later) == FLOOR == job.weight


def test_five_retrievals_of_a_new_thought_make_it_weigh_1_25() -> None:
    pheromone = create(START_S)
    for second in range(5):
        pheromone = deposit(pheromone, START_S + second)
    assert weight_at(pheromone, START_S + 5) == pytest.approx(1.25, rel=1e-12)


def test_a_thought_never_accessed_fades_from_its_creation_on() -> None:
    pheromone = create(START_S + 1)
    assert weight_at(pheromone, START_S + 2 * HOUR_S - 1) == 1.0
    assert weight_at(pheromone, START_S + 2 * HOUR_S) == pytest.approx(0.995)


def test_at_a_full_hour_the_job_runs_before_the_access() -> None:
    faded_then_found = deposit(create(START_S + 1), START_S + 2 * HOUR_S)
    assert faded_then_found.weight == pytest.approx(0.995 + DEPOSIT)


def test_an_access_buys_an_hour_and_a_bonus_does_not() -> None:
    old, now = create(START_S), START_S + 10 * HOUR_S + 60
    found, praised = deposit(old, now), add(old, now, BONUS)
    next_hour = START_S + 11 * HOUR_S
    assert weight_at(found, next_hour) == found.weight
    assert weight_at(praised, next_hour) == pytest.approx(praised.weight * 0.995)


def test_a_bonus_does_not_take_away_the_hour_that_an_access_bought() -> None:
    found = deposit(create(START_S), START_S + 60)
    assert add(found, START_S + 90, BONUS).frozen_until_h == found.frozen_until_h
    assert dampen(found, START_S + 90).frozen_until_h == found.frozen_until_h


@given(
    weight=st.floats(FLOOR, CEILING),
    frozen=st.integers(0, 500_000),
    now_h=st.integers(0, 600_000),
    event=st.sampled_from(EVENTS),
)
def test_no_event_leaves_the_bounds(weight: float, frozen: int, now_h: int, event: str) -> None:
    now = float(now_h * HOUR_S)
    assert FLOOR <= weight_at(after(event, Pheromone(weight, frozen), now), now) <= CEILING


@given(
    weight=st.floats(FLOOR, CEILING),
    frozen=st.integers(1000, 3000),
    settled_h=st.integers(500, 5000),
    later_h=st.integers(0, 5000),
)
def test_settling_changes_nothing_that_comes_later(
    weight: float, frozen: int, settled_h: int, later_h: int
) -> None:
    pheromone = Pheromone(weight, frozen)
    written = settle(pheromone, settled_h * HOUR_S)
    assert written.weight == weight_at(pheromone, settled_h * HOUR_S)
    later = (settled_h + later_h) * HOUR_S
    assert weight_at(written, later) == pytest.approx(weight_at(pheromone, later), rel=1e-12)


@given(
    trails=st.lists(
        st.builds(Pheromone, st.floats(FLOOR, CEILING), st.integers(480_000, 481_000)),
        min_size=2,
        max_size=20,
    ),
    later_h=st.integers(0, 2000),
)
def test_the_order_key_orders_like_the_weight_once_nothing_is_frozen(
    trails: list[Pheromone], later_h: int
) -> None:
    now = (max(trail.frozen_until_h for trail in trails) + later_h) * HOUR_S
    by_key = sorted(trails, key=order_key)
    weights = [weight_at(trail, now) for trail in by_key]
    for lighter, heavier in pairwise(weights):
        assert lighter <= heavier * (1 + 1e-9)


def test_the_order_key_ranks_a_fresh_light_trail_over_an_old_heavy_one() -> None:
    old, young = Pheromone(2.0, 0), Pheromone(1.0, 1000)
    assert order_key(young) > order_key(old)
