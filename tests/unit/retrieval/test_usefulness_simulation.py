"""Use in the order helps what is asked again and does not cost what nobody asked before.

The world and its agents are those of `benchmarks/simulation.py`, in small.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

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


def test_counts_of_mere_retrieval_in_the_order_ruin_needs_never_asked(simulation, trial, plain):
    raw = trial.outcome(simulation.RawTrail())
    assert raw.never_asked < plain.never_asked - 0.3
    assert raw.asked < plain.asked
