"""Fuse scores: z-normalised per query, weighted and added.

Scores are added rather than ranks because a rank forgets by how much the best was better
(measured: recall@10 .716 against .601). The parts of a score are kept: every hit explains itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.weights import (
    FARTHEST,
    FIRST_STAGE,
    LEAST_COSINE_DEVIATION,
    LEAST_KEYWORD_DEVIATION,
    Weights,
)

FloatArray = NDArray[np.float64]


class ScoredCandidate(Protocol):
    """A candidate of the vector index: both scores, whichever list found it."""

    @property
    def id(self) -> int: ...
    @property
    def cosine(self) -> float: ...
    @property
    def keyword(self) -> float: ...
    @property
    def name(self) -> float: ...
    @property
    def has_vector(self) -> bool: ...


class Match(NamedTuple):
    """The scores of a whole unit in the index.

    Without a vector the cosine is 0 and speaks neither for nor against the unit.
    """

    id: int
    cosine: float
    keyword: float
    name: float = 0.0
    has_vector: bool = True


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


def fuse(
    candidates: Sequence[ScoredCandidate], weights: Weights = FIRST_STAGE
) -> list[RankedResult]:
    """Return the candidates by the weighted z-scores of the index alone, best first.

    Ties stand by cosine, then by id. What is better in both scores never stands lower.
    """
    meaning = standardise_cosines(candidates)
    words = standardise([candidate.keyword for candidate in candidates], LEAST_KEYWORD_DEVIATION)
    rows = zip((weights.meaning * meaning).tolist(), (weights.words * words).tolist(), strict=True)
    return sort_results(
        RankedResult(
            candidate.id,
            candidate.cosine,
            candidate.keyword,
            {"meaning": by_meaning, "words": by_words},
        )
        for candidate, (by_meaning, by_words) in zip(candidates, rows, strict=True)
    )


def select_candidates(
    candidates: Sequence[ScoredCandidate], most: int, weights: Weights = FIRST_STAGE
) -> list[int]:
    """Return the ids of the first `most` that `fuse` ranks, without building results."""
    scores = weights.meaning * standardise_cosines(candidates)
    scores += weights.words * standardise(
        [candidate.keyword for candidate in candidates], LEAST_KEYWORD_DEVIATION
    )
    order: list[int] = np.argsort(-scores, kind="stable")[:most].tolist()
    return [candidates[at].id for at in order]


def rank_by_cosine(candidates: Iterable[ScoredCandidate]) -> list[RankedResult]:
    """Return the candidates in the specified order: cosine, best first, ties by id."""
    return sort_results(
        RankedResult(
            candidate.id, candidate.cosine, candidate.keyword, {"meaning": candidate.cosine}
        )
        for candidate in candidates
    )


def merge_passages(
    candidates: Iterable[ScoredCandidate], unit_of: Callable[[int], int]
) -> list[Match]:
    """Join passages to their units, by `unit_of` an id; each score is its best passage's.

    The two maxima may come from different passages: a long thought that means what is asked in
    one place and names it in another answers as well as one that does both at once.
    """
    best: dict[int, Match] = {}
    for candidate in candidates:
        unit = unit_of(candidate.id)
        known = best.get(unit)
        if known is None:
            best[unit] = Match(
                unit,
                candidate.cosine,
                candidate.keyword,
                candidate.name,
                candidate.has_vector,
            )
            continue
        nearest = max((known, candidate), key=lambda each: (each.has_vector, each.cosine))
        best[unit] = Match(
            unit,
            nearest.cosine,
            max(known.keyword, candidate.keyword),
            max(known.name, candidate.name),
            nearest.has_vector,
        )
    return [best[unit] for unit in sorted(best)]


def sort_results(ranked: Iterable[RankedResult]) -> list[RankedResult]:
    """Return results by their scores; equal ones by cosine, then by id."""
    return sorted(ranked, key=lambda result: (-result.rank_score, -result.cosine, result.id))


def standardise_cosines(matches: Sequence[ScoredCandidate]) -> FloatArray:
    """Return z-scores of cosines, of which none is below `FARTHEST`.

    What has no vector has 0, which is the mean.
    """
    cosines = [match.cosine for match in matches]
    has_vector = np.array([match.has_vector for match in matches], np.bool_)
    scores = standardise(cosines, LEAST_COSINE_DEVIATION, among=has_vector)
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
    if not counted.size or counted.min() == counted.max():
        return np.zeros(len(column))
    scores = (column - counted.mean()) / max(float(counted.std()), least_deviation)
    return scores if among is None else np.where(among, scores, 0.0)


def compute_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of all values; 0 and 0 of none."""
    if not values:
        return 0.0, 0.0
    # The standard library's goes through exact fractions: a hundred times slower, no better here.
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
