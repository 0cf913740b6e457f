"""How well a ranking found the evidence, and how sure one can be of a mean.

recall@k is the share of the evidence among the first k, hit@k whether any of it is, nDCG@k
discounts by rank and divides by the ideal order of all evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

_ROUNDS = 2_000


def recall(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return the share of the relevant that is among the first k."""
    return len(relevant.intersection(ranking[:k])) / len(relevant)


def hit(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return 1 if a relevant one is among the first k, else 0."""
    return float(bool(relevant.intersection(ranking[:k])))


def ndcg(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return the discounted gain over that of the ideal order."""
    gain = sum(1 / log2(rank + 2) for rank, one in enumerate(ranking[:k]) if one in relevant)
    return gain / sum(1 / log2(rank + 2) for rank in range(min(k, len(relevant))))


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float], *, seed: int = 7) -> Mean:
        """Return the mean of the values, of which there is at least one."""
        sample = np.asarray(values, np.float64)
        picks = np.random.default_rng(seed).integers(len(sample), size=(_ROUNDS, len(sample)))
        low, high = np.quantile(sample[picks].mean(axis=1), (0.025, 0.975))
        return cls(float(sample.mean()), float(low), float(high), len(sample))

    @property
    def interval(self) -> str:
        """The interval for people."""
        return f"95 % {self.low:.3f} to {self.high:.3f}, {self.count} questions"
