"""Learns ranking weights for each space from feedback, where this is switched on.

TrainingQuery queries are run again in the background, without a trace, some at a time; once a day a
lesson is drawn from them. Lessons are held in memory, for a sealed space while it is open: after a
restart the first maintenance learns them again.

Source: `docs/concepts.md`, "Learned weights".
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access, upkeep_access
from wellworn.domain.thoughts.models import SearchQuery
from wellworn.domain.thoughts.search import ThoughtSearcher
from wellworn.domain.thoughts.store import co_use, labels
from wellworn.domain.thoughts.store.labels import LabelledQuery
from wellworn.engines.embedding import Embedder
from wellworn.engines.retrieval import RankedResult
from wellworn.engines.retrieval.learning import (
    LEAST_QUERIES,
    NOTHING_LEARNED,
    REASONS,
    SHIPPED_POLICY,
    TrainingQuery,
    TrainingResult,
    learn_weights,
    make_policy,
)
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock
from wellworn.kit.folding import fold_forms

MOST_QUERIES: Final = 1_000
"""The newest labelled queries of a space. 300 give as good weights as 3,000; the rest test them."""
AT_ONCE: Final = 200
"""Queries that one maintenance runs again, which takes some seconds."""
LEARNED_EVERY_S: Final = 24 * 3600.0
_DAY_S: Final = 86_400.0
_WITHDRAWN: Final = "labels withdrawn"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """By which weights a space ranks, and what they were learned from.

    Attributes:
        is_on: whether learning is switched on.
        version: the number that answers are logged with.
        lesson: what was learned last; it has no factors where the shipped weights stay.
        learned_at: when it was last tried, in epoch seconds; None since the server started.
        labelled: how many of the newest questions tell one result from another, that the shipped
            weights answered.
        needed: how many it takes.
    """

    is_on: bool
    version: int
    lesson: TrainingResult
    learned_at: float | None
    labelled: int
    needed: int = LEAST_QUERIES


class WeightLearner:
    """Learns weights for the spaces of one database and sets them for their searches."""

    def __init__(
        self,
        database: Database,
        searcher: ThoughtSearcher,
        embedder: Embedder,
        clock: Clock,
        *,
        is_on: bool,
    ) -> None:
        self._database = database
        self._searcher = searcher
        self._embedder = embedder
        self._clock = clock
        self._is_on = is_on
        self._lessons: dict[str, TrainingResult] = {}
        self._work: Iterator[None] | None = None
        self._learned_at: float | None = None
        self._learned_to = 0
        database.follow(_WITHDRAWN, lambda _, spaces: self._drop(spaces), lambda _: self._drop())

    def learn_if_due(self) -> None:
        """Continue learning, which starts once a day if there were uses since; takes seconds.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: learning starts again tomorrow.
        """
        if self._work is None and self._is_due():
            self._learned_at = self._clock.now()
            self._work = self._learn()
        if self._work is not None and len([*islice(self._work, AT_ONCE)]) < AT_ONCE:
            self._work = None

    def get_lesson(self, access: Access) -> TrainingResult:
        """Return the last lesson of the space."""
        return self._lessons.get(access.space, NOTHING_LEARNED)

    def describe(self, access: Access) -> PolicyReport:
        """Return by which weights the space ranks now, and how much there is to learn from.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            queries = labels.load_labelled_queries(transaction, access, most=MOST_QUERIES)
        telling = [query for query in queries if len({*query.grades.values()}) > 1]
        version = self._searcher.state.policies.get(access.space, SHIPPED_POLICY).version
        return PolicyReport(
            self._is_on, version, self.get_lesson(access), self._learned_at, len(telling)
        )

    def forget(self, access: Access) -> None:
        """Return to the shipped weights until the next lesson, as labels were withdrawn."""
        self._drop([access.space])
        self._database.note_change(_WITHDRAWN, [access.space])

    def _drop(self, spaces: Sequence[str] | None = None) -> None:
        self._work = None
        for space in [*self._lessons] if spaces is None else spaces:
            self._lessons.pop(space, None)
            self._searcher.state.set_policy(space, SHIPPED_POLICY)

    def _is_due(self) -> bool:
        if not self._is_on or self._learned_at is None:
            return self._is_on
        return self._clock.now() - self._learned_at >= LEARNED_EVERY_S

    def _learn(self) -> Iterator[None]:
        """Learn for each space in turn, yielding after every query."""
        with self._database.read() as transaction:
            newest = co_use.find_newest_use(transaction)
            spaces = co_use.list_spaces(transaction)
        if newest == self._learned_to:
            return
        for space in {*spaces, *self._lessons}:
            access = upkeep_access(space)
            with self._database.read() as transaction:
                queries = labels.load_labelled_queries(transaction, access, most=MOST_QUERIES)
            answered: list[TrainingQuery] = []
            for query in queries:
                answered.append(self._answer(access, query))
                yield
            self._adopt(space, learn_weights(answered))
        self._learned_to = newest

    def _answer(self, access: Access, asked: LabelledQuery) -> TrainingQuery:
        text = fold_forms(asked.text)
        encoded = self._embedder.encode_query(text)
        search = SearchQuery(
            encoded.vector, text, asked.user, pieces=encoded.pieces, spans=encoded.spans
        )
        return _build_labelled(asked, self._searcher.rank_by_shipped_weights(access, search))

    def _adopt(self, space: str, lesson: TrainingResult) -> None:
        if lesson.factors or space in self._lessons:
            weights = "learned" if lesson.factors else "the shipped"
            message = "a space ranks by %s weights: gain %.3f, at least %.3f"
            _log.info(message, weights, lesson.gain, lesson.low)
        self._lessons[space] = lesson
        day = int(self._clock.now() // _DAY_S)
        self._searcher.state.set_policy(space, make_policy(lesson, day=day))


def _build_labelled(asked: LabelledQuery, ranked: list[RankedResult]) -> TrainingQuery:
    parts = [[result.parts.get(reason, 0.0) for reason in REASONS] for result in ranked]
    grades = [asked.grades.get(result.id, np.nan) for result in ranked]
    return TrainingQuery(
        number=asked.seq,
        user=asked.user,
        session=asked.session,
        parts=np.array(parts, np.float64).reshape(-1, len(REASONS)),
        grades=np.array(grades, np.float64),
        places=asked.places,
    )
