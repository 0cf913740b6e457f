"""A thought's trail: how retrievals, uses and signals change it.

Two numbers are kept apart. The pheromone is the visible trail, which every retrieval strengthens.
Order may only follow confirmed use against exposure, and the author's own counts for neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from wellworn.domain.thoughts import pheromone
from wellworn.domain.thoughts.models import FeedbackSignal
from wellworn.domain.thoughts.pheromone import Pheromone
from wellworn.engines.retrieval import UseEvidence, discount_exposure

COUNTS_ONCE_PER_S = 24 * 3600.0
"""An agent's uses of one thought, and its showings to that agent, count once in this time."""

HIGHWAY_ACCESSES = 3
"""Least accesses of a highway."""
HIGHWAY_AGENTS = 2
"""Least agents who accessed it."""

_DAMPING_SIGNALS = frozenset({FeedbackSignal.IRRELEVANT, FeedbackSignal.WRONG})


def is_evidence(agent_id: str, *, author: str, last: float | None, now: float) -> bool:
    """Tell whether an agent's use or exposure is evidence of what a thought is worth.

    The author's own never is; others' count once per agent and thought in 24 hours. `last` is when
    one of the same kind last counted.
    """
    return agent_id != author and (last is None or now - last >= COUNTS_ONCE_PER_S)


@dataclass(frozen=True, slots=True)
class Effect:
    """A signal's effect on a weight, and when it was."""

    change: float
    at: float


class Trail(NamedTuple):
    """One row of the ledger.

    Attributes:
        uses, exposures: as of `counted_at`, halving every fortnight.
        use_score: sum over agents of the square root of their uses; does not fade.
    """

    access_count: int
    unique_users: int
    last_accessed: float | None
    pheromone: Pheromone
    uses: float
    exposures: float
    counted_at: float
    use_score: float

    @property
    def traffic_score(self) -> int:
        return self.access_count * self.unique_users

    @property
    def is_worn(self) -> bool:
        """Whether it was shown as often, and to as many, as a highway needs."""
        return self.access_count >= HIGHWAY_ACCESSES and self.unique_users >= HIGHWAY_AGENTS

    def weight_at(self, now: float) -> float:
        return pheromone.weight_at(self.pheromone, now)

    def evidence_at(self, now: float) -> UseEvidence:
        return UseEvidence(self.uses, self.exposures).decay(now - self.counted_at)


def create(now: float) -> Trail:
    """Return the trail of a thought nobody has retrieved."""
    return Trail(0, 0, None, pheromone.create(now), 0.0, 0.0, now, 0.0)


def add_retrieval(
    trail: Trail,
    *,
    rank: int,
    now: float,
    newcomer: bool,
    counts: bool,
    deposit: float = pheromone.DEPOSIT,
) -> Trail:
    """Return the trail after a retrieval that put the thought at `rank` (from 0).

    `newcomer`: the agent had not accessed it before; `counts`: this showing counts as exposure;
    `deposit`: what it adds to the visible weight.
    """
    evidence = trail.evidence_at(now)
    return trail._replace(
        access_count=trail.access_count + 1,
        unique_users=trail.unique_users + newcomer,
        last_accessed=now,
        pheromone=pheromone.deposit(trail.pheromone, now, deposit),
        uses=evidence.uses,
        exposures=evidence.exposures + (discount_exposure(rank) if counts else 0.0),
        counted_at=max(trail.counted_at, now),
    )


def add_use(trail: Trail, *, uses_by_agent: int, now: float) -> Trail:
    """Return the trail after a use by an agent with `uses_by_agent` counted uses before."""
    evidence = trail.evidence_at(now)
    return trail._replace(
        uses=evidence.uses + 1,
        exposures=evidence.exposures,
        counted_at=max(trail.counted_at, now),
        use_score=trail.use_score + sqrt(uses_by_agent + 1) - sqrt(uses_by_agent),
    )


def remove_use(trail: Trail, *, uses_by_agent: int, used_at: float, now: float) -> Trail:
    """Return the trail after a use is withdrawn; `uses_by_agent` still includes it."""
    evidence = trail.evidence_at(now)
    return trail._replace(
        uses=max(0.0, evidence.uses - UseEvidence(uses=1.0).decay(now - used_at).uses),
        exposures=evidence.exposures,
        counted_at=max(trail.counted_at, now),
        use_score=max(0.0, trail.use_score - sqrt(uses_by_agent) + sqrt(uses_by_agent - 1)),
    )


def apply_signal(
    current: Pheromone, signal: FeedbackSignal, *, earlier: Effect | None, amount: float, now: float
) -> tuple[Pheromone, float]:
    """Return the pheromone after a signal that replaces an earlier one, and the signal's effect.

    `amount` is what `useful` adds; `irrelevant` and `wrong` damp; `outdated` changes nothing, as
    the thought was good while it was true. What is left of the earlier signal's effect, which has
    faded since, is reverted first.
    """
    if earlier is not None:
        left = earlier.change * pheromone.share_left(earlier.at, now)
        current = pheromone.add(current, now, -left)
    changed = current
    if signal is FeedbackSignal.USEFUL:
        changed = pheromone.add(current, now, amount)
    elif signal in _DAMPING_SIGNALS:
        changed = pheromone.dampen(current, now)
    return changed, pheromone.weight_at(changed, now) - pheromone.weight_at(current, now)


def with_pheromone(trail: Trail, changed: Pheromone) -> Trail:
    return trail._replace(pheromone=changed)
