"""The points of an exact index as rows of the database whose space it serves.

In the space's own database they are sealed, journaled and rolled back with everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.storage.vectors.models import Point
from wellworn.engines.storage.vectors.precision import unit

if TYPE_CHECKING:
    from wellworn.engines.storage.sql import Database, Transaction

_PAGE = 8_192
_ENTRY = np.dtype([("term", "<u4"), ("weight", "<f4")])


class Row(NamedTuple):
    """A point as it is stored.

    Attributes:
        vector: little-endian float32, of length one; empty without one.
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
    """Write a point as a row, its vector brought to length one exactly."""
    labels = point.labels
    return Row(
        point.id,
        b"" if point.vector is None else unit(point.vector).astype("<f4").tobytes(),
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


def vectors(stored: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
    """Read vectors, `(n, dimensions)` float32; zeros for a point without one.

    Raises:
        ValueError: they are of another length.
    """
    lacking = bytes(dimensions * np.dtype("<f4").itemsize)
    whole = b"".join(vector or lacking for vector in stored)
    return np.frombuffer(whole, np.dtype("<f4")).reshape(len(stored), dimensions)


def entries(
    stored: Sequence[bytes],
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
    """Read terms: which of the stored ones each belongs to, the terms, and their weights."""
    lengths = [len(blob) // _ENTRY.itemsize for blob in stored]
    whole = np.frombuffer(b"".join(stored), _ENTRY)
    return np.repeat(np.arange(len(stored)), lengths), whole["term"], whole["weight"]
