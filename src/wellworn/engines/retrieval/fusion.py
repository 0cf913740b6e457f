"""Fuse scores: z-normalised per query, weighted and added.

Scores are added rather than ranks because a rank forgets by how much the best was better
(measured: recall@10 .716 against .601). The parts of a score stay: every hit explains itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.weights import (
    FARTHEST,
    FIRST_STAGE,
    LEAST_COSINE_DEVIATION,
    LEAST_KEYWORD_DEVIATION,
    Weights,
)
from wellworn.kit.matches import FloatArray, Matches


@dataclass(frozen=True, slots=True)
class RankedResult:
    """One result in its place.

    Attributes:
        cosine: the similarity that callers see as `score`.
        keyword: BM25 as the engine summed it.
        parts: what each reason added to the rank score, by name.
        rank_score: the sum of the parts.
    """

    id: int
    cosine: float
    keyword: float
    parts: Mapping[str, float]
    rank_score: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rank_score", math.fsum(self.parts.values()))

    def with_part(self, name: str, amount: float) -> RankedResult:
        """Return the result with an amount added to one of its parts."""
        return replace(self, parts={**self.parts, name: self.parts.get(name, 0.0) + amount})


def select_candidates(matches: Matches, most: int, weights: Weights = FIRST_STAGE) -> list[int]:
    """Return the ids of the first `most` by the weighted z-scores of the index alone."""
    scores = weights.meaning * standardise_cosines(matches)
    scores += weights.words * standardise(matches.keywords, LEAST_KEYWORD_DEVIATION)
    return matches.ids[np.argsort(-scores, kind="stable")[:most]].tolist()


def rank_by_cosine(matches: Matches) -> list[RankedResult]:
    """Return the matches in the specified order: cosine, best first, ties by id."""
    return sort_results(
        RankedResult(match.id, match.cosine, match.keyword, {"meaning": match.cosine})
        for match in matches
    )


def merge_passages(
    points: Matches, unit_of: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> Matches:
    """Join passages to their units, by `unit_of` their ids; each score is its best passage's.

    The two maxima may come from different passages: a long thought that means what is asked in
    one place and names it in another answers as well as one that does both at once.
    """
    if not len(points):
        return points
    units = unit_of(points.ids)
    # The last of a unit's passages is its nearest, as far as any has a vector.
    order = np.lexsort((points.cosines, points.has_vector, units))
    points, units = points.select(order), units[order]
    starts = np.flatnonzero(np.diff(units, prepend=units[0] - 1))
    nearest = np.append(starts[1:], len(units)) - 1
    return Matches(
        units[starts],
        points.cosines[nearest],
        np.maximum.reduceat(points.keywords, starts),
        np.maximum.reduceat(points.names, starts),
        points.has_vector[nearest],
    )


def sort_results(ranked: Iterable[RankedResult]) -> list[RankedResult]:
    """Return results by their scores; equal ones by cosine, then by id."""
    return sorted(ranked, key=lambda result: (-result.rank_score, -result.cosine, result.id))


def standardise_cosines(matches: Matches) -> FloatArray:
    """Return z-scores of cosines, of which none is below `FARTHEST`.

    What has no vector has 0, which is the mean.
    """
    scores = standardise(matches.cosines, LEAST_COSINE_DEVIATION, among=matches.has_vector)
    return np.maximum(scores, FARTHEST)


def standardise(
    values: Sequence[float] | NDArray[np.floating],
    least_deviation: float,
    *,
    among: NDArray[np.bool_] | None = None,
) -> FloatArray:
    """Return z-scores, all 0 where the values do not differ.

    With `among` only those count and have a score; all others have 0, which is the mean.
    """
    column = np.asarray(values, np.float64)
    # Sorted, or the order of arrival would show in the last digits of the mean.
    counted = np.sort(column if among is None else column[among])
    if not counted.size or counted[0] == counted[-1]:
        return np.zeros(len(column))
    mean = np.add.reduce(counted) / len(counted)
    # As `std` does it, which would look for the mean again.
    counted -= mean
    deviation = math.sqrt(np.add.reduce(counted * counted) / len(counted))
    scores = (column - mean) / max(deviation, least_deviation)
    return scores if among is None else np.where(among, scores, 0.0)


def compute_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of all values; 0 and 0 of none."""
    if not values:
        return 0.0, 0.0
    # The standard library's goes through exact fractions: a hundred times slower, no better here.
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
