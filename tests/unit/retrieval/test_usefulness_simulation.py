"""Use in the order helps what is asked again and does not cost what nobody asked before.

The world and its agents are those of `benchmarks/simulation.py`, in small.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SIMULATION = Path(__file__).parents[3] / "benchmarks" / "simulation.py"


@pytest.fixture(scope="module")
def simulation():
    specification = importlib.util.spec_from_file_location("wellworn_simulation", SIMULATION)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    yield module
    del sys.modules[specification.name]


@pytest.fixture(scope="module")
def trial(simulation):
    return simulation.Trial.made(1, queries=2_500, examined=1_200)


@pytest.fixture(scope="module")
def plain(simulation, trial):
    """Cosine learns nothing, so it needs no traffic."""
    return simulation.Outcome(
        *(
            simulation.success(trial.world, simulation.Order(), questions, 0.0)
            for questions in (trial.asked, trial.never_asked)
        )
    )


@pytest.fixture(scope="module")
def useful(simulation, trial):
    """The shipped order after the traffic, and how it then did."""
    order = simulation.Useful(0.2)
    return order, trial.outcome(order)


@pytest.fixture(scope="module")
def spammed(simulation):
    """A fifth of the traffic confirms its own junk: plain, as shipped, and without the guard."""
    trial = simulation.Trial.made(1, queries=2_000, examined=1_000, spammed=True)
    orders = (simulation.Order(), simulation.Useful(0.2), simulation.Gullible(0.2))
    return [trial.outcome(order) for order in orders]


def test_plain_cosine_succeeds_about_as_often_as_on_real_embeddings(plain):
    assert (plain.asked + plain.never_asked) / 2 == pytest.approx(0.65, abs=0.06)


def test_use_helps_needs_that_were_asked_and_spares_those_never_asked(useful, plain):
    _, outcome = useful
    assert outcome.asked >= plain.asked + 0.08
    assert outcome.never_asked >= plain.never_asked - 0.01


def test_weight_zero_is_the_specified_order_whatever_was_learned(simulation, trial, useful):
    learned, _ = useful
    order = simulation.Useful(0.0, known=learned.known)
    assert len(order.known) > 500
    for _, _, pool in trial.asked:
        nearest_first = sorted(pool, key=lambda one: (-one.cosine, one.id))
        assert [one.id for one in order.ranked(pool, 0.0)] == [one.id for one in nearest_first]


def test_the_author_of_junk_does_not_get_it_into_the_way(simulation, spammed):
    plain, guarded, gullible = spammed
    # What use gives to honest agents, it gives beside a spammer as well.
    assert guarded.asked >= plain.asked + 0.08
    assert guarded.never_asked >= plain.never_asked - 0.01
    # The guard is what does it: believing everybody loses most of that.
    assert gullible.asked <= guarded.asked - 0.05


def test_confirming_again_and_again_counts_once_a_day(simulation):
    order, other = simulation.Useful(0.2), simulation.Shown(1, author=3, is_used=True)
    for minute in range(100):
        order.learn(5, [other], now_s=60.0 * minute)
    assert order.known[1].uses == pytest.approx(1.0, abs=0.01)
    assert order.known[1].exposures == pytest.approx(1.0, abs=0.01)
    order.learn(5, [other], now_s=simulation.DAY_S)
    assert order.known[1].uses == pytest.approx(2.0, abs=0.05)


def test_confirming_ones_own_counts_never(simulation):
    order = simulation.Useful(0.2)
    order.learn(3, [simulation.Shown(1, author=3, is_used=True)], now_s=0.0)
    assert (order.known[1].uses, order.known[1].exposures) == (0.0, 0.0)


def test_counts_of_mere_retrieval_in_the_order_ruin_needs_never_asked(simulation, trial, plain):
    raw = trial.outcome(simulation.RawTrail())
    assert raw.never_asked < plain.never_asked - 0.3
    assert raw.asked < plain.asked
