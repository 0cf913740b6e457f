"""Which points hold a term, and with what weight: an inverted index as plain arrays.

Most of it lies sorted by term, so that a term is two binary searches away and opening 50,000 points
takes one sort. What came since is in small arrays by term, until it is worth a sort of its own.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Weights = NDArray[np.float32]
Terms = NDArray[np.uint32]

_SMALL_BATCH = 8_192
_TERM_BITS = np.uint64(32)


class Postings:
    """Rows and weights by term; a row is a point's place, and never used again for another."""

    def __init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self._terms = np.empty(0, np.uint32)
        self._rows = np.empty(0, np.int32)
        self._weights = np.empty(0, np.float32)
        self._recent: dict[int, tuple[array[int], array[float]]] = {}
        self._recent_size = 0

    def add(self, rows: Rows, terms: Terms, weights: Weights) -> None:
        """Add entries; three arrays of one length."""
        if len(terms) > _SMALL_BATCH:
            self._sort(rows, terms, weights)
            return
        for row, term, weight in zip(rows.tolist(), terms.tolist(), weights.tolist(), strict=True):
            held = self._recent.setdefault(term, (array("i"), array("f")))
            held[0].append(row)
            held[1].append(weight)
        self._recent_size += len(terms)
        if self._recent_size > _SMALL_BATCH + len(self._terms) // 4:
            self._sort(rows[:0], terms[:0], weights[:0])

    def of(self, term: int) -> tuple[Rows, Weights]:
        """Return the rows that hold a term, also those of points gone meanwhile, and weights."""
        number = np.uint32(term)
        start, end = (int(np.searchsorted(self._terms, number, side)) for side in ("left", "right"))
        rows, weights = self._rows[start:end], self._weights[start:end]
        if term not in self._recent:
            return rows, weights
        recent_rows, recent_weights = self._recent[term]
        return (
            np.concatenate([rows, np.array(recent_rows, np.int32)]),
            np.concatenate([weights, np.array(recent_weights, np.float32)]),
        )

    def renumber(self, places: Rows) -> None:
        """Move every row to its new place, `places[row]`; those of -1 are dropped."""
        rows, terms, weights = self._all()
        moved = places[rows]
        is_living = moved >= 0
        self._empty()
        self._sort(moved[is_living], terms[is_living], weights[is_living])

    def _all(self) -> tuple[Rows, Terms, Weights]:
        terms = [np.full(len(held[0]), term, np.uint32) for term, held in self._recent.items()]
        rows = [np.array(held, np.int32) for held, _ in self._recent.values()]
        weights = [np.array(held, np.float32) for _, held in self._recent.values()]
        return (
            np.concatenate([self._rows, *rows]),
            np.concatenate([self._terms, *terms]),
            np.concatenate([self._weights, *weights]),
        )

    def _sort(self, rows: Rows, terms: Terms, weights: Weights) -> None:
        old_rows, old_terms, old_weights = self._all()
        rows = np.concatenate([old_rows, rows])
        terms = np.concatenate([old_terms, terms])
        weights = np.concatenate([old_weights, weights])
        # One number for both: sorting it is several times faster than a sort by two keys.
        order = np.argsort((terms.astype(np.uint64) << _TERM_BITS) | rows.astype(np.uint64))
        self._empty()
        self._rows, self._terms, self._weights = rows[order], terms[order], weights[order]
