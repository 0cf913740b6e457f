"""Pheromone: the visible trail, fading by the hour and evaluated only when read.

The specification describes an hourly job that rewrites every thought. The same numbers follow from
two stored ones, a weight and the hour until which it is frozen, so nothing has to be rewritten, no
hour is ever missed and two processes cannot fade a thought twice. The job it stands for runs at
every full hour of epoch time, before anything else that happens in that instant, and spares what
was accessed within the last hour. A thought never accessed counts from its creation.
"""

from __future__ import annotations

from math import floor, log
from typing import NamedTuple

SECONDS_PER_HOUR = 3600

INITIAL = 1.0
"""The weight of a new thought; all weights are without unit."""
DEPOSIT = 0.05
"""Added by every retrieval."""
BONUS = 0.02
"""Added when the caller goes on to contribute in the same session."""
USEFUL = 0.10
"""Added by the explicit signal `useful`."""
DAMPING = 0.9
"""The factor of the explicit signal `irrelevant`."""
MOST_BY_ONE_OWNER = 1.0
"""All that one owner of credentials can add to one thought."""
DEPOSITS_EVERY_S = 600.0
"""An owner's retrievals of one thought in one session deposit once in this time."""
CEILING = 10.0
FLOOR = 0.1
RETENTION_PER_HOUR = 0.995
"""The share of a weight that is left after one hour: half in 138 hours."""
FADING_PER_HOUR = -log(RETENTION_PER_HOUR)
"""The same as a rate: the natural logarithm of a weight falls by this much an hour."""


class Pheromone(NamedTuple):
    """A stored weight (0.1 to 10) that begins to fade after the hour `frozen_until_h`."""

    weight: float
    frozen_until_h: int


def hour_of(moment: float) -> int:
    """Return the number of full hours since the Unix epoch; `moment` is in epoch seconds."""
    return floor(moment / SECONDS_PER_HOUR)


def create(now: float) -> Pheromone:
    """Return the pheromone of a thought created now."""
    return Pheromone(INITIAL, hour_of(now) + 1)


def weight_at(pheromone: Pheromone, now: float) -> float:
    """Return the weight as it is now, 0.1 to 10."""
    faded_h = max(0, hour_of(now) - pheromone.frozen_until_h)
    return max(FLOOR, pheromone.weight * RETENTION_PER_HOUR**faded_h)


def share_left(then: float, now: float) -> float:
    """Return the share that is left of what was added at `then`, 0 to 1."""
    return RETENTION_PER_HOUR ** max(0, hour_of(now) - hour_of(then) - 1)


def deposit(pheromone: Pheromone, now: float, deposit: float = DEPOSIT) -> Pheromone:
    """Return what a retrieval leaves: one deposit, and an hour in which nothing fades.

    One that deposits nothing leaves nothing: else asking every hour would keep a weight for good.
    """
    if not deposit:
        return pheromone
    return Pheromone(_clamp(weight_at(pheromone, now) + deposit), hour_of(now) + 1)


def next_deposit(deposits: int, deposited: float) -> float:
    """Return what an owner's next retrieval may add after so many, which added so much.

    The shares shrink harmonically: a first visit counts in full, a thousand visits for seven.
    """
    return cap(DEPOSIT / (deposits + 1), deposited)


def cap(amount: float, deposited: float) -> float:
    """Return how much of `amount` an owner may add who has added `deposited` already."""
    return max(0.0, min(amount, MOST_BY_ONE_OWNER - deposited))


def add(pheromone: Pheromone, now: float, amount: float) -> Pheromone:
    """Return the pheromone with `amount` (BONUS or USEFUL) added; its fading goes on as it was."""
    current = settle(pheromone, now)
    return Pheromone(_clamp(current.weight + amount), current.frozen_until_h)


def dampen(pheromone: Pheromone, now: float) -> Pheromone:
    """Return the pheromone after the signal `irrelevant`; its fading goes on as it was."""
    current = settle(pheromone, now)
    return Pheromone(_clamp(current.weight * DAMPING), current.frozen_until_h)


def settle(pheromone: Pheromone, now: float) -> Pheromone:
    """Return the same pheromone written with the weight of now; its later course is unchanged."""
    return Pheromone(weight_at(pheromone, now), max(pheromone.frozen_until_h, hour_of(now)))


def order_key(pheromone: Pheromone) -> float:
    """Return a number that stays the same between writes and orders like the weight.

    Exact among all that is no longer frozen (`frozen_until_h <= hour_of(now)`), so an index on it
    finds the strongest without reading every thought; what is still frozen orders by its weight.
    """
    return log(pheromone.weight) + FADING_PER_HOUR * pheromone.frozen_until_h


def _clamp(weight: float) -> float:
    return min(CEILING, max(FLOOR, weight))
