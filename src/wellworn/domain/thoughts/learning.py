"""Learns ranking weights for each space from feedback, where this is switched on.

Training queries are run again in the background, without a trace, some at a time; once a day a
lesson is drawn from them. What was learned is kept, version by version, each with what it was
learned from. An admin goes back to the version before; then nothing is learned from the questions
that taught the other one. Weights may be tried beside those in use before they take their place.

Source: `docs/concepts.md`, "Learned weights" and "Weights on trial".
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
from wellworn.domain.thoughts.store.policies import KeptPolicy, find_in_use, find_on_trial
from wellworn.domain.thoughts.trials import Trial, judge_trial
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
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.folding import fold_forms

MOST_QUERIES: Final = 1_000
"""The newest labelled queries of a space. 300 give as good weights as 3,000; the rest test them."""
AT_ONCE: Final = 200
"""Queries that one maintenance runs again, which takes some seconds."""
LEARNED_EVERY_S: Final = 24 * 3600.0
_DAY_S: Final = 86_400.0
_POLICIES: Final = "policies"
_NOT_POSSIBLE: Final = (
    "nothing can be tried: WELLWORN_THOUGHTS__LEARNED_WEIGHTS=true and "
    "WELLWORN_THOUGHTS__DECISION_DAYS above 0 are needed"
)

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
        trial: what the trial of a version says so far; None where none is on trial.
    """

    is_on: bool
    version: int
    lesson: TrainingResult
    learned_at: float | None
    labelled: int
    versions: tuple[KeptPolicy, ...] = ()
    changes: PolicyChanges | None = None
    needed: int = LEAST_QUERIES
    trial: Trial | None = None


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
        is_logged: bool = True,
        tries: bool = False,
    ) -> None:
        """Learn if it `is_on`; try what was learned first if it `tries`, where calls are logged."""
        self._database = database
        self._searcher = searcher
        self._embedder = embedder
        self._clock = clock
        self._is_on = is_on
        self._is_logged = is_logged
        self._tries = tries and is_logged
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
            tried = self._find_trial(kept)
            trial = judge_trial(transaction, access, tried) if tried else None
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
            trial=trial,
        )

    def go_back(self, access: Access, *, version: int | None = None) -> None:
        """End the trial, if one is open; else rank by the version before the one in use.

        Before the first are the shipped weights, which stay. Nothing is done where a `version` is
        given that is neither in use nor on trial.

        Raises:
            Forbidden: the caller is not an admin of the space.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            kept = store.list_policies(transaction, access.space)
            found = (find_on_trial(kept), find_in_use(kept))
            wanted = [each for each in found if each and version in (None, each.version)]
            if wanted and self._is_on:
                store.withdraw(transaction, access, wanted[0], now=self._clock.now())
            self._note(transaction, access)

    def put_on_trial(self, access: Access, *, version: int | None = None) -> None:
        """Show the newest learned weights that are not in use, or a version, beside those in use.

        Nothing is done where these are on trial already.

        Raises:
            Forbidden: the caller is not an admin of the space.
            InvalidInput: there are none, others are on trial, or calls leave nothing to judge by.
        """
        access.require(Role.ADMIN)
        if not (self._is_on and self._is_logged):
            raise InvalidInput(_NOT_POSSIBLE)
        with self._database.write() as transaction:
            kept = store.list_policies(transaction, access.space)
            tried, wanted = find_on_trial(kept), store.find_triable(kept, version)
            if tried is not None and version not in {None, tried.version}:
                raise InvalidInput(f"version {tried.version} is on trial; end that first")
            if wanted is None:
                raise InvalidInput("no learned weights can be tried that are not in use")
            if tried is None:
                store.put_on_trial(transaction, access, wanted, now=self._clock.now())
            self._note(transaction, access)

    def take(self, access: Access, *, version: int | None = None) -> None:
        """Put the weights on trial in use, and end the trial.

        Nothing is done where a `version` is given that is not on trial.

        Raises:
            Forbidden: the caller is not an admin of the space.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            tried = find_on_trial(store.list_policies(transaction, access.space))
            if tried is not None and self._is_on and version in {None, tried.version}:
                store.take(transaction, access, tried, now=self._clock.now())
            self._note(transaction, access)

    def _note(self, transaction: Transaction, access: Access) -> None:
        """Tell other processes of a change, and rank by what is kept once it is written."""
        self._database.note_change(_POLICIES, [access.space])
        self._use_within(transaction, access.space)

    def _use_within(self, transaction: Transaction, space: str) -> None:
        state = self._searcher.state
        before = state.policies.get(space, SHIPPED_POLICY), state.trials.get(space)
        undo_with(transaction, partial(state.set_policy, space, *before))
        self._use(space, store.list_policies(transaction, space))

    def forget(
        self, transaction: Transaction, access: Access, *, since: float | None = None
    ) -> None:
        """Drop what the space learned since a moment, or all, in the caller's transaction.

        What taught it was taken back; the version before it is in use again.
        """
        self._taken_back[access.space] += 1
        before = store.list_policies(transaction, access.space)
        store.forget(transaction, access, since=since)
        kept = store.list_policies(transaction, access.space)
        tried = find_on_trial(kept)
        if tried and tried in before and find_in_use(kept) != find_in_use(before):
            # What it was shown beside is not in use any more, so its trial begins again.
            store.put_on_trial(transaction, access, tried, now=self._clock.now())
        self._note(transaction, access)

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

    def _find_trial(self, kept: Sequence[KeptPolicy]) -> KeptPolicy | None:
        return find_on_trial(kept) if self._is_on and self._is_logged else None

    def _use(self, space: str, kept: Sequence[KeptPolicy]) -> None:
        in_use, tried = find_in_use(kept) if self._is_on else None, self._find_trial(kept)
        policy = SHIPPED_POLICY if in_use is None else _build(in_use)
        trial = None if tried is None else _build(tried)
        state = self._searcher.state
        if (policy, trial) != (state.policies.get(space, SHIPPED_POLICY), state.trials.get(space)):
            state.set_policy(space, policy, trial)

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
                if find_on_trial(store.list_policies(transaction, space)) is not None:
                    continue
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
            if find_on_trial(kept) is not None:
                return True
            if lesson.factors == (in_use.lesson.factors if in_use else {}):
                return True
            if lesson.factors and _is_refused(kept, learned_from):
                return True
            days = (each.version // POLICY_STEP + 1 for each in kept)
            policy = make_policy(lesson, day=max([int(now // _DAY_S), *days]))
            tried_at = now if self._tries and lesson.factors else None
            added = KeptPolicy(policy.version, now, lesson, tried_at=tried_at)
            store.add_policy(transaction, space, added)
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
