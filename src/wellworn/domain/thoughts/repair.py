"""Repairs the thought index and the features, which are derived from the thoughts.

Runs when a memory is opened, and in the background when much is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from wellworn.domain.thoughts.features import IndexInput, build_labels, pipeline_version, prepare
from wellworn.domain.thoughts.store import features, rows
from wellworn.domain.thoughts.store.features import Features
from wellworn.engines.embedding import Embedder
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import IndexRepair, Made, VectorIndex


class FeatureStage(Protocol):
    """Keeps features by seq, beside the database, until another encoder serves."""

    def list_seqs(self) -> set[int]: ...

    def save(self, rows: Mapping[int, Any]) -> None: ...


class ThoughtIndexer:
    """Finds and indexes missing thoughts; safe to run while the memory serves."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        embedder: Embedder,
        *,
        stage: FeatureStage | None = None,
    ) -> None:
        """Prepare to index; with a `stage`, features are kept there instead of in the database."""
        self._database = database
        self._embedder = embedder
        self._stage = stage
        self._repair = IndexRepair(
            database, index, living=_find_living, made=self._prepare, is_apart=stage is not None
        )

    def missing(self) -> list[int]:
        """Remove points without a living thought; return the thoughts to index.

        These lack a point, or features of the current pipeline version.
        """
        missing = self._repair.missing()
        if self._stage is not None:
            with self._database.read() as transaction:
                living = rows.list_living(transaction)
            return sorted({*missing, *living} - (self._stage.list_seqs() - {*missing}))
        with self._database.read() as transaction:
            lacking = features.find_unindexed(transaction, pipeline_version(self._embedder))
        return sorted({*missing, *lacking})

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = lambda _: None) -> None:
        """Embed and index thoughts in batches, calling `advance` with the number of each batch."""
        self._repair.index(seqs, advance)

    def _prepare(self, seqs: Sequence[int]) -> Made:
        with self._database.read() as transaction:
            batch = rows.load_indexable(transaction, seqs)
        passages = prepare(
            self._embedder,
            [
                IndexInput(
                    unit.kind, unit.content, unit.contributor_name, unit.created_at, unit.tags
                )
                for unit in batch
            ],
        )
        made = list(zip(batch, passages, strict=True))
        points = [
            point
            for unit, prepared in made
            for point in prepared.build_points(
                unit.seq, build_labels(unit.space, unit.contributor_id, unit.tags)
            )
        ]
        rows_by_seq = {unit.seq: prepared.features for unit, prepared in made}
        if self._stage is not None:
            self._stage.save(rows_by_seq)
            return Made(points)
        return Made(points, partial(_save_features, rows_by_seq))


def _save_features(
    rows: dict[int, Features], transaction: Transaction, living: Collection[int], /
) -> None:
    features.save_features(transaction, {seq: row for seq, row in rows.items() if seq in living})


def _find_living(transaction: Transaction, seqs: Sequence[int] | None) -> Collection[int]:
    return rows.list_living(transaction) if seqs is None else rows.filter_living(transaction, seqs)
