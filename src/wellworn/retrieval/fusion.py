"""Two scores made one: z-normalised per query, weighted and added.

Scores are added rather than ranks because a rank forgets by how much the best was better
(measured: recall@10 .716 against .601). The parts of a score are kept: every hit explains itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from wellworn.retrieval.weights import (
    FARTHEST,
    FUSION,
    LEAST_COSINE_DEVIATION,
    LEAST_KEYWORD_DEVIATION,
    Fusion,
)


class Scored(Protocol):
    """A candidate of the vector index: both scores, whichever list found it."""

    @property
    def id(self) -> int: ...
    @property
    def cosine(self) -> float: ...
    @property
    def keyword(self) -> float: ...


class Match(NamedTuple):
    """The scores of a whole unit."""

    id: int
    cosine: float
    keyword: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """One result in its place.

    Attributes:
        cosine: the similarity that callers see as `score`.
        keyword: BM25 as the engine summed it.
        parts: what each reason added to the rank score, by name.
    """

    id: int
    cosine: float
    keyword: float
    parts: Mapping[str, float]

    @property
    def rank_score(self) -> float:
        """The sum of the parts."""
        return math.fsum(self.parts.values())


def fused(candidates: Sequence[Scored], weights: Fusion = FUSION) -> list[Ranked]:
    """Return the candidates by weighted z-scores over them, best first.

    Ties stand by cosine, then by id. What is better in both scores never stands lower.
    """
    cosines = [
        max(FARTHEST, score)
        for score in _standardised([one.cosine for one in candidates], LEAST_COSINE_DEVIATION)
    ]
    keywords = _standardised([one.keyword for one in candidates], LEAST_KEYWORD_DEVIATION)
    return _in_order(
        Ranked(
            one.id,
            one.cosine,
            one.keyword,
            {"cosine": weights.cosine * cosine, "keyword": weights.keyword * keyword},
        )
        for one, cosine, keyword in zip(candidates, cosines, keywords, strict=True)
    )


def by_cosine(candidates: Iterable[Scored]) -> list[Ranked]:
    """Return the candidates in the specified order: cosine, best first, ties by id."""
    return _in_order(
        Ranked(one.id, one.cosine, one.keyword, {"cosine": one.cosine}) for one in candidates
    )


def best_passages(candidates: Iterable[Scored], unit_of: Callable[[int], int]) -> list[Match]:
    """Join passages to their units, by `unit_of` an id; each score is its best passage's.

    The two maxima may come from different passages: a long thought that means what is asked in
    one place and names it in another answers as well as one that does both at once.
    """
    best: dict[int, Match] = {}
    for one in candidates:
        unit = unit_of(one.id)
        known = best.get(unit)
        if known is None:
            best[unit] = Match(unit, one.cosine, one.keyword)
            continue
        best[unit] = Match(unit, max(known.cosine, one.cosine), max(known.keyword, one.keyword))
    return [best[unit] for unit in sorted(best)]


def _in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda one: (-one.rank_score, -one.cosine, one.id))


def _standardised(values: Sequence[float], least_deviation: float) -> list[float]:
    """Return z-scores, all 0 where the values do not differ."""
    if not values or min(values) == max(values):
        return [0.0] * len(values)
    mean, spread = deviation(values)
    scale = max(spread, least_deviation)
    return [(value - mean) / scale for value in values]


def deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of all values; 0 and 0 of none."""
    if not values:
        return 0.0, 0.0
    # The standard library's goes through exact fractions: a hundred times slower, no better here.
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
