"""The vector index: exact, in memory, its points rows of a database.

Comparing with every point is fast enough up to some 200,000, finds all there is, and needs no
graph, no builds and no engine beside the database. Opening the index reads the points into arrays.
After a failed transaction those it touched are read back. A sealed space has its points in its own
database, in memory, written in the transaction of their units.

Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.sql import Database, Transaction, undo_with
from wellworn.engines.storage.vectors.checks import check_points, check_query, is_possible
from wellworn.engines.storage.vectors.models import NO_NAMES, Point, Where
from wellworn.engines.storage.vectors.point_table import PointTable, Row, entries, to_row, vectors
from wellworn.engines.storage.vectors.precision import round_scores, round_vector
from wellworn.engines.storage.vectors.rows import (
    Columns,
    Mask,
    PointRows,
    Postings,
    Rows,
    Terms,
    Weights,
)
from wellworn.errors import DamagedStore, IndexUnavailable
from wellworn.kit.matches import Matches

_ROUNDING = np.float32(1e-5)
"""The most that two ways to add up a cosine may lie apart."""


class ExactVectorIndex:
    """A `VectorIndex` over a table of a database, which it does not close.

    `upsert` and `delete` take part in the write transaction of their thread, or make one.

    Raises:
        DamagedStore: the table holds what cannot have been stored, or points of another size.
        StorageUnavailable: the database failed.
    """

    def __init__(self, database: Database, *, name: str = "points", dimensions: int = 384) -> None:
        self._database = database
        self._dimensions = dimensions
        self._table = PointTable(database, name)
        self._postings = Postings()
        self._tag_sets: dict[str, frozenset[str]] = {}
        self._is_closed = False
        # Acquired after the database's own lock, never before it.
        self._lock = Lock()
        self._load()

    def _load(self) -> None:
        with self._database.read() as transaction:
            self._rows = PointRows(self._dimensions, self._table.count(transaction))
            held = [self._place(page) for page in self._table.pages(transaction)]
        if held:
            rows, terms, weights = (np.concatenate(column) for column in zip(*held, strict=True))
            self._postings.add(rows, terms, weights)

    def upsert(self, points: Sequence[Point]) -> None:
        self._check_open()
        check_points(points, self._dimensions)
        if not points:
            return
        # The last of several with one id stays.
        rows = [*{point.id: to_row(point) for point in points}.values()]
        ids = [row.id for row in rows]
        with self._database.write() as transaction:
            self._undo_with(transaction, ids)
            self._table.put(transaction, rows)
            with self._serving():
                self._take(rows)

    def delete(self, ids: Sequence[int]) -> None:
        # However full the disk is: what is to be gone must not be found.
        with self._database.share_write(least_free_bytes=0) as transaction, self._serving():
            stored = self._rows.keep_existing(number for number in ids if is_possible(number))
            if not stored:
                return
            self._undo_with(transaction, stored)
            self._table.delete(transaction, stored)
            self._rows.remove(stored)
            self._tidy()

    def _undo_with(self, transaction: Transaction, ids: Sequence[int]) -> None:
        undo_with(transaction, lambda: self._read_back(ids))

    def _read_back(self, ids: Sequence[int]) -> None:
        with self._database.read() as transaction:
            rows = self._table.get(transaction, ids)
            with self._serving():
                self._rows.remove(ids)
                self._take(rows)

    def _take(self, rows: Sequence[Row]) -> None:
        if rows:
            self._postings.add(*self._place(rows))
            self._tidy()

    def _place(self, page: Sequence[Row]) -> tuple[Rows, Terms, Weights]:
        ids, stored, terms, spaces, contributors, tags = zip(*page, strict=True)
        try:
            matrix = vectors(stored, self._dimensions)
            labels = [*map(self._tags, tags)]
            owners, numbers, weights = entries(terms)
        except ValueError as error:
            raise DamagedStore("the stored points cannot be read") from error
        new = Columns(ids, matrix, spaces, contributors, labels)
        places = self._rows.add(new)
        return places[owners], numbers, weights

    def _tags(self, stored: str) -> frozenset[str]:
        # Many points have the same ones. Stored here, so that they go with the index.
        if stored not in self._tag_sets:
            self._tag_sets[stored] = frozenset(json.loads(stored))
        return self._tag_sets[stored]

    def _tidy(self) -> None:
        places = self._rows.compact()
        if places is not None:
            self._postings.renumber(places)

    def candidates(
        self,
        vector: NDArray[np.float32],
        terms: Mapping[int, float],
        where: Where,
        *,
        limit: int,
        names: Mapping[int, float] = NO_NAMES,
    ) -> Matches:
        check_query(vector, terms, self._dimensions)
        check_query(vector, names, self._dimensions)
        if limit < 1:
            return Matches.of(())
        query = round_vector(vector)
        with self._serving():
            chosen, by_terms, lists = self._find_words(terms, names, where, limit)
            if query.any():
                lists.append(self._nearest(query, chosen, limit))
            rows = np.unique(np.concatenate(lists))
            by_word, by_name = (scores[rows].astype(np.float64) for scores in by_terms)
            cosines = self._cosines(rows, query).astype(np.float64)
            has_vector, ids = self._rows.has_vector[rows], self._rows.ids[rows]
        return round_scores(Matches(ids, cosines, by_word, by_name, has_vector))

    def rarity(self, terms: Iterable[int], space: str) -> dict[int, float]:
        with self._serving():
            population = self._rows.of_space(space)
            points = int(np.count_nonzero(population))
            return {
                term: idf(points, int(np.count_nonzero(population[self._postings.of(term)[0]])))
                for term in terms
            }

    def _find_words(
        self, terms: Mapping[int, float], names: Mapping[int, float], where: Where, limit: int
    ) -> tuple[Mask, list[NDArray[np.float32]], list[NDArray[np.intp]]]:
        """Return the rows that may be found; of the words and of the names all scores, the best."""
        population = self._rows.of_space(where.space)
        chosen = self._rows.filter(population, where)
        by_terms = [self._by_terms(asked, population) for asked in (terms, names)]
        return chosen, by_terms, [select_matching(scores, chosen, limit) for scores in by_terms]

    def _by_terms(self, terms: Mapping[int, float], population: Mask) -> NDArray[np.float32]:
        scores = np.zeros(len(population), np.float32)
        points = int(np.count_nonzero(population))
        for term, weight in sorted(terms.items()):
            rows, weights = self._postings.of(term)
            held = population[rows]
            holding = int(np.count_nonzero(held))
            if holding:
                scores[rows[held]] += np.float32(weight * idf(points, holding)) * weights[held]
        return scores

    def _nearest(self, query: NDArray[np.float32], chosen: Mask, limit: int) -> NDArray[np.intp]:
        rows = np.flatnonzero(chosen & self._rows.has_vector)
        if len(rows) > limit:
            # A quick product first; then those near the limit, each the same way.
            rough = (self._rows.vectors @ query)[rows]
            least = np.partition(rough, len(rows) - limit)[len(rows) - limit]
            rows = rows[rough >= least - _ROUNDING]
        cosines = np.zeros(len(chosen), np.float32)
        cosines[rows] = self._cosines(rows, query)
        return _best(cosines, rows, limit)

    def _cosines(self, rows: NDArray[np.intp], query: NDArray[np.float32]) -> NDArray[np.float32]:
        # Matrix products add up by blocks: equal vectors may come out unequal by their places.
        return np.einsum("ij,j->i", self._rows.vectors[rows], query)

    def find_vector(self, number: int) -> NDArray[np.float32] | None:
        with self._serving():
            return self._rows.find_vector(number)

    def ids(self, space: str | None = None, term: int | None = None) -> NDArray[np.int64]:
        with self._serving():
            chosen = self._rows.living if space is None else self._rows.of_space(space)
            rows = np.flatnonzero(chosen)
            if term is not None:
                holding = self._postings.of(term)[0]
                rows = holding[chosen[holding]]
            return np.sort(self._rows.ids[rows])

    def count(self, space: str) -> int:
        with self._serving():
            return int(np.count_nonzero(self._rows.of_space(space)))

    def close(self) -> None:
        """Overwrite and drop the vectors; the database stays open."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._rows.wipe()
                self._rows, self._postings = PointRows(self._dimensions), Postings()
                self._tag_sets.clear()

    @contextmanager
    def _serving(self) -> Generator[None]:
        with self._lock:
            self._check_open()
            yield

    def _check_open(self) -> None:
        if self._is_closed:
            raise IndexUnavailable("The vector index is closed.")


def select_matching(scores: NDArray[np.float32], chosen: Mask, limit: int) -> NDArray[np.intp]:
    """Return the chosen rows with the highest scores above 0."""
    return _best(scores, np.flatnonzero(chosen & (scores > 0)), limit)


def _best(scores: NDArray[np.float32], rows: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """Return the rows of the highest scores; of equal ones, those that came first."""
    return rows[np.lexsort((rows, -scores[rows]))[:limit]]


def idf(points: int, holding: int) -> float:
    """Weigh a term by its rarity: positive, and the larger the fewer points hold it."""
    return math.log1p((points - holding + 0.5) / (holding + 0.5))
