"""The gate of "often needed next" opens where co-use tells something, and nowhere else.

The worlds are those of `benchmarks/needs.py`, with fewer seeds; all twenty are a benchmark.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from wellworn.engines.retrieval.co_use import CLOSED, evaluate_gate, gate
from wellworn.engines.retrieval.co_use.gate import LEAST_SESSIONS

pytestmark = pytest.mark.slow

WORLDS = Path(__file__).parents[3] / "benchmarks" / "needs.py"
SESSIONS = 600


@pytest.fixture(scope="module")
def needs():
    specification = importlib.util.spec_from_file_location("wellworn_needs", WORLDS)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    yield module
    del sys.modules[specification.name]


@pytest.fixture(scope="module")
def linked(needs):
    return needs.sessions_of("linked", 0, sessions=SESSIONS)


@pytest.mark.parametrize("seed", range(3))
def test_it_opens_where_thoughts_refer_to_others(needs, seed):
    verdict = evaluate_gate(needs.sessions_of("linked", seed, sessions=SESSIONS))
    assert verdict.is_open
    assert 0.0 < verdict.low <= verdict.gain <= verdict.high


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("world", ["shuffled", "walked", "popular"])
def test_it_stays_shut_where_co_use_tells_nothing(needs, world, seed):
    assert not evaluate_gate(needs.sessions_of(world, seed, sessions=SESSIONS)).is_open


def test_with_popularity_neither_in_baseline_nor_weight_shuffled_queries_open_it(
    needs, monkeypatch
):
    # The trap for which popularity is there: a graph knows what is popular.
    shuffled = needs.sessions_of("shuffled", 0, sessions=SESSIONS)
    monkeypatch.setattr(gate, "_POPULARITY", (0.0,))
    assert not evaluate_gate(shuffled).is_open
    weigh = gate.weigh_pairs
    monkeypatch.setattr(gate, "weigh_pairs", lambda sessions: dict.fromkeys(weigh(sessions), 1.0))
    assert evaluate_gate(shuffled).is_open


def test_fixed_favourites_among_neighbours_are_something_to_know(needs):
    # The other trap: a walk with favourites is no world without knowledge.
    assert evaluate_gate(needs.sessions_of("favoured", 0, sessions=SESSIONS)).is_open


def test_the_same_log_gives_the_same_verdict(linked):
    assert evaluate_gate(linked) == evaluate_gate(linked)


def test_a_space_with_little_data_is_shut(linked):
    assert evaluate_gate([]) == CLOSED
    assert evaluate_gate(linked[: LEAST_SESSIONS - 1]) == CLOSED


def test_sessions_of_one_step_tell_nothing(linked):
    assert evaluate_gate([replace(one, steps=one.steps[:1]) for one in linked]) == CLOSED


def test_sessions_that_were_shown_all_they_used_leave_it_shut(linked):
    everything = tuple(range(1_000))
    full = [
        replace(one, steps=tuple(replace(step, shown=everything) for step in one.steps))
        for one in linked
    ]
    assert evaluate_gate(full) == CLOSED


def test_what_nobody_could_foresee_leaves_it_shut(linked):
    # After each session everything used is new: no history knows any of it.
    strange = [
        replace(
            session,
            steps=tuple(
                replace(step, used=tuple(10_000 * number + one for one in step.used))
                for step in session.steps
            ),
        )
        for number, session in enumerate(linked, start=1)
    ]
    assert not evaluate_gate(strange).is_open
