"""Whether use in the order, and co-use beside it, are safe: simulations beside what to reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from benchmarks.figures import Figure
from benchmarks.needs import verdicts
from benchmarks.run import Run
from benchmarks.simulation import ORDERS, SPAMMED_ORDERS, Order, Outcome, Trial

_SHIPPED = "usefulness 0.2 (default)"
_UNGUARDED = "usefulness 0.2, unguarded"
#: World -> whether co-use tells something in it.
_WORLDS = {"linked": True, "shuffled": False, "walked": False, "popular": False}


def measured(run: Run) -> list[Figure]:
    """Return what use gains and loses, honest agents and a spammer, and when the gate opens."""
    return _use(run) + _spam(run) + _gate(run)


def _use(run: Run) -> list[Figure]:
    before, after = _outcomes(run, [ORDERS["cosine"], ORDERS[_SHIPPED]], spammed=False)
    asked = f"{before.asked:.3f} to {after.asked:.3f}"
    never = f"{before.never_asked:.3f} to {after.never_asked:.3f}"
    gain, loss = after.asked - before.asked, before.never_asked - after.never_asked
    return [
        Figure.at_least("success@3 gained where needs were asked", gain, 0.08, "", asked),
        Figure.at_most("success@3 lost where none was asked", loss, 0.01, "", never),
    ]


def _spam(run: Run) -> list[Figure]:
    orders = [SPAMMED_ORDERS[name] for name in ("cosine", _SHIPPED, _UNGUARDED)]
    plain, guarded, unguarded = _outcomes(run, orders, spammed=True)
    told = f"{plain.asked:.3f} to {guarded.asked:.3f}; unguarded {unguarded.asked:.3f}"
    return [
        Figure.at_least(
            "success@3 gained beside a spammer", guarded.asked - plain.asked, 0.08, "", told
        )
    ]


def _outcomes(run: Run, orders: Sequence[Callable[[], Order]], *, spammed: bool) -> list[Outcome]:
    """Return how each order did, the mean over all seeds."""
    seeds = (1,) if run.quick else (1, 2, 3)
    examined = 1_000 if run.quick else 2_000
    found: list[list[Outcome]] = []
    with run.progress("simulating", len(seeds)) as advance:
        for seed in seeds:
            trial = Trial.made(seed, queries=4 * examined, examined=examined, spammed=spammed)
            found.append([trial.outcome(order()) for order in orders])
            advance(1)
    return [
        Outcome(*(fmean(column) for column in zip(*of_order, strict=True)))
        for of_order in zip(*found, strict=True)
    ]


def _gate(run: Run) -> list[Figure]:
    """Return how often of 20 seeds "often needed next" opened, in each world."""
    seeds = range(run.samples(20))
    figures: list[Figure] = []
    with run.progress("judging", len(_WORLDS)) as advance:
        for world, opens in _WORLDS.items():
            found = verdicts(world, seeds, sessions=800)
            share = fmean(one.is_open for one in found)
            gain = f"mean gain of hit@10 {fmean(one.gain for one in found):.3f}, {len(seeds)} seeds"
            name = f"share of seeds with the gate open, {world}"
            reached = Figure.at_least if opens else Figure.at_most
            figures.append(reached(name, share, 1.0 if opens else 0.0, "", gain))
            advance(1)
    return figures
