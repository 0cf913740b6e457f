"""Refuses what no index may see, before its engine does.

Measured: the embedded engine accepts NaN and zero vectors silently, applies batches partly, and an
update it rejected can come back after a crash. So nothing reaches an engine unchecked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.vectors.models import Point
from wellworn.errors import IndexUnavailable

_MAX_ID = 2**63 - 1
_MAX_TERM = 2**32 - 1
_MAX_WEIGHT = 1e6
NORM_TOLERANCE = 1e-2


def check_points(points: Sequence[Point], dimensions: int) -> None:
    """Refuse a batch with any point that cannot be stored.

    Raises:
        IndexUnavailable: an id out of range, no space, or a vector or terms that fail their check.
    """
    for point in points:
        if not is_possible(point.id):
            raise IndexUnavailable("A point's id is out of range.")
        if point.vector is not None:
            _check_vector(point.vector, dimensions)
        _check_terms(point.terms)
        if not point.labels.space:
            raise IndexUnavailable("A point belongs to no space.")


def check_query(vector: NDArray[np.float32], terms: Mapping[int, float], dimensions: int) -> None:
    """Refuse a query with a vector or terms that no point could have.

    A vector of zeros asks by the terms alone.

    Raises:
        IndexUnavailable: the vector or the terms fail their check.
    """
    if vector.shape != (dimensions,) or vector.any():
        _check_vector(vector, dimensions)
    _check_terms(terms)


def is_possible(number: int) -> bool:
    """Tell whether a point can have this id."""
    return 1 <= number <= _MAX_ID


def _check_vector(vector: NDArray[np.float32], dimensions: int) -> None:
    if vector.shape != (dimensions,):
        raise IndexUnavailable("A vector has the wrong number of dimensions.")
    if not np.isfinite(vector).all():
        raise IndexUnavailable("A vector holds something that is not a finite number.")
    if abs(float(np.linalg.norm(vector.astype(np.float64))) - 1.0) > NORM_TOLERANCE:
        raise IndexUnavailable("A vector is not of length one.")


def _check_terms(terms: Mapping[int, float]) -> None:
    for term, weight in terms.items():
        if not 0 <= term <= _MAX_TERM:
            raise IndexUnavailable("A term's number is out of range.")
        if not (math.isfinite(weight) and 0 < weight <= _MAX_WEIGHT):
            raise IndexUnavailable("A term's weight is not a positive number.")
