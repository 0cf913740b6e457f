"""Whether use in the order is safe: the simulation beside what is to be reached."""

from __future__ import annotations

from statistics import fmean

from benchmarks.figures import Figure
from benchmarks.run import Run
from benchmarks.simulation import ORDERS, Outcome, Trial

_SHIPPED = "usefulness 0.2 (default)"


def measured(run: Run) -> list[Figure]:
    """Return what the shipped order gains on needs that were asked and loses on all others."""
    seeds = (1,) if run.quick else (1, 2, 3)
    examined = 1_000 if run.quick else 2_000
    plain: list[Outcome] = []
    shipped: list[Outcome] = []
    with run.progress("simulating", len(seeds)) as advance:
        for seed in seeds:
            trial = Trial.made(seed, queries=4 * examined, examined=examined)
            plain.append(trial.outcome(ORDERS["cosine"]()))
            shipped.append(trial.outcome(ORDERS[_SHIPPED]()))
            advance(1)
    before = Outcome(*(fmean(column) for column in zip(*plain, strict=True)))
    after = Outcome(*(fmean(column) for column in zip(*shipped, strict=True)))
    asked = f"{before.asked:.3f} to {after.asked:.3f}"
    never = f"{before.never_asked:.3f} to {after.never_asked:.3f}"
    gain, loss = after.asked - before.asked, before.never_asked - after.never_asked
    return [
        Figure.at_least("success@3 gained where needs were asked", gain, 0.08, "", asked),
        Figure.at_most("success@3 lost where none was asked", loss, 0.01, "", never),
    ]
