"""What each space learns from feedback about the order of results, where it is switched on.

Labelled queries are asked again in the background, leaving no trace, a few at a time; what came of
it is judged once a day. Lessons are kept in memory, for a sealed space with its room: after a
restart the first maintenance learns them anew.

Source: `docs/concepts.md`, "Learned weights".
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access, upkeep_access
from wellworn.domain.thoughts.models import Search
from wellworn.domain.thoughts.searching import Searcher
from wellworn.domain.thoughts.store import co_use, labels
from wellworn.domain.thoughts.store.labels import LabelledQuery
from wellworn.engines.embedding import Embedder
from wellworn.engines.retrieval import RankedResult
from wellworn.engines.retrieval.learning import (
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

MOST_QUERIES: Final = 1_000
"""The newest labelled ones of a space. 300 give as good weights as 3,000; the others judge them."""
AT_ONCE: Final = 200
"""Queries that one maintenance asks again: some seconds."""
LEARNED_EVERY_S: Final = 24 * 3600.0
_DAY_S: Final = 86_400.0

_log = logging.getLogger(__name__)


class Learning:
    """Learns for the spaces of one database, and has their searches follow it."""

    def __init__(
        self,
        database: Database,
        searcher: Searcher,
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

    def learn_if_due(self) -> None:
        """Go on learning, which begins once a day if anything was used since; takes seconds.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: it is tried again tomorrow.
        """
        if self._work is None and self._is_due():
            self._learned_at = self._clock.now()
            self._work = self._steps()
        if self._work is not None and len([*islice(self._work, AT_ONCE)]) < AT_ONCE:
            self._work = None

    def lesson(self, access: Access) -> TrainingResult:
        """Return what the labels of the space taught when they were last looked at."""
        return self._lessons.get(access.space, NOTHING_LEARNED)

    def forget(self, access: Access) -> None:
        """Go back to the shipped weights, as labels were taken back; learn anew when it is due."""
        self._work = None
        self._lessons.pop(access.space, None)
        self._searcher.follow(access.space, SHIPPED_POLICY)

    def _is_due(self) -> bool:
        if not self._is_on or self._learned_at is None:
            return self._is_on
        return self._clock.now() - self._learned_at >= LEARNED_EVERY_S

    def _steps(self) -> Iterator[None]:
        """Learn for one space after the other, in steps of one query."""
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
            for one in queries:
                answered.append(self._answered(access, one))
                yield
            self._adopt(space, learn_weights(answered))
        self._learned_to = newest

    def _answered(self, access: Access, asked: LabelledQuery) -> TrainingQuery:
        encoded = self._embedder.encode_query(asked.text)
        search = Search(
            encoded.vector, asked.text, asked.user, pieces=encoded.pieces, spans=encoded.spans
        )
        return _labelled(asked, self._searcher.asked_again(access, search))

    def _adopt(self, space: str, lesson: TrainingResult) -> None:
        if lesson.factors or space in self._lessons:
            told = "ranks by learned weights" if lesson.factors else "ranks by the shipped weights"
            _log.info("a space %s: gain %.3f, at least %.3f", told, lesson.gain, lesson.low)
        self._lessons[space] = lesson
        day = int(self._clock.now() // _DAY_S)
        self._searcher.follow(space, make_policy(lesson, day=day))


def _labelled(asked: LabelledQuery, ranked: list[RankedResult]) -> TrainingQuery:
    parts = [[one.parts.get(reason, 0.0) for reason in REASONS] for one in ranked]
    grades = [asked.grades.get(one.id, np.nan) for one in ranked]
    return TrainingQuery(
        number=asked.seq,
        user=asked.user,
        session=asked.session,
        parts=np.array(parts, np.float64).reshape(-1, len(REASONS)),
        grades=np.array(grades, np.float64),
        places=asked.places,
    )
