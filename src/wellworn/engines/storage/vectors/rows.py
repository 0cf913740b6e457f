"""The points of an exact index as columns: one array for the vectors, one for each label.

A point's place is never used again: one that is replaced or removed leaves its place behind,
overwritten with zeros, until half of all places are such.

Terms are in an inverted index of plain arrays: which points hold one, and with what weight. It
lies in runs that are sorted by term, so that a term is two binary searches away in each and
opening 50,000 points takes one sort. What comes is a run of its own, and joined with those that are
not much longer: there are few, and adding takes as long whatever is there already.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.vectors.models import Where

_LEAST = 1_024
_Item = TypeVar("_Item", bound=np.generic)

Mask = NDArray[np.bool_]


class Columns(NamedTuple):
    """New points: ids, `(n, dimensions)` vectors of length one or zero, and labels."""

    ids: Sequence[int]
    vectors: NDArray[np.float16]
    spaces: Sequence[str]
    contributors: Sequence[str]
    tags: Sequence[frozenset[str]]


class _Codes:
    """Small numbers for labels, so that one comparison of arrays filters all points."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, label: Hashable) -> int:
        return self._numbers.setdefault(label, len(self._numbers))

    def find(self, label: Hashable) -> int:
        """Return a label's number; -1, which no point has, for one never seen."""
        return self._numbers.get(label, -1)


class _TagSets:
    """Small numbers for sets of tags, and the sets that each tag is in."""

    def __init__(self) -> None:
        self._codes = _Codes()
        self._holding: dict[str, list[int]] = {}

    def number(self, tags: frozenset[str]) -> int:
        before = len(self._codes)
        number = self._codes.number(tags)
        if number == before:
            for tag in tags:
                self._holding.setdefault(tag, []).append(number)
        return number

    def with_any(self, tags: Iterable[str]) -> Mask:
        """Return which sets hold one of these tags."""
        mask = np.zeros(len(self._codes), np.bool_)
        for tag in tags:
            mask[self._holding.get(tag, [])] = True
        return mask

    def with_all(self, tags: Iterable[str]) -> Mask:
        """Return which sets hold all of these tags."""
        mask = np.ones(len(self._codes), np.bool_)
        for tag in tags:
            mask &= self.with_any([tag])
        return mask


class PointRows:
    """All points by their places, 0 to `size` - 1."""

    def __init__(self, dimensions: int, expected: int = 0) -> None:
        self.size = 0
        self.renumbered = 0
        """How often places were given other numbers."""
        self._gone = 0
        self._places: dict[int, int] = {}
        self._spaces, self._contributors, self._tag_sets = _Codes(), _Codes(), _TagSets()
        capacity = max(_LEAST, expected + expected // 8)
        self._vectors = np.zeros((capacity, dimensions), np.float32)
        self._ids = np.zeros(capacity, np.int64)
        self._living = np.zeros(capacity, np.bool_)
        self._has_vector = np.zeros(capacity, np.bool_)
        self._space = np.zeros(capacity, np.int32)
        self._contributor = np.zeros(capacity, np.int32)
        self._tags = np.zeros(capacity, np.int32)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`(size, dimensions)` float32; those gone are zero."""
        return self._vectors[: self.size]

    @property
    def has_vector(self) -> Mask:
        """`(size,)`: which have a vector; it says nothing of those gone."""
        return self._has_vector[: self.size]

    @property
    def ids(self) -> NDArray[np.int64]:
        """`(size,)` int64, those gone included."""
        return self._ids[: self.size]

    @property
    def living(self) -> Mask:
        """`(size,)`: which places hold a point that is not gone."""
        return self._living[: self.size]

    def find_vector(self, number: int) -> NDArray[np.float32] | None:
        """Return a copy of the vector of a point; None without one."""
        place = self._places.get(number, -1)
        return self.vectors[place].copy() if place >= 0 and self.has_vector[place] else None

    def find_places(self, ids: Iterable[int]) -> NDArray[np.intp]:
        """Return the places of those of these ids that have a point."""
        return np.array([self._places[number] for number in self.keep_existing(ids)], np.intp)

    def keep_existing(self, ids: Iterable[int]) -> list[int]:
        """Return the ids that have a point."""
        return [number for number in ids if number in self._places]

    def add(self, new: Columns) -> NDArray[np.int32]:
        """Add points, in place of those with the same ids; return their places."""
        self.remove(new.ids)
        first, self.size = self.size, self.size + len(new.ids)
        self._grow()
        fresh = slice(first, self.size)
        self._vectors[fresh] = new.vectors
        self._ids[fresh] = new.ids
        self._living[fresh] = True
        self._has_vector[fresh] = new.vectors.any(axis=1)
        self._space[fresh] = [self._spaces.number(space) for space in new.spaces]
        self._contributor[fresh] = [
            self._contributors.number(contributor) for contributor in new.contributors
        ]
        self._tags[fresh] = [self._tag_sets.number(tags) for tags in new.tags]
        self._places.update(zip(new.ids, range(first, self.size), strict=True))
        return np.arange(first, self.size, dtype=np.int32)

    def remove(self, ids: Iterable[int]) -> None:
        """Remove points; unknown ids are skipped."""
        places = [place for number in ids if (place := self._places.pop(number, -1)) >= 0]
        self._living[places] = False
        self._vectors[places] = 0.0
        self._gone += len(places)

    def of_space(self, space: str) -> Mask:
        """Return which places hold a living point of the space."""
        mask = self._space[: self.size] == self._spaces.find(space)
        return mask & self.living

    def filter(self, population: Mask, where: Where) -> Mask:
        """Narrow a space's points down to those that the rest of the filter selects."""
        if where.not_contributor:
            unwanted = self._contributors.find(where.not_contributor)
            population = population & (self._contributor[: self.size] != unwanted)
        if where.among is not None:
            population = population & self._holding(where.among)
        if where.any_tags:
            population = population & self._tag_sets.with_any(where.any_tags)[self._tags_now]
        if where.all_tags:
            population = population & self._tag_sets.with_all(where.all_tags)[self._tags_now]
        return population

    def _holding(self, ids: Iterable[int]) -> Mask:
        mask = np.zeros(self.size, np.bool_)
        mask[self.find_places(ids)] = True
        return mask

    @property
    def _tags_now(self) -> NDArray[np.int32]:
        return self._tags[: self.size]

    def compact(self) -> NDArray[np.int32] | None:
        """Close the gaps once they are half of all places.

        Returns each old place's new one, -1 if gone; None where nothing moved.
        """
        if self._gone <= max(_LEAST, self.size // 2):
            return None
        living = np.flatnonzero(self._living[: self.size])
        places = np.full(self.size, -1, np.int32)
        places[living] = np.arange(len(living), dtype=np.int32)
        labels = (self._space, self._contributor, self._tags)
        for column in (self._vectors, self._has_vector, self._ids, *labels):
            column[: len(living)] = column[living]
            column[len(living) : self.size] = 0
        self._living[: self.size] = False
        self._living[: len(living)] = True
        self.size, self._gone = len(living), 0
        self.renumbered += 1
        self._places = dict(zip(self.ids.tolist(), range(self.size), strict=True))
        return places

    def wipe(self) -> None:
        """Overwrite all vectors."""
        self._vectors[:] = 0.0

    def _grow(self) -> None:
        if self.size <= len(self._ids):
            return
        capacity = max(self.size, 2 * len(self._ids))
        self._vectors = _longer(self._vectors, capacity)
        self._ids = _longer(self._ids, capacity)
        self._living = _longer(self._living, capacity)
        self._has_vector = _longer(self._has_vector, capacity)
        self._space = _longer(self._space, capacity)
        self._contributor = _longer(self._contributor, capacity)
        self._tags = _longer(self._tags, capacity)


def _longer(column: NDArray[_Item], capacity: int) -> NDArray[_Item]:
    longer = np.zeros((capacity, *column.shape[1:]), column.dtype)
    longer[: len(column)] = column
    return longer


Rows = NDArray[np.int32]
Weights = NDArray[np.float32]
Terms = NDArray[np.uint32]

_TERM_BITS = np.uint64(32)
_NO_ROWS, _NO_WEIGHTS = np.empty(0, np.int32), np.empty(0, np.float32)
_MUCH_LONGER = 4


class _Run(NamedTuple):
    """Entries sorted by term, as three arrays of one length."""

    rows: Rows
    terms: Terms
    weights: Weights

    @classmethod
    def sort(cls, parts: Sequence[tuple[Rows, Terms, Weights]]) -> _Run:
        rows, terms, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        # One number for both: sorting it is several times faster than a sort by two keys.
        order = np.argsort((terms.astype(np.uint64) << _TERM_BITS) | rows.astype(np.uint64))
        return cls(rows[order], terms[order], weights[order])


class Postings:
    """Rows and weights by term; a row is a point's place, and never used again for another."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def add(self, rows: Rows, terms: Terms, weights: Weights) -> None:
        """Add entries; three arrays of one length."""
        parts, size = [(rows, terms, weights)], len(terms)
        while self._runs and len(self._runs[-1].terms) <= _MUCH_LONGER * size:
            parts.append(self._runs.pop())
            size += len(parts[-1][1])
        self._runs.append(_Run.sort(parts[::-1]))

    def of(self, term: int) -> tuple[Rows, Weights]:
        """Return the rows that hold a term, also those of points gone meanwhile, and weights."""
        number = np.uint32(term)
        rows, weights = [_NO_ROWS], [_NO_WEIGHTS]
        for run in self._runs:
            start = run.terms.searchsorted(number, "left")
            end = run.terms.searchsorted(number, "right")
            if start < end:
                rows.append(run.rows[start:end])
                weights.append(run.weights[start:end])
        if len(rows) <= 2:  # noqa: PLR2004 - none and one
            return rows[-1], weights[-1]
        return np.concatenate(rows), np.concatenate(weights)

    def renumber(self, places: Rows) -> None:
        """Move every row to its new place, `places[row]`; those of -1 are dropped."""
        runs, self._runs = self._runs, []
        for rows, terms, weights in runs:
            moved = places[rows]
            is_living = moved >= 0
            self.add(moved[is_living], terms[is_living], weights[is_living])
