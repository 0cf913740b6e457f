"""Brings the index of thoughts and their features up to the thoughts, which are the truth.

What an index lacks is repaired when a memory is opened, and in the background if much is missing.
What is found by its words and waits to be embedded is embedded in the background, newest first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.features import (
    IndexInput,
    PreparedThought,
    build_labels,
    prepare,
    prepare_words,
)
from wellworn.domain.thoughts.models import FindableThoughts
from wellworn.domain.thoughts.store import features, rows
from wellworn.domain.thoughts.store.features import count_findable
from wellworn.domain.thoughts.store.rows import IndexableThought
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.embedding import AT_ONCE, Embedder, Pace
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import IndexRepair, Made, Point, VectorIndex


class FeatureStage(Protocol):
    """Keeps features by seq, beside the database, until another encoder serves."""

    def list_seqs(self) -> set[int]: ...

    def save(self, rows: Mapping[int, Any]) -> None: ...


_Prepared = list[tuple[IndexableThought, PreparedThought]]


class ThoughtIndexer:
    """Finds and indexes missing thoughts; safe to run while the memory serves."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        embedder: Embedder,
        *,
        stage: FeatureStage | None = None,
        refresh: Callable[[Sequence[int]], None] = lambda _: None,
    ) -> None:
        """Prepare to index.

        Args:
            database: the thoughts.
            index: their points.
            embedder: the encoder.
            stage: where features are stored instead of in the database; then all are embedded.
            refresh: is told which thoughts were embedded that had been found by their words.
        """
        self._database = database
        self._embedder = embedder
        self._stage = stage
        self._refresh = refresh
        self._versions = FeatureVersions.of(embedder)
        self._repair = IndexRepair(
            database,
            index,
            living=_find_living,
            made=self._make_words if stage is None else self._make_staged,
            is_apart=stage is not None,
        )

    def missing(self) -> list[int]:
        """Remove points without a living thought; return the thoughts to index.

        These lack a point, or features of the rules of today.
        """
        missing = self._repair.missing()
        if self._stage is not None:
            with self._database.read() as transaction:
                living = rows.list_living(transaction)
            return sorted({*missing, *living} - (self._stage.list_seqs() - {*missing}))
        with self._database.read() as transaction:
            lacking = features.find_unindexed(transaction, self._versions.usable)
        return sorted({*missing, *lacking})

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Index thoughts in batches, calling `advance` with the number that is done.

        They are found by their words then, and wait to be embedded; with a stage they are embedded.
        """
        self._repair.index(seqs, advance)

    def list_pending(self, most: int) -> list[int]:
        """Return thoughts that are found by their words and wait to be embedded, newest first."""
        with self._database.read() as transaction:
            return features.list_newest(transaction, self._versions.waiting, most=most)

    def embed(self, seqs: Sequence[int], pace: Pace = AT_ONCE) -> None:
        """Embed thoughts in one batch.

        Raises:
            EmbeddingFailed: the encoder failed; the thoughts wait.
        """
        made = self._embed(self._load(seqs), pace)
        pace.wait()
        self._repair.store(seqs, Made(_build_points(made), partial(_save, made)))
        self._refresh(seqs)

    def _make_words(self, seqs: Sequence[int]) -> Made:
        version = self._versions.words
        made = [
            (thought, prepare_words(_to_input(thought), version)) for thought in self._load(seqs)
        ]
        return Made(_build_points(made), partial(_save, made))

    def _make_staged(self, seqs: Sequence[int]) -> Made:
        made = self._embed(self._load(seqs), AT_ONCE)
        assert self._stage is not None  # noqa: S101 - narrows for the checker
        self._stage.save({thought.seq: prepared.features for thought, prepared in made})
        return Made(_build_points(made))

    def _load(self, seqs: Sequence[int]) -> list[IndexableThought]:
        """Return living thoughts."""
        with self._database.read() as transaction:
            return rows.load_indexable(transaction, seqs)

    def _embed(self, thoughts: Sequence[IndexableThought], pace: Pace) -> _Prepared:
        passages = prepare(self._embedder, [*map(_to_input, thoughts)], pace)
        return [*zip(thoughts, passages, strict=True)]


def _save(made: _Prepared, transaction: Transaction, living: Collection[int], /) -> None:
    """Save features of those thoughts that are there still."""
    features.save_features(
        transaction,
        {thought.seq: prepared.features for thought, prepared in made if thought.seq in living},
    )


def _to_input(thought: IndexableThought) -> IndexInput:
    return IndexInput(
        thought.kind,
        thought.content,
        thought.contributor_name,
        thought.created_at,
        thought.tags,
    )


def _build_points(made: _Prepared) -> list[Point]:
    return [
        point
        for thought, prepared in made
        for point in prepared.build_points(
            thought.seq, build_labels(thought.space, thought.contributor_id, thought.tags)
        )
    ]


def _find_living(transaction: Transaction, seqs: Sequence[int] | None) -> Collection[int]:
    return rows.list_living(transaction) if seqs is None else rows.filter_living(transaction, seqs)


class ThoughtProgress:
    """Tells how far thoughts have come."""

    def __init__(self, database: Database, versions: FeatureVersions) -> None:
        self._database = database
        self._versions = versions

    def count_findable(
        self, access: Access, thought_ids: Iterable[str] | None = None
    ) -> FindableThoughts:
        """Count thoughts by what finds them, all of the space or those of these ids."""
        with self._database.read() as transaction:
            among = None
            if thought_ids is not None:
                among = set(rows.find_seqs(transaction, access, thought_ids).values())
            return count_findable(transaction, access, self._versions, among=among)
