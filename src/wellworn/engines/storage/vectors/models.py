"""The vector index port.

The index is derived: SQL is the truth and the index can be rebuilt from it. It carries vectors and
only those labels that filters need and that never change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wellworn.kit.matches import Matches

NO_NAMES: Final[Mapping[int, float]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that a point can be filtered by. Immutable once stored."""

    space: str
    contributor: str = ""
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Point:
    """One indexed passage.

    Attributes:
        id: 1 to 2**63 - 1, chosen by the caller.
        vector: `(dimensions,)` float32, L2-normalised; stored as `round_vector` rounds it. None
            until it is embedded: until then it is found by its terms alone.
        terms: weights by term number (0 to 2**32 - 1) of words and names, no idf; all positive.
    """

    id: int
    vector: NDArray[np.float32] | None
    terms: Mapping[int, float]
    labels: Labels


@dataclass(frozen=True, slots=True)
class Where:
    """A filter. The space is not optional: there is no search across spaces."""

    space: str
    any_tags: frozenset[str] = field(default=frozenset())
    all_tags: frozenset[str] = field(default=frozenset())
    not_contributor: str = ""
    among: frozenset[int] | None = None
    """Only these points; None for all."""


class Update(NamedTuple):
    """Points that were stored, ids of points that were deleted, or both as another server did.

    What another server stored comes as its rows, and the ids of all that it changed as deleted.
    """

    stored: Sequence[Point] = ()
    deleted: Sequence[int] = ()
    rows: Sequence[Any] = ()


class VectorIndex(Protocol):
    """Eight methods; all raise `IndexUnavailable` when the engine fails.

    Example:
        index.upsert([Point(1, vector, {}, Labels("ks-default"))])
        matches = index.candidates(vector, {}, Where("ks-default"), limit=10)
    """

    def upsert(self, points: Sequence[Point]) -> None:
        """Store or replace points; durable against the death of the process on return.

        Raises:
            IndexUnavailable: also for a vector of wrong size, not finite or not of length one, and
                for ids, terms or a space out of range; nothing of the batch is then stored.
            StorageUnavailable: the disk is full; nothing is stored.
        """
        ...

    def delete(self, ids: Sequence[int]) -> None:
        """Remove points; ids that are not there are passed over.

        They are found by nobody on return; their bytes may leave the files later.
        """
        ...

    def candidates(
        self,
        vector: NDArray[np.float32],
        terms: Mapping[int, float],
        where: Where,
        *,
        limit: int,
        names: Mapping[int, float] = NO_NAMES,
    ) -> Matches:
        """Return the union of the `limit` nearest points, best keyword and best name matches.

        All scores are exact, whichever of the lists a point is from. Cosines are of the rounded
        vectors: within .0002 of the original ones, and as much below 1 for a vector and itself. A
        point without a vector is among the matches only.

        The idf of a term is computed over the points of the space alone. Order: cosine, best first,
        then id. With empty `terms` and `names` it is the plain vector search.
        """
        ...

    def rarity(self, terms: Iterable[int], space: str) -> dict[int, float]:
        """Return the idf of each term in a space; those that nobody holds are the rarest.

        Also for a space without points. All are positive.
        """
        ...

    def find_vector(self, number: int) -> NDArray[np.float32] | None:
        """Return the vector of a point as it is kept, rounded; None without one."""
        ...

    def ids(self, space: str | None = None, term: int | None = None) -> NDArray[np.int64]:
        """Return the stored ids, ascending: all, those of a space, those that hold a term."""
        ...

    def count(self, space: str) -> int:
        """Count the points of a space."""
        ...

    def close(self) -> None:
        """Release the files. Any later call raises `IndexUnavailable`."""
        ...
