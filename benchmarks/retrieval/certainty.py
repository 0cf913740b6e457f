"""How sure one can be of a mean over questions, and of a difference between two runs.

Both are drawn from a fixed seed, so that the same answers give the same figures.

Source: Efron 1979 (bootstrap); Smucker, Allan and Carterette 2007 (paired randomisation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

_SEED: Final = 7
_RESAMPLES: Final = 2_000
_SHUFFLES: Final = 5_000
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % bootstrap interval, over `count` questions."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Return the mean of the values, of which there is at least one."""
        sample = np.asarray(values, np.float64)
        chance = np.random.default_rng(_SEED)
        means = [
            sample[chance.integers(len(sample), size=len(sample))].mean() for _ in range(_RESAMPLES)
        ]
        low, high = np.quantile(means, (0.025, 0.975))
        return cls(float(sample.mean()), float(low), float(high), len(sample))


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the first of two runs was on the questions that both were asked.

    Attributes:
        mean: the mean difference with its interval, above 0 where the first was better.
        better: questions on which it was.
        worse: questions on which it was not; the others are ties.
        p: how often chance alone gives a mean at least as far from 0.
    """

    mean: Mean
    better: int
    worse: int
    p: float

    @classmethod
    def between(cls, first: Sequence[float], second: Sequence[float]) -> Difference:
        """Compare two runs, whose values stand in the same order of questions."""
        deltas = np.asarray(first, np.float64) - np.asarray(second, np.float64)
        chance = np.random.default_rng(_SEED)
        least = abs(deltas.mean()) - _ROUNDING
        as_far = sum(
            abs((deltas * (2 * chance.integers(2, size=len(deltas)) - 1)).mean()) >= least
            for _ in range(_SHUFFLES)
        )
        return cls(
            mean=Mean.of(deltas.tolist()),
            better=int((deltas > 0).sum()),
            worse=int((deltas < 0).sum()),
            p=float((as_far + 1) / (_SHUFFLES + 1)),
        )
