"""Reads a search as a decision, and tells of the decisions that were stored.

A member is told of their own calls, an admin of everybody's: what was asked is as private as that.
Nobody is told of a thought that they may not see, nor that there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.decisions import Answered, Decision, Fate, Judged
from wellworn.domain.thoughts.results import RankedThought
from wellworn.domain.thoughts.store import decisions as store
from wellworn.domain.thoughts.store import rows
from wellworn.engines.retrieval import Team
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import NotFound
from wellworn.kit.clock import Clock

if TYPE_CHECKING:
    from wellworn.domain.thoughts.models import FoundThought
    from wellworn.domain.thoughts.search import FoundPool

MOST_KEPT: Final = 50_000
"""Decisions of a space."""
_DAY_S: Final = 86_400.0
_LOOKED_EVERY_S: Final = 3_600.0


def _cut(_: RankedThought) -> Fate:
    return Fate.BEYOND_LIMIT


def judge_pool(
    shown: Sequence[FoundThought],
    pool: Sequence[RankedThought] = (),
    left_out: Iterable[Judged] = (),
    find_fate: Callable[[RankedThought], Fate] = _cut,
) -> tuple[Judged, ...]:
    """Return what became of all that a search came across: first what is shown, in its order.

    Args:
        shown: what is shown of the pool.
        pool: what was ranked, best first.
        left_out: what was left out of the pool.
        find_fate: tells of a result that is neither shown nor folded into one that is.
    """
    judged = {
        thought.seq: Judged(thought.seq, Fate.SHOWN, thought.score, thought.rank_score)
        for thought in shown
    }
    folded = {seq: thought.seq for thought in shown for seq in thought.folded}
    for hit in pool:
        seq = hit.summary.seq
        if seq not in judged:
            by = folded.get(seq)
            fate = find_fate(hit) if by is None else Fate.ALIKE
            judged[seq] = Judged(seq, fate, hit.ranked.cosine, hit.ranked.rank_score, by)
    for hit in pool:
        if hit.team is not None:
            seq = hit.summary.seq
            judged[seq] = replace(judged[seq], team=hit.team, is_first=hit.is_first)
    for each in left_out:
        judged.setdefault(each.seq, each)
    return tuple(judged.values())


def find_propensity(judged: Iterable[Judged]) -> float:
    """Return how likely what was put first was put there: a coin decides between two orders."""
    by_coin = any(each.is_first and each.team is not Team.BOTH for each in judged)
    return 0.5 if by_coin else 1.0


def decide(shown: Sequence[FoundThought], found: FoundPool) -> Decision:
    """Return what a search showed whose results all go as far as its limit."""
    answered = Answered.UNKNOWN if shown else Answered.NO
    judged = judge_pool(shown, found.hits, found.left_out)
    propensity = find_propensity(judged)
    return Decision(len(found.hits), judged, answered=answered, propensity=propensity)


@dataclass(frozen=True, slots=True)
class JudgedThought:
    """A thought that a call showed or withheld.

    Attributes:
        fate: `shown`, or why it was not.
        rank: its place among what was shown, from 1; None of what was not.
        by: the id of what stands in its place.
        opening: how it begins.
        team: whose weights picked it: `in_use`, `tried` or `both`; None where none were on trial.
    """

    thought_id: str
    fate: str
    rank: int | None
    cosine: float | None
    score: float | None
    by: str | None
    opening: str
    team: str | None


@dataclass(frozen=True, slots=True)
class DecidedCall:
    """One call, and what it decided.

    Attributes:
        decided_at: in epoch seconds.
        method: how the answer was found.
        policy_version: of the weights that ranked.
        propensity: how likely what was put first was put there.
        ranked: how many thoughts were ranked; None where nothing was searched.
        answered: whether anything shown has to do with what was asked; None where nobody judged.
        reason: why what was said was stored or not; empty where nothing could be.
        outcome: what became of it: `nothing`, `stored`, `affirmed` or `held`.
        contributed_id: the thought that was stored or affirmed.
        replaces: the ids of what that was linked to as its replacement.
    """

    query_id: str
    decided_at: float
    agent_id: str
    session_id: str
    question: str
    method: str
    policy_version: int
    propensity: float
    ranked: int | None
    answered: bool | None
    reason: str
    outcome: str
    contributed_id: str | None
    replaces: tuple[str, ...]
    shown: tuple[JudgedThought, ...]
    withheld: tuple[JudgedThought, ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions, the newest first; `since` is when the oldest that is stored was made."""

    decisions: tuple[DecidedCall, ...]
    since: float | None


class DecisionLog:
    """The decisions of one memory; every method but the last needs an Access."""

    def __init__(self, database: Database, clock: Clock, *, days: int) -> None:
        self._database = database
        self._clock = clock
        self._days = days
        self._dropped_at: float | None = None

    def list_decisions(
        self,
        access: Access,
        *,
        query_id: str | None = None,
        session_id: str | None = None,
        thought_id: str | None = None,
        limit: int = 20,
    ) -> Decisions:
        """Return the newest decisions that the caller may know of.

        Args:
            access: who asks.
            query_id: of this call alone.
            session_id: of this session alone.
            thought_id: only those that showed or withheld this thought.
            limit: most.

        Raises:
            NotFound: there is no such decision.
            ThoughtNotFound: the space has no such thought.
        """
        with self._database.read() as transaction:
            seq = None
            if thought_id is not None:
                seq = rows.find_seqs(transaction, access, [thought_id]).get(thought_id)
                if seq is None:
                    raise NotFound("no thought has this thought_id")
            found = store.list_decisions(
                transaction,
                access,
                owner=None if access.role.allows(Role.ADMIN) else access.owner,
                query_id=query_id,
                session_id=session_id,
                about=seq,
                limit=limit,
            )
            since = store.find_first(transaction, access)
            told = [self._tell(transaction, access, row, kept) for row, kept in found]
        return Decisions(tuple(told), since)

    def _tell(
        self, transaction: Transaction, access: Access, row: store.LoggedCall, kept: Decision
    ) -> DecidedCall:
        replaces = store.list_linked(transaction, row.contributed_seq, by=row.decided_at)
        contributed = [] if row.contributed_seq is None else [row.contributed_seq]
        with_held = access.role.allows(Role.ADMIN)
        named = rows.load_summaries(
            transaction, access, [*kept.seqs, *replaces, *contributed], with_held=with_held
        )
        ids = {seq: each.thought_id for seq, each in named.items()}
        shown, withheld = list[JudgedThought](), list[JudgedThought]()
        for each in kept.judged:
            if (thought := named.get(each.seq)) is None:
                continue
            is_shown = each.fate is Fate.SHOWN
            told = JudgedThought(
                thought.thought_id,
                each.fate.code,
                len(shown) + 1 if is_shown else None,
                _round(each.cosine),
                _round(each.score),
                None if each.by is None else ids.get(each.by),
                thought.opening,
                None if each.team is None else each.team.code,
            )
            (shown if is_shown else withheld).append(told)
        return DecidedCall(
            query_id=row.query_id,
            decided_at=row.decided_at,
            agent_id=row.agent_id,
            session_id=row.session_id,
            question=row.question,
            method=row.method,
            policy_version=row.policy_version,
            propensity=kept.propensity,
            ranked=kept.ranked,
            answered={Answered.YES: True, Answered.NO: False}.get(kept.answered),
            reason=kept.reason,
            outcome=kept.outcome.code,
            contributed_id=next((ids[seq] for seq in contributed if seq in ids), None),
            replaces=tuple(ids[seq] for seq in replaces if seq in ids),
            shown=tuple(shown),
            withheld=tuple(withheld),
        )

    def drop_old(self) -> None:
        """Drop the decisions of every space that are older than the settings say, or too many."""
        now = self._clock.now()
        if self._dropped_at is not None and 0.0 <= now - self._dropped_at < _LOOKED_EVERY_S:
            return
        before = now - self._days * _DAY_S
        with self._database.read() as transaction:
            cuts = {
                space: store.find_cut(transaction, space, before=before, most=MOST_KEPT)
                for space in store.list_spaces(transaction)
            }
        for space, until in cuts.items():
            dropped = until is not None
            while until is not None and dropped:
                with self._database.write() as transaction:
                    dropped = store.drop_old(transaction, space, until=until) > 0
        self._dropped_at = now


def _round(number: float | None) -> float | None:
    return None if number is None else round(number, 3)
