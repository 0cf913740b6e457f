"""Rebuilds a thought's trail by replaying its events under the rules of the trail.

A rollback must leave what would be there without the owner's part. Weights fade and are bounded, so
that part cannot be subtracted: the remaining events are replayed in order.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from wellworn.domain.thoughts import pheromone, trail
from wellworn.domain.thoughts.models import FeedbackSignal
from wellworn.domain.thoughts.trail import Effect, Trail, is_evidence


@dataclass(frozen=True, slots=True)
class RetrievalEvent:
    """A retrieval; `agent` is who counts as one user, `place` the number of the query.

    `deposit` is what it added to the weight; None for the plain deposit of the open door.
    """

    at: float
    place: int
    agent: str
    rank: int
    deposit: float | None


@dataclass(frozen=True, slots=True)
class BonusEvent:
    """The bonus of implicit feedback, given before the query of that number; `owned`: capped."""

    at: float
    place: int
    agent: str
    owned: bool


@dataclass(frozen=True, slots=True)
class SignalEvent:
    """A signal, given after the query of that number; `counted`: as a use."""

    at: float
    place: int
    agent: str
    owned: bool
    session_id: str
    signal: FeedbackSignal
    counted: bool


@dataclass(frozen=True, slots=True)
class UseEvent:
    """A use that no signal stands for."""

    at: float
    place: int
    agent: str


TrailEvent = RetrievalEvent | BonusEvent | SignalEvent | UseEvent
_ORDER = {BonusEvent: 0, UseEvent: 1, RetrievalEvent: 2, SignalEvent: 3}


@dataclass(slots=True)
class UserActivity:
    """The counts and deposits of one user on the thought."""

    accesses: int = 0
    uses: int = 0
    first_accessed: float | None = None
    exposed_at: float | None = None
    deposits: int = 0
    deposited: float = 0.0


@dataclass(slots=True)
class TrailReplay:
    """The state of a replay; `signals` are those in force, by session."""

    author: str
    trail: Trail
    activity: defaultdict[str, UserActivity] = field(
        default_factory=lambda: defaultdict(UserActivity)
    )
    signals: dict[str, tuple[Effect, bool]] = field(default_factory=dict[str, tuple[Effect, bool]])

    def apply(self, event: TrailEvent) -> None:
        """Apply the next event."""
        match event:
            case RetrievalEvent():
                self._apply_retrieval(event)
            case BonusEvent():
                self._apply_bonus(event)
            case SignalEvent():
                self._apply_signal(event)
            case UseEvent():
                self._use(event.agent, event.at)

    def _apply_retrieval(self, event: RetrievalEvent) -> None:
        visitor = self.activity[event.agent]
        counts = is_evidence(event.agent, author=self.author, last=visitor.exposed_at, now=event.at)
        deposit = pheromone.DEPOSIT if event.deposit is None else event.deposit
        self.trail = trail.add_retrieval(
            self.trail,
            rank=event.rank,
            now=event.at,
            newcomer=not visitor.accesses,
            counts=counts,
            deposit=deposit,
        )
        visitor.accesses += 1
        if visitor.first_accessed is None:
            visitor.first_accessed = event.at
        if counts:
            visitor.exposed_at = event.at
        if event.deposit:
            visitor.deposits += 1
            visitor.deposited += event.deposit

    def _apply_bonus(self, event: BonusEvent) -> None:
        amount = self._claim(event.agent, pheromone.BONUS, owned=event.owned)
        if amount:
            changed = pheromone.add(self.trail.pheromone, event.at, amount)
            self.trail = trail.with_pheromone(self.trail, changed)

    def _apply_signal(self, event: SignalEvent) -> None:
        visitor = self.activity[event.agent]
        earlier, used = self.signals.get(event.session_id, (None, False))
        if earlier is not None and used:
            visitor.uses -= 1
            self.trail = trail.remove_use(
                self.trail, uses_by_agent=visitor.uses + 1, used_at=earlier.at, now=event.at
            )
        amount = 0.0
        if event.signal is FeedbackSignal.USEFUL:
            amount = self._claim(event.agent, pheromone.USEFUL, owned=event.owned)
        changed, change = trail.apply_signal(
            self.trail.pheromone, event.signal, earlier=earlier, amount=amount, now=event.at
        )
        self.trail = trail.with_pheromone(self.trail, changed)
        if event.counted:
            self._use(event.agent, event.at)
        self.signals[event.session_id] = Effect(change, event.at), event.counted

    def _use(self, agent: str, at: float) -> None:
        visitor = self.activity[agent]
        self.trail = trail.add_use(self.trail, uses_by_agent=visitor.uses, now=at)
        visitor.uses += 1

    def _claim(self, agent: str, amount: float, *, owned: bool) -> float:
        if not owned:
            return amount
        if agent == self.author:
            return 0.0
        visitor = self.activity[agent]
        added = pheromone.cap(amount, visitor.deposited)
        visitor.deposited += added
        return added


def replay(author: str, created_at: float, events: Iterable[TrailEvent]) -> TrailReplay:
    """Return the trail of a thought made at `created_at` after all that happened to it."""
    replay = TrailReplay(author, trail.create(created_at))
    for event in sorted(events, key=_place_of):
        replay.apply(event)
    return replay


def _place_of(event: TrailEvent) -> tuple[float, int, int]:
    return event.at, event.place, _ORDER[type(event)]
