"""Matches of an index, of points or of full units: scores in columns, a row for each.

A question has hundreds of them, and arithmetic over columns takes a fraction of what as many
objects would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Match(NamedTuple):
    """One row.

    Attributes:
        id: of the point or unit.
        cosine: -1 to 1; 0 without a vector, where it speaks neither for nor against.
        keyword: sum over shared terms of idf * query weight * stored weight; 0 without one.
        name: the same over the terms of names.
        has_vector: whether the cosine says anything.
    """

    id: int
    cosine: float
    keyword: float
    name: float = 0.0
    has_vector: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Matches(Sequence[Match]):
    """Rows of scores; the attributes are the columns, as in `Match`, `(rows,)` each."""

    ids: NDArray[np.int64]
    cosines: FloatArray
    keywords: FloatArray
    names: FloatArray
    has_vector: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Iterable[Match]) -> Matches:
        """Put rows into columns."""
        ids, cosines, keywords, names, has_vector = [*zip(*rows, strict=True)] or [()] * 5
        return cls(
            np.array(ids, np.int64),
            np.array(cosines, np.float64),
            np.array(keywords, np.float64),
            np.array(names, np.float64),
            np.array(has_vector, np.bool_),
        )

    def select(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Matches:
        """Return certain rows, by their numbers or a mask."""
        return Matches(
            self.ids[rows],
            self.cosines[rows],
            self.keywords[rows],
            self.names[rows],
            self.has_vector[rows],
        )

    def join(self, other: Matches) -> Matches:
        """Return the rows of both."""
        if not len(other):
            return self
        return Matches(
            np.concatenate((self.ids, other.ids)),
            np.concatenate((self.cosines, other.cosines)),
            np.concatenate((self.keywords, other.keywords)),
            np.concatenate((self.names, other.names)),
            np.concatenate((self.has_vector, other.has_vector)),
        )

    def locate(self, ids: Sequence[int]) -> NDArray[np.intp]:
        """Return the row of each id, -1 where there is none."""
        if not len(self):
            return np.full(len(ids), -1, np.intp)
        wanted, order = np.array(ids, np.int64), np.argsort(self.ids)
        at = order[np.minimum(np.searchsorted(self.ids, wanted, sorter=order), len(order) - 1)]
        return np.where(self.ids[at] == wanted, at, -1)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...
    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        return [*self][index]

    def __iter__(self) -> Iterator[Match]:
        columns = (self.ids, self.cosines, self.keywords, self.names, self.has_vector)
        return map(Match._make, zip(*(column.tolist() for column in columns), strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # pyright: ignore[reportAssignmentType]
