"""The vector index of servers that leave vectors in PostgreSQL, where pgvector compares them.

A server then holds the words and labels of its points alone, a fifth of what a point takes, and is
told of what others change as before. A question is one statement, with the cosines of what its
words find. Exact, PostgreSQL reads all vectors of a space; with a graph (HNSW) it goes on searching
until enough of the filter's points are found.

Source: pgvector 0.8, Iterative Index Scans; Malkov and Yashunin 2016, HNSW.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.exc import DBAPIError

from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.sql.postgresql import HalfVector
from wellworn.engines.storage.vectors.checks import check_points, check_query
from wellworn.engines.storage.vectors.exact import ExactVectorIndex
from wellworn.engines.storage.vectors.models import NO_NAMES, Point, Where
from wellworn.engines.storage.vectors.point_table import PointTable, Row, to_row, vectors
from wellworn.engines.storage.vectors.precision import round_scores, round_vector
from wellworn.engines.storage.vectors.shared import VECTORS, SharedPoints, list_tables
from wellworn.engines.storage.vectors.stored import (
    POINTS,
    WORDS,
    StoredVectorIndex,
    VectorIndexCopy,
)
from wellworn.errors import InvalidInput
from wellworn.kit.matches import Matches

_MARK: Final = np.ones(1, np.float32)
"""Stands for a vector in that copy."""
_HAS_VECTOR: Final = _MARK.astype("<f2").tobytes()
_EXACT_UP_TO: Final = 10_000
"""Points of which PostgreSQL compares each, graph or not: it takes some milliseconds."""
_PAGE: Final = 2_000
_OLDEST: Final = (0, 8)
_VERSION: Final = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
_NO_EXTENSION: Final = (
    "this PostgreSQL has no pgvector, which WELLWORN_STORAGE__VECTORS asks for: install its"
    " package, such as postgresql-18-pgvector, on the machine of the database, or unset the setting"
)
_NO_RIGHT: Final = (
    "the user of WELLWORN_STORAGE__URL may not add pgvector to the database: let a superuser run"
    " `CREATE EXTENSION vector` in it"
)
_TOO_OLD: Final = (
    "pgvector {} of this database is too old: install 0.8 or newer, and run"
    " `ALTER EXTENSION vector UPDATE` in it"
)
_REFUSALS: Final = {"0A000": _NO_EXTENSION, "58P01": _NO_EXTENSION, "42501": _NO_RIGHT}


class SharedVectors(SharedPoints):
    """The points of one kind, made by one encoder, in a table that pgvector searches.

    A reader leaves the table as it is.

    Raises:
        InvalidInput: the database has no pgvector, or one that is too old.
        StorageUnavailable: the database failed.
    """

    def __init__(
        self,
        database: Database,
        kind: str,
        encoder: str,
        *,
        dimensions: int,
        has_graph: bool = False,
        is_reader: bool = False,
    ) -> None:
        self._dimensions, self._has_graph, self._is_reader = dimensions, has_graph, is_reader
        self._prefix = f"{VECTORS}{kind}_"
        self._table = f"{self._prefix}{encoder}"
        if not self._table.isidentifier():
            raise ValueError("a table's name is a word")
        super().__init__(database, kind, encoder)

    def _prepare(self, transaction: Transaction) -> None:
        if self._is_reader:
            return
        _require_extension(transaction)
        names = list_tables(transaction)
        for name in names:
            if name.startswith(self._prefix) and name != self._table:
                transaction.exec_driver_sql(f"DROP TABLE {name}")
        table, graph = self._table, f"{self._table}_graph"
        if table not in names:
            transaction.exec_driver_sql(
                f"CREATE TABLE {table} (id bigint PRIMARY KEY,"
                f" vector halfvec({self._dimensions}), terms bytea NOT NULL,"
                " space text NOT NULL, contributor text NOT NULL, tags text[] NOT NULL)"
            )
            transaction.exec_driver_sql(f"CREATE INDEX ON {table} (space)")
        if self._has_graph:
            transaction.exec_driver_sql(
                f"CREATE INDEX IF NOT EXISTS {graph} ON {table} USING hnsw (vector halfvec_ip_ops)"
            )
        else:
            transaction.exec_driver_sql(f"DROP INDEX IF EXISTS {graph}")

    def compare(
        self,
        query: NDArray[np.float32],
        where: Where,
        ids: Sequence[int],
        *,
        limit: int,
        population: int,
    ) -> dict[int, float]:
        """Return the cosines of the `limit` nearest points of a filter, and of these ids.

        The query is `(dimensions,)` float32, as `round_vector` rounds it; `population` says how
        many points the filter selects, about.

        Raises:
            StorageUnavailable: the database failed.
        """
        cosine = "-(vector <#> %(query)s::halfvec)"
        # What is computed is in no graph.
        order = f"{cosine} DESC" if population <= _EXACT_UP_TO else "vector <#> %(query)s::halfvec"
        nearest = (
            f"SELECT id, {cosine} FROM {self._table}"  # noqa: S608
            f" WHERE {' AND '.join(_write_filter(where))} AND vector IS NOT NULL"
            f" ORDER BY {order} LIMIT %(most)s"
        )
        others = f"SELECT id, {cosine} FROM {self._table} WHERE id = ANY(%(ids)s::bigint[])"  # noqa: S608
        values = {
            "query": _pack(query),
            "most": limit,
            "ids": [*ids],
            "space": where.space,
            "contributor": where.not_contributor,
            "any_tags": [*where.any_tags],
            "all_tags": [*where.all_tags],
            "among": [*(where.among or ())],
        }
        with self._reading() as transaction:
            statement = f"({nearest}) UNION ALL ({others} AND vector IS NOT NULL)"
            return dict(map(tuple, transaction.exec_driver_sql(statement, values)))

    def find(self, number: int) -> NDArray[np.float32] | None:
        """Return the vector of a point; None without one."""
        find = f"SELECT vector::real[] FROM {self._table} WHERE id = %(id)s"  # noqa: S608
        with self._reading() as transaction:
            numbers = transaction.exec_driver_sql(find, {"id": number}).scalar()
        return None if numbers is None else np.array(numbers, np.float32)

    def _reading(self) -> AbstractContextManager[Transaction]:
        # What the transaction of this thread wrote is found before it is committed.
        mine = self._database.transaction
        return self._database.read() if mine is None else nullcontext(mine)

    def _put(self, transaction: Transaction, rows: Sequence[Row]) -> None:
        latest = ", ".join(f"{name} = EXCLUDED.{name}" for name in Row._fields[1:])
        insert = (
            f"INSERT INTO {self._table} (id, vector, terms, space, contributor, tags)"  # noqa: S608
            " VALUES (%(id)s, %(vector)s::halfvec, %(terms)s, %(space)s, %(contributor)s,"
            " ARRAY(SELECT json_array_elements_text(%(tags)s::json)))"
            f" ON CONFLICT (id) DO UPDATE SET {latest}"
        )
        if rows:
            matrix = vectors([row.vector for row in rows], self._dimensions)
            values = [
                row._asdict() | {"vector": _pack(vector) if row.vector else None}
                for row, vector in zip(rows, matrix, strict=True)
            ]
            transaction.exec_driver_sql(insert, values)

    def _remove(self, transaction: Transaction, ids: Sequence[int]) -> None:
        delete = f"DELETE FROM {self._table} WHERE id = ANY(%(ids)s::bigint[])"  # noqa: S608
        transaction.exec_driver_sql(delete, {"ids": [*ids]})

    def _get(self, transaction: Transaction, ids: Sequence[int]) -> list[Row]:
        return self._select(transaction, "id = ANY(%(ids)s::bigint[])", {"ids": [*ids]})

    def _page(self, transaction: Transaction, after: int) -> list[Row]:
        return self._select(transaction, "id > %(after)s", {"after": after})

    def _select(
        self, transaction: Transaction, condition: str, values: Mapping[str, object]
    ) -> list[Row]:
        select = (
            "SELECT id, vector IS NOT NULL, terms, space, contributor, to_json(tags)::text"  # noqa: S608
            f" FROM {self._table} WHERE {condition} ORDER BY id LIMIT {_PAGE}"
        )
        rows = map(Row._make, transaction.exec_driver_sql(select, dict(values)))
        return [row._replace(vector=_HAS_VECTOR if row.vector else b"") for row in rows]


class _Searching(ExactVectorIndex):
    """Finds words and names in the copy of the server, and what is near in PostgreSQL."""

    _length: int
    _vectors: SharedVectors | None = None

    @property
    def _remote(self) -> SharedVectors:
        assert self._vectors is not None  # noqa: S101 - narrows for the checker
        return self._vectors

    def candidates(
        self,
        vector: NDArray[np.float32],
        terms: Mapping[int, float],
        where: Where,
        *,
        limit: int,
        names: Mapping[int, float] = NO_NAMES,
    ) -> Matches:
        check_query(vector, terms, self._length)
        check_query(vector, names, self._length)
        if limit < 1:
            return Matches.of(())
        query = round_vector(vector)
        while True:
            with self._serving():
                renumbered = self._rows.renumbered
                chosen, by_terms, lists = self._find_words(terms, names, where, limit)
                ids = self._rows.ids[np.unique(np.concatenate(lists))].tolist()
                count = int(np.count_nonzero(chosen))
            cosines: dict[int, float] = {}
            if query.any():
                # No lock is held: others search while PostgreSQL does.
                asked = self._remote.compare(query, where, ids, limit=limit, population=count)
                cosines |= asked
            with self._serving():
                if self._rows.renumbered != renumbered:
                    continue
                near = self._rows.find_places(cosines)
                near = near[near < len(chosen)]
                rows = np.unique(np.concatenate([*lists, near[chosen[near]]]))
                ids, has_vector = self._rows.ids[rows], self._rows.has_vector[rows]
            by_word, by_name = (scores[rows].astype(np.float64) for scores in by_terms)
            scores = np.array([cosines.get(number, 0.0) for number in ids.tolist()], np.float64)
            return round_scores(Matches(ids, scores, by_word, by_name, has_vector))

    def find_vector(self, number: int) -> NDArray[np.float32] | None:
        with self._serving():
            has_vector = self._rows.find_vector(number) is not None
        return self._remote.find(number) if has_vector else None


class PgvectorIndex(_Searching, StoredVectorIndex):
    """A `VectorIndex` whose vectors are in PostgreSQL, once it is shared.

    Example:
        index = PgvectorIndex(folder, dimensions=384)
        index.share(database, "thoughts", encoder)
    """

    def __init__(self, folder: Path, *, dimensions: int = 384, has_graph: bool = False) -> None:
        super().__init__(folder, dimensions=1, file=WORDS)
        self._length, self._has_graph = dimensions, has_graph

    def share(self, database: Database, kind: str, encoder: str, *, gives: bool = False) -> None:
        """Be this server's copy of what several share, from now on; called once, at opening.

        Where nothing is shared yet, it is what these servers had when they compared vectors
        themselves.

        Raises:
            InvalidInput: the database has no pgvector, or one that is too old.
            StorageUnavailable: the database failed.
        """
        vectors = SharedVectors(
            database, kind, encoder, dimensions=self._length, has_graph=self._has_graph
        )
        with vectors.reading() as transaction:
            is_empty = gives or not vectors.has_any(transaction)
        if is_empty:
            # What this copy has is of points that are gone.
            self._replace(self.ids().tolist(), ())
            self.forget_shared()
            self._give_former(vectors, SharedPoints(database, kind, encoder))
        self._vectors = vectors
        self._join(vectors)
        for path in self._folder.glob(f"{POINTS}*"):
            path.unlink()

    def upsert(self, points: Sequence[Point]) -> None:
        self._check_open()
        check_points(points, self._length)
        if not points:
            return
        marked = [
            point if point.vector is None else replace(point, vector=_MARK) for point in points
        ]
        rows = [*{point.id: to_row(point) for point in points}.values()]
        with self._remote.changing():
            self._remote.put(rows, lambda: self._reread([row.id for row in rows]))
            self._upsert_here(marked)

    def _give_former(self, vectors: SharedVectors, former: SharedPoints) -> None:
        """Take over points that have their vectors, so that none is embedded again."""
        with former.reading() as transaction:
            pages = former.pages(transaction)
            is_there = former.has_any(transaction)
            for page in pages:
                vectors.give(page)
        former.clear()
        if is_there or not (self._folder / POINTS).is_file():
            return
        # Made beside the running servers for another encoder, and put here when it was complete.
        with closing(Database(self._folder / POINTS, is_derived=True)) as database:
            table = PointTable(database, "points")
            with database.read() as transaction:
                for page in table.pages(transaction):
                    vectors.give([Row(*row) for row in page])


class PgvectorIndexCopy(_Searching, VectorIndexCopy):
    """The words of such an index, in the memory of another process; it is only searched.

    Raises:
        DamagedStore, StorageUnavailable: the points cannot be read.
    """

    def __init__(self, folder: Path, vectors: SharedVectors, *, dimensions: int = 384) -> None:
        super().__init__(folder, dimensions=1, file=WORDS)
        self._length, self._vectors = dimensions, vectors


def copy_pgvector_index(
    folder: Path, database: Database, kind: str, encoder: str, *, dimensions: int
) -> PgvectorIndexCopy:
    """Read the words of an index that a server has open; its vectors stay in PostgreSQL.

    Raises:
        DamagedStore, StorageUnavailable: the points cannot be read.
    """
    vectors = SharedVectors(database, kind, encoder, dimensions=dimensions, is_reader=True)
    return PgvectorIndexCopy(folder, vectors, dimensions=dimensions)


def _require_extension(transaction: Transaction) -> None:
    """Add pgvector to the database, unless it is there.

    Raises:
        InvalidInput: it cannot be added, or is too old.
    """
    version = transaction.exec_driver_sql(_VERSION).scalar()
    if version is None:
        try:
            transaction.exec_driver_sql("CREATE EXTENSION vector")
        except DBAPIError as error:
            refusal = _REFUSALS.get(getattr(error.orig, "sqlstate", None) or "")
            if refusal is None:
                raise
            raise InvalidInput(refusal) from error
        version = transaction.exec_driver_sql(_VERSION).scalar_one()
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _OLDEST:
        raise InvalidInput(_TOO_OLD.format(version))


def _write_filter(where: Where) -> list[str]:
    conditions = ["space = %(space)s"]
    if where.not_contributor:
        conditions.append("contributor <> %(contributor)s")
    if where.any_tags:
        conditions.append("tags && %(any_tags)s::text[]")
    if where.all_tags:
        conditions.append("tags @> %(all_tags)s::text[]")
    if where.among is not None:
        conditions.append("id = ANY(%(among)s::bigint[])")
    return conditions


def _pack(vector: NDArray[np.floating[Any]]) -> HalfVector:
    return HalfVector(struct.pack(">HH", len(vector), 0) + vector.astype(">f2").tobytes())
