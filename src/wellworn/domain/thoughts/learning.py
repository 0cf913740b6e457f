"""Learns ranking weights for each space from feedback, where this is switched on.

TrainingQuery queries are run again in the background, without a trace, some at a time; once a day a
lesson is drawn from them. What was learned is kept, version by version, each with what it was
learned from. An admin goes back to the version before; then nothing is learned from the questions
that taught the other one.

Source: `docs/concepts.md`, "Learned weights".
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access, Role, upkeep_access
from wellworn.domain.thoughts.models import SearchQuery
from wellworn.domain.thoughts.policy_changes import PolicyChanges, compare_policies
from wellworn.domain.thoughts.results import RankedThought
from wellworn.domain.thoughts.search import ThoughtSearcher
from wellworn.domain.thoughts.store import co_use, labels
from wellworn.domain.thoughts.store import policies as store
from wellworn.domain.thoughts.store.labels import LabelledQuery
from wellworn.domain.thoughts.store.policies import KeptPolicy, find_in_use
from wellworn.engines.embedding import Embedder
from wellworn.engines.retrieval import RankedResult
from wellworn.engines.retrieval.learning import (
    LEAST_QUERIES,
    NOTHING_LEARNED,
    POLICY_STEP,
    REASONS,
    SHIPPED_POLICY,
    Policy,
    TrainingQuery,
    TrainingResult,
    learn_weights,
    make_policy,
)
from wellworn.engines.storage.sql import Database, Transaction, undo_with
from wellworn.kit.clock import Clock
from wellworn.kit.folding import fold_forms

MOST_QUERIES: Final = 1_000
"""The newest labelled queries of a space. 300 give as good weights as 3,000; the rest test them."""
AT_ONCE: Final = 200
"""Queries that one maintenance runs again, which takes some seconds."""
LEARNED_EVERY_S: Final = 24 * 3600.0
_DAY_S: Final = 86_400.0
_POLICIES: Final = "policies"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """By which weights a space ranks, and what they were learned from.

    Attributes:
        is_on: whether learning is switched on.
        version: the number that answers are logged with.
        lesson: what is in use was learned from; without factors, the shipped weights are.
        learned_at: when it was last tried, in epoch seconds; None since the server started.
        labelled: how many of the newest questions tell one result from another, that the shipped
            weights answered.
        versions: all that are kept, the newest first.
        changes: what the newest learned weights change in the order of the last questions; None
            where none were ever learned, or nobody asked.
        needed: how many it takes.
    """

    is_on: bool
    version: int
    lesson: TrainingResult
    learned_at: float | None
    labelled: int
    versions: tuple[KeptPolicy, ...] = ()
    changes: PolicyChanges | None = None
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
        self._work: Iterator[None] | None = None
        self._learned_at: float | None = None
        self._learned_to = 0
        self._taken_back: Counter[str | None] = Counter()
        database.follow(_POLICIES, self._take_over, self._take_over)
        if is_on:
            with database.read() as transaction:
                self._take_over(transaction)

    def learn_if_due(self) -> None:
        """Continue learning, which starts once a day if there were uses since; takes seconds.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: learning starts again tomorrow.
        """
        if self._work is None and self._is_due():
            self._learned_at = self._clock.now()
            self._work = self._learn()
        work = self._work
        if work is not None and len([*islice(work, AT_ONCE)]) < AT_ONCE:
            self._work = None

    def describe(self, access: Access, *, questions: int = 0) -> PolicyReport:
        """Return by which weights the space ranks now, and how much there is to learn from.

        What learned weights change is told by so many of the last questions that the caller may
        know of; that may take some seconds.

        Raises:
            EmbeddingFailed, IndexUnavailable: the questions cannot be searched again now.
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            queries = labels.load_labelled_queries(transaction, access, most=MOST_QUERIES)
            kept = store.list_policies(transaction, access.space)
            learned = next((each for each in kept if each.lesson.factors and each.is_current), None)
            owner = None if access.role.allows(Role.ADMIN) else access.owner
            asked = (
                labels.load_newest_queries(transaction, access, owner=owner, most=questions)
                if learned and questions
                else []
            )
        telling = [query for query in queries if len({*query.grades.values()}) > 1]

        def rank(query: LabelledQuery, policies: Sequence[Policy]) -> list[list[RankedThought]]:
            search = self._search_again(query)
            return [self._searcher.find(access, search, policy).hits for policy in policies]

        return PolicyReport(
            self._is_on,
            self._searcher.state.policies.get(access.space, SHIPPED_POLICY).version,
            self._find_lesson(kept),
            self._learned_at,
            len(telling),
            tuple(kept),
            compare_policies(asked, _build(learned), rank) if learned and questions else None,
        )

    def go_back(self, access: Access, *, version: int | None = None) -> None:
        """Rank by the version before the one in use, or by the shipped weights; these stay.

        Nothing is done where a `version` is given that is not in use.

        Raises:
            Forbidden: the caller is not an admin of the space.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            in_use = find_in_use(store.list_policies(transaction, access.space))
            if in_use is not None and self._is_on and version in (None, in_use.version):
                store.withdraw(transaction, access, in_use, now=self._clock.now())
                self._database.note_change(_POLICIES, [access.space])
            kept = store.list_policies(transaction, access.space)
        self._use(access.space, kept)

    def forget(
        self, transaction: Transaction, access: Access, *, since: float | None = None
    ) -> None:
        """Drop what the space learned since a moment, or all, in the caller's transaction.

        What taught it was taken back; the version before it is in use again.
        """
        self._taken_back[access.space] += 1
        store.forget(transaction, access, since=since)
        self._database.note_change(_POLICIES, [access.space])
        state = self._searcher.state
        before = state.policies.get(access.space, SHIPPED_POLICY)
        undo_with(transaction, partial(state.set_policy, access.space, before))
        self._use(access.space, store.list_policies(transaction, access.space))

    def _take_over(self, transaction: Transaction, spaces: Sequence[str] | None = None) -> None:
        """Rank by the versions that are kept, of some spaces or all."""
        self._taken_back.update([None] if spaces is None else spaces)
        if spaces is None:
            spaces = [*{*store.list_spaces(transaction), *self._searcher.state.policies}]
        for space in spaces:
            self._use(space, store.list_policies(transaction, space))

    def _find_lesson(self, kept: Sequence[KeptPolicy]) -> TrainingResult:
        in_use = find_in_use(kept) if self._is_on else None
        return NOTHING_LEARNED if in_use is None else in_use.lesson

    def _use(self, space: str, kept: Sequence[KeptPolicy]) -> None:
        in_use = find_in_use(kept) if self._is_on else None
        policy = SHIPPED_POLICY if in_use is None else _build(in_use)
        if policy.version != self._searcher.state.policies.get(space, SHIPPED_POLICY).version:
            self._searcher.state.set_policy(space, policy)

    def _is_due(self) -> bool:
        if not self._is_on or self._learned_at is None:
            return self._is_on
        return self._clock.now() - self._learned_at >= LEARNED_EVERY_S

    def _learn(self) -> Iterator[None]:
        """Learn for each space in turn, yielding after every query."""
        with self._database.read() as transaction:
            newest = co_use.find_newest_use(transaction)
            spaces = {*co_use.list_spaces(transaction), *store.list_spaces(transaction)}
        if newest == self._learned_to:
            return
        for space in spaces:
            access, since = upkeep_access(space), self._count_taken_back(space)
            with self._database.read() as transaction:
                queries = labels.load_labelled_queries(transaction, access, most=MOST_QUERIES)
            answered: list[TrainingQuery] = []
            for query in queries:
                answered.append(self._answer(access, query))
                yield
            if not self._adopt(space, learn_weights(answered), answered, since):
                newest = self._learned_to
        self._learned_to = newest

    def _count_taken_back(self, space: str) -> int:
        """Return how often what a space learns from was taken back, as far as is known."""
        return self._taken_back[space] + self._taken_back[None]

    def _answer(self, access: Access, asked: LabelledQuery) -> TrainingQuery:
        search = self._search_again(asked)
        return _build_labelled(asked, self._searcher.rank_by_shipped_weights(access, search))

    def _search_again(self, asked: LabelledQuery) -> SearchQuery:
        text = fold_forms(asked.text)
        encoded = self._embedder.encode_query(text)
        return SearchQuery(
            encoded.vector, text, asked.user, pieces=encoded.pieces, spans=encoded.spans
        )

    def _adopt(
        self,
        space: str,
        lesson: TrainingResult,
        learned_from: Sequence[TrainingQuery],
        since: int,
    ) -> bool:
        """Keep a lesson as the next version, unless it says what is in use already.

        Returns whether what taught it still stands: taken back no more often than `since`.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            if self._count_taken_back(space) != since:
                return False
            kept = store.list_policies(transaction, space)
            in_use = find_in_use(kept)
            if lesson.factors == (in_use.lesson.factors if in_use else {}):
                return True
            if lesson.factors and _is_refused(kept, learned_from):
                return True
            days = (each.version // POLICY_STEP + 1 for each in kept)
            policy = make_policy(lesson, day=max([int(now // _DAY_S), *days]))
            store.add_policy(transaction, space, KeptPolicy(policy.version, now, lesson))
            self._database.note_change(_POLICIES, [space])
            kept = store.list_policies(transaction, space)
        weights = "learned" if lesson.factors else "the shipped"
        message = "a space ranks by %s weights: gain %.3f, at least %.3f"
        _log.info(message, weights, lesson.gain, lesson.low)
        self._use(space, kept)
        return True


def _build(kept: KeptPolicy) -> Policy:
    return make_policy(kept.lesson, day=kept.version // POLICY_STEP)


def _is_refused(kept: Sequence[KeptPolicy], learned_from: Sequence[TrainingQuery]) -> bool:
    """Tell whether an admin went back to another version, and too little was learned since."""
    withdrawn_to = max((each.withdrawn_to or 0 for each in kept), default=0)
    later = [one for one in learned_from if one.is_informative and one.number > withdrawn_to]
    return withdrawn_to > 0 and len(later) < LEAST_QUERIES


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
