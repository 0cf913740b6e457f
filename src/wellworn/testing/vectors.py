"""The vector index as plain arithmetic in memory, which every other index is measured by.

Points to fill an index with are here too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.vectors import (
    NO_NAMES,
    Labels,
    Point,
    Where,
    check_points,
    check_query,
    round_scores,
    round_vector,
)
from wellworn.errors import IndexUnavailable
from wellworn.kit.matches import Match, Matches

DIMENSIONS = 8
SPACES = ("meadow", "forest")
TAGS = ("red", "green", "blue")


class ListVectorIndex:
    """A `VectorIndex` that compares every point.

    Example:
        index = ListVectorIndex(DIMENSIONS)
        index.upsert([point(1), point(2)])
    """

    def __init__(self, dimensions: int = 384) -> None:
        self._dimensions = dimensions
        self._points: dict[int, Point] = {}
        self._lock = Lock()
        self._closed = False

    def upsert(self, points: Sequence[Point]) -> None:
        self._check_open()
        check_points(points, self._dimensions)
        with self._lock:
            self._points |= {point.id: point for point in points}

    def delete(self, ids: Sequence[int]) -> None:
        self._check_open()
        with self._lock:
            for number in ids:
                self._points.pop(number, None)

    def candidates(
        self,
        vector: NDArray[np.float32],
        terms: Mapping[int, float],
        where: Where,
        *,
        limit: int,
        names: Mapping[int, float] = NO_NAMES,
    ) -> Matches:
        self._check_open()
        check_query(vector, terms, self._dimensions)
        check_query(vector, names, self._dimensions)
        in_order = self._score(vector, terms, names, where)
        near = [hit for hit in in_order if hit.has_vector and vector.any()]
        by_word = sorted((hit for hit in in_order if hit.keyword > 0), key=lambda hit: -hit.keyword)
        by_name = sorted((hit for hit in in_order if hit.name > 0), key=lambda hit: -hit.name)
        most = max(limit, 0)
        best = {*near[:most], *by_word[:most], *by_name[:most]}
        return Matches.of(hit for hit in in_order if hit in best)

    def rarity(self, terms: Iterable[int], space: str) -> dict[int, float]:
        self._check_open()
        population = self._of_space(space)
        return {term: _idf(population, term) for term in terms}

    def find_vector(self, number: int) -> NDArray[np.float32] | None:
        self._check_open()
        point = self._points.get(number)
        return None if point is None or point.vector is None else round_vector(point.vector)

    def ids(self, space: str | None = None, term: int | None = None) -> NDArray[np.int64]:
        self._check_open()
        chosen = [
            number
            for number, point in self._points.items()
            if space in {None, point.labels.space} and (term is None or term in point.terms)
        ]
        return np.array(sorted(chosen), dtype=np.int64)

    def count(self, space: str) -> int:
        self._check_open()
        return len(self._of_space(space))

    def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise IndexUnavailable("The vector index is closed.")

    def _of_space(self, space: str) -> list[Point]:
        with self._lock:
            return [point for point in self._points.values() if point.labels.space == space]

    def _score(
        self,
        vector: NDArray[np.float32],
        terms: Mapping[int, float],
        names: Mapping[int, float],
        where: Where,
    ) -> Matches:
        population = self._of_space(where.space)
        by_word, by_name = (
            {term: weight * _idf(population, term) for term, weight in asked.items()}
            for asked in (terms, names)
        )
        chosen = [point for point in population if _matches(point, where)]
        asked = round_vector(vector)
        scored = (
            Match(
                point.id,
                0.0 if point.vector is None else float(round_vector(point.vector) @ asked),
                _add_up(by_word, point.terms),
                _add_up(by_name, point.terms),
                has_vector=point.vector is not None,
            )
            for point in chosen
        )
        return round_scores(Matches.of(scored))


def _matches(point: Point, where: Where) -> bool:
    labels = point.labels
    if where.among is not None and point.id not in where.among:
        return False
    if where.not_contributor and labels.contributor == where.not_contributor:
        return False
    if where.any_tags and not where.any_tags & labels.tags:
        return False
    return where.all_tags <= labels.tags


def _idf(population: Sequence[Point], term: int) -> float:
    holding = sum(term in point.terms for point in population)
    return math.log1p((len(population) - holding + 0.5) / (holding + 0.5))


def _add_up(weights: Mapping[int, float], terms: Mapping[int, float]) -> float:
    return sum(weights[term] * weight for term, weight in terms.items() if term in weights)


def vector(seed: int) -> NDArray[np.float32]:
    """Return the same `(DIMENSIONS,)` unit vector for the same seed."""
    drawn = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    return cast("NDArray[np.float32]", drawn / np.linalg.norm(drawn))


def axis(number: int) -> NDArray[np.float32]:
    """Return the unit vector along one axis."""
    return np.eye(DIMENSIONS, dtype=np.float32)[number]


def point(
    number: int,
    direction: NDArray[np.float32] | None = None,
    terms: Mapping[int, float] | None = None,
    labels: Labels | None = None,
) -> Point:
    """Return a point with defaults that differ by id."""
    where = vector(number) if direction is None else direction
    return Point(number, where, terms or {}, labels or Labels("meadow"))


def without_vector(bare: Point) -> Point:
    """Return a point as it is before it is embedded."""
    return replace(bare, vector=None)


def points(seed: int, count: int) -> list[Point]:
    """Return points of both spaces with terms, contributors and tags, from a seed."""
    chance = np.random.default_rng(seed)
    return [
        point(
            number,
            vector(seed * 1000 + number),
            {int(t): float(chance.integers(1, 9)) / 4 for t in chance.integers(0, 12, 4)},
            Labels(
                SPACES[int(chance.integers(2))],
                f"agent-{chance.integers(3)}",
                frozenset(tag for tag in TAGS if chance.integers(2)),
            ),
        )
        for number in range(1, count + 1)
    ]
