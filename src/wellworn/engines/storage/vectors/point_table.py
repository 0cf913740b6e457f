"""The points of an exact index as rows of the database whose space it serves.

In the space's own database they are sealed, journaled and rolled back with everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors.checks import NORM_TOLERANCE
from wellworn.engines.storage.vectors.models import Point
from wellworn.engines.storage.vectors.precision import unit

_PAGE = 8_192
_FLOATS = {2: np.dtype("<f2"), 4: np.dtype("<f4")}
_ENTRY = np.dtype([("term", "<u4"), ("weight", "<f4")])


class Row(NamedTuple):
    """A point as it is stored.

    Attributes:
        vector: little-endian float16, of length one; empty without one. Earlier rows are float32.
        terms: pairs of a little-endian uint32 term and its float32 weight.
        tags: a JSON list, sorted.
    """

    id: int
    vector: bytes
    terms: bytes
    space: str
    contributor: str
    tags: str


class PointTable:
    """One table of points; made when it is not there."""

    def __init__(self, database: Database, name: str) -> None:
        if not name.isidentifier():
            raise ValueError("a table's name is a word")
        self._name = name
        # Asked first, because to change a schema makes the journal write an image.
        with database.read() as transaction:
            known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
            missing = transaction.exec_driver_sql(known, (name,)).first() is None
        if missing:
            with database.write() as transaction:
                self._create(transaction)

    def _create(self, transaction: Transaction) -> None:
        transaction.exec_driver_sql(
            f"CREATE TABLE {self._name} (id INTEGER PRIMARY KEY, vector BLOB NOT NULL, "
            "terms BLOB NOT NULL, space TEXT NOT NULL, contributor TEXT NOT NULL, "
            "tags TEXT NOT NULL)"
        )

    def put(self, transaction: Transaction, rows: Sequence[Row]) -> None:
        """Store rows in place of those with the same ids."""
        if rows:
            insert = f"INSERT OR REPLACE INTO {self._name} VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608
            transaction.exec_driver_sql(insert, [tuple(row) for row in rows])

    def delete(self, transaction: Transaction, ids: Iterable[int]) -> None:
        delete = f"DELETE FROM {self._name} WHERE id = ?"  # noqa: S608
        for number in ids:
            transaction.exec_driver_sql(delete, (number,))

    def get(self, transaction: Transaction, ids: Iterable[int]) -> list[Row]:
        """Return the rows of those of these ids that are there."""
        select = f"SELECT * FROM {self._name} WHERE id = ?"  # noqa: S608
        rows = (transaction.exec_driver_sql(select, (number,)).first() for number in ids)
        return [Row(*row) for row in rows if row is not None]

    def count(self, transaction: Transaction) -> int:
        counted = transaction.exec_driver_sql(f"SELECT count(*) FROM {self._name}")  # noqa: S608
        return int(counted.scalar_one())

    def pages(self, transaction: Transaction) -> Iterator[Sequence[Row]]:
        """Yield all rows by id, some thousands at a time; as plain tuples in a row's order."""
        select = f"SELECT * FROM {self._name} ORDER BY id"  # noqa: S608
        cursor: Any = transaction.exec_driver_sql(select)
        while page := cursor.fetchmany(_PAGE):
            yield page


def to_row(point: Point) -> Row:
    """Write a point as a row, its vector rounded as `precision.round_vector` does."""
    labels = point.labels
    return Row(
        point.id,
        b"" if point.vector is None else unit(point.vector).astype("<f2").tobytes(),
        pack_terms(point.terms),
        labels.space,
        labels.contributor,
        json.dumps(sorted(labels.tags)),
    )


def pack_terms(terms: Mapping[int, float]) -> bytes:
    """Write terms with their weights, as `entries` reads them."""
    packed = np.empty(len(terms), _ENTRY)
    packed["term"] = list(terms)
    packed["weight"] = list(terms.values())
    return packed.tobytes()


def vectors(stored: Sequence[bytes], dimensions: int) -> NDArray[np.float16]:
    """Read vectors, `(n, dimensions)`; zeros for a point without one.

    Raises:
        ValueError: they have another number of dimensions, or are not of length one.
    """
    matrix = np.zeros((len(stored), dimensions), np.float16)
    for row, vector in zip(matrix, stored, strict=True):
        if vector:
            row[:] = np.frombuffer(vector, _FLOATS.get(len(vector) // dimensions, _FLOATS[2]))
    squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float32)
    # Written so that what is no number fails too.
    if not (np.abs(squares - (squares > 0)) <= 2 * NORM_TOLERANCE).all():
        raise ValueError("a vector is not of length one")
    return matrix


def entries(
    stored: Sequence[bytes],
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
    """Read terms: which of the stored ones each belongs to, the terms, and their weights."""
    lengths = [len(blob) // _ENTRY.itemsize for blob in stored]
    whole = np.frombuffer(b"".join(stored), _ENTRY)
    return np.repeat(np.arange(len(stored)), lengths), whole["term"], whole["weight"]
