"""The API of the embedded engine: its configuration, points, filters, queries and errors.

Everything that depends on the API of Qdrant Edge is here. Its binding raises plain `Exception`, or
a panic that is not even that; `engine_errors` turns both into the port's error.

Source: qdrant-edge-py 0.9.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import cast
from uuid import UUID

import numpy as np
import qdrant_edge as engine
from numpy.typing import NDArray

from wellworn.engines.storage.vectors.checks import NORM_TOLERANCE
from wellworn.engines.storage.vectors.log import Update, updates
from wellworn.engines.storage.vectors.models import Point, Where
from wellworn.engines.storage.vectors.settings import VectorSettings
from wellworn.engines.storage.vectors.statistics import PointTerms
from wellworn.errors import DamagedStore, IndexUnavailable, WellwornError
from wellworn.kit.matches import Matches

MEANING = "meaning"
KEYWORDS = "keywords"
_BYTES_PER_FLOAT = 2
_KIBIBYTE = 1024
_PAGE = 1000
_CHECKED_EVERY = 64


@contextmanager
def engine_errors(otherwise: type[WellwornError], message: str) -> Generator[None]:
    """Turn what the engine raises into `otherwise`, with its cause kept and its text left out."""
    try:
        yield
    except otherwise:
        raise
    except Exception as error:
        raise otherwise(message) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise otherwise(message) from error


def create(folder: Path, settings: VectorSettings) -> None:
    """Make an empty, closed shard with its payload indexes.

    `space` is the engine's tenant key: without links of its own in the graph, the recall of a
    search within a small space was measured to fall to nearly nothing.
    """
    with engine_errors(IndexUnavailable, "The vector index cannot be created."):
        shard = engine.EdgeShard.create(str(folder), configuration(settings))
        tenant = engine.KeywordIndexParams(is_tenant=True)
        label = engine.KeywordIndexParams()
        for key, schema in (("space", tenant), ("contributor", label), ("tags", label)):
            shard.update(engine.UpdateOperation.create_field_index(key, schema))
        shard.flush()
        shard.close()


def load(folder: Path, settings: VectorSettings) -> engine.EdgeShard:
    """Open a shard and replay its log.

    Raises:
        DamagedStore: the files are not a shard, or one of vectors of another length.
    """
    with engine_errors(DamagedStore, "The vector index cannot be read; rebuild it."):
        described = configuration(settings, of_before=is_of_before(folder))
        shard = engine.EdgeShard.load(str(folder), described)
        replay(map(operation, updates(folder)), shard)
    return shard


def is_of_before(folder: Path) -> bool:
    """Tell whether a shard is of the old kind: single precision, with the engine's own log."""
    return (folder / "wal").exists()


def rewrite(source: Path, target: Path, settings: VectorSettings) -> engine.EdgeShard:
    """Write the living points of a shard into a new one, and return that one, open.

    Within a shard the engine only skips deleted points, and its log keeps them whole.
    """
    create(target, settings)
    old, new = load(source, settings), load(target, settings)
    start: int | UUID | str | None = 0
    while start is not None:
        page = engine.ScrollRequest(start, _PAGE, with_payload=True, with_vector=True)
        records, start = old.scroll(page)
        if records:
            new.update(engine.UpdateOperation.upsert_points([*map(_again, records)]))
    old.close()
    return new


def configuration(settings: VectorSettings, *, of_before: bool = False) -> engine.EdgeConfig:
    """Describe a shard; the engine builds a graph over segments above half of `build_after`.

    It uses dot products, because cosine would divide by the length before it rounds to half
    precision and so change what is rounded already. `of_before` describes the old kind of shard.
    """
    size = settings.dimensions * _BYTES_PER_FLOAT
    return engine.EdgeConfig(
        vectors={
            MEANING: engine.EdgeVectorParams(
                size=settings.dimensions,
                distance=engine.Distance.Cosine if of_before else engine.Distance.Dot,
                datatype=None if of_before else engine.VectorStorageDatatype.Float16,
            )
        },
        sparse_vectors={KEYWORDS: engine.EdgeSparseVectorParams()},
        hnsw_config=engine.HnswIndexConfig(
            m=settings.graph_links,
            ef_construct=settings.graph_effort,
            full_scan_threshold=max(1, settings.build_after * size // _KIBIBYTE // 4),
            max_indexing_threads=settings.build_threads,
        ),
        quantization_config=engine.ScalarQuantizationConfig(
            engine.ScalarType.Int8, quantile=0.99, memory=engine.Memory.Pinned
        ),
        optimizers=engine.EdgeOptimizersConfig(
            indexing_threshold=max(1, settings.build_after * size // _KIBIBYTE // 2),
            default_segment_number=1,
        ),
        max_search_threads=settings.search_threads,
        wal_enabled=of_before,
    )


def operation(update: Update) -> engine.UpdateOperation:
    """Write an update in the engine's form."""
    if update.stored:
        return engine.UpdateOperation.upsert_points([*map(to_engine_point, update.stored)])
    return engine.UpdateOperation.delete_points([*update.deleted])


def to_engine_point(point: Point) -> engine.Point:
    """Write a point in the engine's form, its vector rounded as `precision.round_vector` does.

    Empty terms are stored too, so that only the vector of meaning may be lacking.
    """
    labels = point.labels
    vectors: dict[str, engine.NamedVector] = {KEYWORDS: sparse(point.terms)}
    if point.vector is not None:
        vectors[MEANING] = cast("list[float]", point.vector)
    return engine.Point(
        point.id,
        vectors,
        {
            "space": labels.space,
            "contributor": labels.contributor,
            "tags": sorted(labels.tags),
        },
    )


def sparse(terms: Mapping[int, float]) -> engine.SparseVector:
    """Write keyword weights in the engine's form."""
    return engine.SparseVector(indices=list(terms), values=list(terms.values()))


def matching(where: Where) -> engine.Filter:
    """Select what a `Where` describes."""
    must: list[engine.ConditionType] = [_equals("space", where.space)]
    must += [_equals("tags", tag) for tag in sorted(where.all_tags)]
    if where.any_tags:
        tags = engine.MatchAny(sorted(where.any_tags))
        must.append(engine.FieldCondition("tags", match=tags))
    if where.among is not None:
        must.append(engine.HasIdCondition({*where.among}))
    if not where.not_contributor:
        return engine.Filter(must=must)
    return engine.Filter(must=must, must_not=[_equals("contributor", where.not_contributor)])


def among(ids: set[int]) -> engine.Filter:
    """Select points by id."""
    return engine.Filter(must=[engine.HasIdCondition({*ids})])


def _equals(key: str, value: str) -> engine.FieldCondition:
    return engine.FieldCondition(key, match=engine.MatchValue(value))


class VectorSearch:
    """A search by meaning in the engine's form.

    Args:
        vector: `(dimensions,)` float32; of zeros it asks nothing.
        settings: the effort of the search.
    """

    scores_all = True

    def __init__(self, vector: NDArray[np.float32], settings: VectorSettings) -> None:
        self.asks = bool(vector.any())
        self._vector = engine.Query.Nearest(vector.tolist(), using=MEANING)
        rescored = engine.QuantizationSearchParams(rescore=True, oversampling=settings.oversampling)
        self._near = engine.SearchParams(hnsw_ef=settings.search_effort, quantization=rescored)

    def best(self, where: engine.Filter, limit: int) -> engine.QueryRequest:
        """Ask for the nearest points by the graph, scored by the full vectors."""
        return engine.QueryRequest(limit=limit, query=self._vector, filter=where, params=self._near)

    def of(self, ids: set[int]) -> engine.QueryRequest:
        """Ask for the exact cosine of every one of these points."""
        exact = engine.SearchParams(exact=True)
        return engine.QueryRequest(
            limit=len(ids), query=self._vector, filter=among(ids), params=exact
        )


class TermSearch:
    """A search by words, or by names, in the engine's form.

    Args:
        terms: query weights, idf included; without any it asks nothing.
    """

    scores_all = False

    def __init__(self, terms: Mapping[int, float]) -> None:
        self.asks = bool(terms)
        self._terms = engine.Query.Nearest(sparse(terms), using=KEYWORDS)

    def best(self, where: engine.Filter, limit: int) -> engine.QueryRequest:
        """Ask for the best matches; a point that shares no term is none."""
        return engine.QueryRequest(limit=limit, query=self._terms, filter=where)

    def of(self, ids: set[int]) -> engine.QueryRequest:
        """Ask for the scores of those of these points that share a term."""
        return self.best(among(ids), len(ids))


def answers(
    shard: engine.EdgeShard, requests: Sequence[engine.QueryRequest]
) -> list[dict[int, float]]:
    """Run several queries at once; return the scores by id of each."""
    if not requests:
        return []
    return [*map(_scores, shard.query_batch(engine.QueryBatchRequest([*requests])))]


def _scores(points: list[engine.ScoredPoint]) -> dict[int, float]:
    return {int(point.id): float(point.score) for point in points}


def search_lists(
    shard: engine.EdgeShard,
    searches: Sequence[VectorSearch | TermSearch],
    where: Where,
    limit: int,
) -> list[dict[int, float]]:
    """Run every search, then score in each list what only the others found.

    Asking by id was measured to be faster than a nested query and than multiplying vectors here.
    """
    selected = matching(where)
    asking = [search for search in searches if search.asks]
    lists = answers(shard, [search.best(selected, limit) for search in asking])
    ids = set[int]().union(*lists)
    # A list of matches with room left has all of them: the others share no term.
    lacking = [
        (search, scores, ids - scores.keys())
        for search, scores in zip(asking, lists, strict=True)
        if ids - scores.keys() and (search.scores_all or len(scores) == limit)
    ]
    rest = answers(shard, [search.of(others) for search, _, others in lacking])
    for (_, scores, _), more in zip(lacking, rest, strict=True):
        scores.update(more)
    scored = dict(zip(asking, lists, strict=True))
    return [scored.get(search, {}) for search in searches]


def join_lists(
    cosines: Mapping[int, float], by_word: Mapping[int, float], by_name: Mapping[int, float]
) -> Matches:
    """Return every point of three lists of scores, of meaning, words and names, as one row."""
    ids = [*{**cosines, **by_word, **by_name}]
    by_meaning, by_words, by_names = (
        np.fromiter(map(scores.get, ids, repeat(0.0)), np.float64, len(ids))
        for scores in (cosines, by_word, by_name)
    )
    has_vector = np.fromiter(map(cosines.__contains__, ids), np.bool_, len(ids))
    return Matches(np.array(ids, np.int64), by_meaning, by_words, by_names, has_vector)


def words_of(shard: engine.EdgeShard, ids: set[int]) -> list[PointTerms]:
    """Read the space and terms of those of these points that are stored."""
    return [_words(record) for record in shard.retrieve([*ids], ["space"], [KEYWORDS])]


def all_words(shard: engine.EdgeShard) -> Iterator[PointTerms]:
    """Read the space and terms of every point, and check some of the vectors."""
    start: int | UUID | str | None = 0
    while start is not None:
        page = engine.ScrollRequest(start, _PAGE, with_payload=["space"], with_vector=[KEYWORDS])
        records, start = shard.scroll(page)
        check_points(shard, [int(record.id) for record in records[::_CHECKED_EVERY]])
        yield from map(_words, records)


def check_points(shard: engine.EdgeShard, ids: Collection[int]) -> None:
    """Raise unless these points can be read and what vectors they have are of length one."""
    for record in shard.retrieve([*ids], ["space"], [MEANING, KEYWORDS]):
        _words(record)
        stored = cast("dict[str, list[float]]", record.vector).get(MEANING)
        # Written so that what is no number fails too.
        if stored is not None and not abs(math.hypot(*stored) - 1.0) <= NORM_TOLERANCE:
            raise ValueError(record.id)


def replay(operations: Iterable[engine.UpdateOperation], shard: engine.EdgeShard) -> None:
    """Apply updates a second time, to a copy that missed them."""
    with engine_errors(IndexUnavailable, "The built index cannot be brought up to date."):
        for operation in operations:
            shard.update(operation)


def close(shard: engine.EdgeShard) -> None:
    """Release a shard's files."""
    with engine_errors(IndexUnavailable, "The vector index did not close well."):
        shard.close()


def abandon(shard: engine.EdgeShard) -> None:
    """Leave a shard open for good: even freeing it would read files that are no longer whole."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(shard))


def size(shard: engine.EdgeShard) -> int:
    """Count all points."""
    return shard.count(engine.CountRequest(exact=True))


def count_unindexed(shard: engine.EdgeShard, with_terms: int) -> int:
    """Estimate the points outside of every graph: too few if graphs hold many deleted points.

    Those without a vector are counted, too.

    The engine counts two vectors a point: terms as indexed from the start, no terms never.
    """
    info = shard.info()
    return max(0, info.points_count + with_terms - info.indexed_vectors_count)


def has_graph(shard: engine.EdgeShard, with_terms: int) -> bool:
    """Tell whether any vector of meaning is in a graph; terms count as indexed from the start."""
    return shard.info().indexed_vectors_count > with_terms


def _again(record: engine.Record) -> engine.Point:
    vectors = cast("dict[str, list[float] | engine.SparseVector]", record.vector)
    return engine.Point(record.id, {**vectors}, record.payload)


def _words(record: engine.Record) -> PointTerms:
    payload = cast("dict[str, str]", record.payload)
    vectors = cast("dict[str, engine.SparseVector]", record.vector)
    return PointTerms(payload["space"], tuple(vectors[KEYWORDS].indices))
