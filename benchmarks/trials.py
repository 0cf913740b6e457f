"""How soon is a better order found by a trial, and how often a difference where there is none?

Questions have fifteen candidates, whose use hangs on a relevance that each order sees blurred.
Readers get to the fifth place half as often as to the first. A session asks three times, and six
users take turns. Orders pick in turn; a third is by turns as one or the other, a fourth as neither.

    python -m benchmarks.trials

prints of 100 worlds of each kind how many ever told the order on trial better, or worse, looked at
after every 90 questions, and in how many the estimate of what an order would get holds the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.interleaving import (
    OrderValue,
    Preference,
    Team,
    compare_teams,
    draft,
    estimate_value,
)

WORLDS: Final = 100
QUESTIONS: Final = 1_800
CANDIDATES: Final = 15
SHOWN: Final = 5
A_SESSION: Final = 3
USERS: Final = 6
READ: Final = 1.0 / (1.0 + 0.25 * np.arange(SHOWN))
BLURS: Final = {"equal": 1.0, "better": 0.6, "much better": 0.3}
"""How badly the order on trial sees what is relevant; the one in use has 1."""
ORDERS: Final = ("in_use", "tried", "third", "fourth")
_LOOKED_EVERY: Final = 90
_SIGNS: Final = {Team.IN_USE: -1, Team.TRIED: 1, Team.BOTH: 0}


@dataclass(frozen=True)
class Trial:
    """What a trial left, question by question.

    Attributes:
        leads: `(questions,)` what the picks of the order on trial gained above the others.
        is_told: `(questions,)` whether anything was used.
        is_first: `(orders, questions)` whether what an order puts first was put first.
        propensities: `(questions,)` how likely that was.
        rewards: `(questions,)` whether it was used.
        truth: of each order, how often its first would be used.
    """

    leads: NDArray[np.int64]
    is_told: NDArray[np.bool_]
    is_first: NDArray[np.bool_]
    propensities: NDArray[np.float64]
    rewards: NDArray[np.float64]
    truth: NDArray[np.float64]

    def compare(self, questions: int) -> Preference:
        """Return what the first questions say of the order on trial."""
        numbers = np.arange(questions) // A_SESSION
        leads = np.bincount(numbers, self.leads[:questions])
        told = np.bincount(numbers, self.is_told[:questions]) > 0
        sessions = np.flatnonzero(told).tolist()
        return compare_teams((f"user-{each % USERS}", float(leads[each])) for each in sessions)

    def estimate(self, order: str, questions: int) -> OrderValue | None:
        """Return what the first questions say that an order would have got."""
        first = slice(0, questions)
        return estimate_value(
            self.is_first[ORDERS.index(order), first],
            self.propensities[first],
            self.rewards[first],
            np.arange(questions) // A_SESSION,
        )

    def holds(self, order: str, questions: int) -> bool | None:
        """Tell whether the estimate's interval holds the truth; None where it cannot be said."""
        value = self.estimate(order, questions)
        return None if value is None else value.low <= self.truth[ORDERS.index(order)] <= value.high


@cache
def put_on_trial(seed: int, blur: float, questions: int = QUESTIONS) -> Trial:
    """Put an order on trial in a world of its own."""
    rng = np.random.default_rng([seed, int(100 * blur)])
    leads, told, first = list[int](), list[bool](), list[list[bool]]()
    propensities, rewards, values = list[float](), list[float](), list[list[float]]()
    for number in range(questions):
        relevance = rng.normal(size=CANDIDATES)
        use = 1.0 / (1.0 + np.exp(2.5 - 1.5 * relevance))
        ranked = [
            np.argsort(-(relevance + by * rng.normal(size=CANDIDATES))).tolist()
            for by in (1.0, blur, 1.0)
        ]
        ranked.insert(2, ranked[number % 2])
        picked = draft(ranked[0], ranked[1], rng.integers(2, size=SHOWN).tolist(), SHOWN)
        rows = [row for row, _ in picked]
        is_used = rng.random(SHOWN) < READ * use[rows]
        leads.append(int(np.array([_SIGNS[team] for _, team in picked]) @ is_used))
        told.append(bool(is_used.any()))
        first.append([order[0] == rows[0] for order in ranked])
        propensities.append(1.0 if picked[0][1] is Team.BOTH else 0.5)
        rewards.append(float(is_used[0]))
        values.append([float(use[order[0]]) for order in ranked])
    return Trial(
        np.array(leads),
        np.array(told),
        np.array(first).T,
        np.array(propensities),
        np.array(rewards),
        np.mean(values, axis=0),
    )


def _report(name: str, blur: float) -> None:
    trials = [put_on_trial(seed, blur) for seed in range(WORLDS)]
    ends = range(_LOOKED_EVERY, QUESTIONS + 1, _LOOKED_EVERY)
    looks = [[trial.compare(end) for end in ends] for trial in trials]
    for questions in (600, 900, 1_200, QUESTIONS):
        so_far = [some[: questions // _LOOKED_EVERY] for some in looks]
        better = sum(any((each.low or 0.0) > 0.0 for each in some) for some in so_far)
        worse = sum(any((each.high or 0.0) < 0.0 for each in some) for some in so_far)
        print(f"{name}, {questions} questions: {better} told better, {worse} worse")
    for order in ORDERS:
        held = [trial.holds(order, 600) for trial in trials]
        said = [each for each in held if each is not None]
        print(f"{name}, {order}: {sum(said)} of {len(said)} hold the truth")


if __name__ == "__main__":
    for each in BLURS.items():
        _report(*each)
