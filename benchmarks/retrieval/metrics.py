"""How well a ranking found the evidence; relevance is yes or no.

Memory systems call different things "recall", so each name here means one thing. nDCG divides by
the ideal order of all evidence, found or not: dividing by the best order of what was found hides
what was missed.

Source: Järvelin and Kekäläinen 2002 (nDCG); the scripts of BEIR and LongMemEval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2
from typing import Final

Metric = Callable[[Sequence[str], frozenset[str], int], float]


def hit(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return 1 if any evidence is among the first k, else 0."""
    return float(not relevant.isdisjoint(ranking[:k]))


def recall(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return the share of the evidence that is among the first k."""
    return len(relevant.intersection(ranking[:k])) / len(relevant)


def complete(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return 1 if all evidence is among the first k, else 0."""
    return float(relevant.issubset(ranking[:k]))


def ndcg(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return the gain discounted by 1 / log2(rank + 1), over that of the ideal order."""
    return _gain_over_ideal(ranking, relevant, k, lambda rank: 1 / log2(rank + 1))


def ndcg_longmemeval(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return nDCG as LongMemEval discounts: ranks 1 and 2 in full, then by 1 / log2(rank)."""
    return _gain_over_ideal(ranking, relevant, k, lambda rank: 1 / log2(max(rank, 2)))


def mrr(ranking: Sequence[str], relevant: frozenset[str], k: int) -> float:
    """Return one over the rank of the first evidence, 0 if there is none among the first k."""
    ranks = (rank for rank, found in enumerate(ranking[:k], start=1) if found in relevant)
    return next((1 / rank for rank in ranks), 0.0)


METRICS: Final[dict[str, Metric]] = {
    "hit": hit,
    "recall": recall,
    "all": complete,
    "ndcg": ndcg,
    "ndcg_lme": ndcg_longmemeval,
    "mrr": mrr,
}


def scores(
    ranking: Sequence[str], relevant: frozenset[str], names: Iterable[str]
) -> dict[str, float]:
    """Judge a ranking by metrics named `metric@k`."""
    parts = {name: name.split("@") for name in names}
    return {name: METRICS[of](ranking, relevant, int(k)) for name, (of, k) in parts.items()}


def collapsed(ranking: Sequence[str], groups: Mapping[str, str]) -> list[str]:
    """Return the ranking of groups that one of units implies: each where its best unit stands."""
    return list(dict.fromkeys(groups[unit] for unit in ranking))


def _gain_over_ideal(
    ranking: Sequence[str], relevant: frozenset[str], k: int, discount: Callable[[int], float]
) -> float:
    gained = sum(
        discount(rank) for rank, found in enumerate(ranking[:k], start=1) if found in relevant
    )
    return gained / sum(discount(rank) for rank in range(1, min(k, len(relevant)) + 1))
