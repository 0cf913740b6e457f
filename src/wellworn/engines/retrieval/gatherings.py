"""Gatherings: regions that more of the usual askers came to lately than chance would have it.

Popular regions have several askers at any time, so a number of them says nothing. What is counted
is how surely so many *different* ones would not have come, each by what they usually ask; and what
that is compared with is the same log, every asker's days shifted by themselves, so that whoever
came together comes together by chance alone. The best region of each shifted log counts, so that
looking at many regions finds no more.

Source: `docs/concepts.md`, "Where several gather".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.topics import cluster_topics

WINDOW_DAYS: Final = 3
USUAL_DAYS: Final = 30
"""Days before the window that tell what is usual."""
LEAST_DAYS: Final = 14
FEWEST_AGENTS: Final = 4
"""Agents below which traffic says nothing of them together."""
FEWEST_SESSIONS: Final = 5
"""Sessions before the window that tell what an agent usually asks."""
MOST_AGENTS: Final = 200
FEWEST_GATHERED: Final = 3
SURENESS: Final = 0.02
_SHIFTS: Final = 499
_PRIOR: Final = 10.0
"""Sessions of everybody that an agent's own are weighed against."""
_LEAST_CHANCE: Final = 1e-12
_AT_ONCE: Final = 50

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class GatheringAnswer(StrEnum):
    """Whether several came to one region lately that usually do not."""

    YES = "yes"
    NO = "no"
    NOT_ENOUGH_AGENTS = "not_enough_agents"
    NOT_ENOUGH_DAYS = "not_enough_days"


@dataclass(frozen=True, slots=True)
class Gathering:
    """A region that more agents came to than chance would have it.

    Attributes:
        agents: how many different ones, of those whose usual questions are known.
        p: how probable any region as unusual is in a log in which nobody gathers.
    """

    region: int
    agents: int
    p: float


@dataclass(frozen=True, slots=True)
class Gatherings:
    """What a log says of gatherings, the surest first.

    Attributes:
        agents: of how many agents it is known what they usually ask.
        days: how far the log reaches back, the window included.
    """

    answer: GatheringAnswer
    agents: int
    days: int
    found: tuple[Gathering, ...] = ()


def find_gatherings(agents: Numbers, days: Numbers, regions: Numbers) -> Gatherings:
    """Return the regions that several agents came to in the last three days, and usually do not.

    Each row of the arguments, `(n,)`, is a session by what it asked first: what it asks later is
    shaped by what it was shown.

    Args:
        agents: numbers of agents, from 0.
        days: how many whole days ago; of the last 33.
        regions: numbers of regions, from 0; -1 for none, which says only that the agent was there.
    """
    if refused := refuse_log(agents, days):
        return refused
    known, span = _find_known(agents, days), _measure_span(days)
    rows = np.flatnonzero(np.isin(agents, known) & (days < span))
    places = np.full(int(agents.max()) + 1, -1, np.int64)
    places[known] = np.arange(len(known))
    table = _Table(places[agents[rows]], days[rows], regions[rows], span)
    came, scores = table.score(np.zeros((1, len(known)), np.int64))
    # A seed of its own: the same log has the same answer.
    draw = np.random.default_rng(0)
    shifts = draw.integers(span, size=(_SHIFTS, len(known)))
    best = np.concatenate(
        [
            table.score(shifts[at : at + _AT_ONCE])[1].max(axis=1)
            for at in range(0, _SHIFTS, _AT_ONCE)
        ]
    )
    ps = (1 + (best[:, None] >= scores[0] - 1e-9).sum(axis=0)) / (1 + _SHIFTS)
    sure = np.flatnonzero((ps <= SURENESS) & (came[0] >= FEWEST_GATHERED))
    found = [Gathering(int(at), int(came[0, at]), float(ps[at])) for at in sure]
    found.sort(key=lambda one: (one.p, -scores[0, one.region], one.region))
    answer = GatheringAnswer.YES if found else GatheringAnswer.NO
    return Gatherings(answer, len(known), span, tuple(found))


def refuse_log(agents: Numbers, days: Numbers) -> Gatherings | None:
    """Return why a log says nothing, which is known without its regions; None if it may."""
    known, span = len(_find_known(agents, days)), _measure_span(days)
    if known < FEWEST_AGENTS:
        return Gatherings(GatheringAnswer.NOT_ENOUGH_AGENTS, known, span)
    return Gatherings(GatheringAnswer.NOT_ENOUGH_DAYS, known, span) if span < LEAST_DAYS else None


def _find_known(agents: Numbers, days: Numbers) -> Numbers:
    """Return the agents of whom it is known what they usually ask, who asked the most first."""
    usual = np.bincount(agents[days >= WINDOW_DAYS], minlength=int(agents.max(initial=-1)) + 1)
    known = np.argsort(-usual, kind="stable")[:MOST_AGENTS]
    return known[usual[known] >= FEWEST_SESSIONS]


def _measure_span(days: Numbers) -> int:
    return min(USUAL_DAYS + WINDOW_DAYS, int(days.max(initial=-1)) + 1)


class _Table:
    """Sessions by agent, day and region."""

    def __init__(self, agents: Numbers, days: Numbers, regions: Numbers, span: int) -> None:
        self._span = span
        self._size = int(regions.max(initial=-1)) + 1
        self._by_agent = [
            (days[agents == agent], regions[agents == agent])
            for agent in range(int(agents.max(initial=-1)) + 1)
        ]
        placed = regions[regions >= 0]
        # Of all days: shifting does not change it.
        self._share = np.bincount(placed, minlength=self._size) / max(1, len(placed))

    def score(self, shifts: Numbers) -> tuple[Numbers, Floats]:
        """Return by shift and region how many agents came, and how surely not by chance.

        `shifts` is `(n, agents)`: by how many days each agent's sessions are moved in a circle.
        """
        size = (len(shifts), self._size)
        came = np.zeros((len(self._by_agent), *size), np.bool_)
        chances = np.zeros((len(self._by_agent), *size))
        for agent, (days, regions) in enumerate(self._by_agent):
            is_late = (days[None, :] + shifts[:, agent, None]) % self._span < WINDOW_DAYS
            placed = regions >= 0
            late = is_late[:, placed].astype(np.float64) @ _one_hot(regions[placed], self._size)
            total = np.bincount(regions[placed], minlength=self._size)
            before = (~is_late).sum(axis=1, keepdims=True)
            usual = (total - late + _PRIOR * self._share) / (before + _PRIOR)
            came[agent] = late > 0
            chances[agent] = 1.0 - (1.0 - np.minimum(usual, 1.0)) ** is_late.sum(
                axis=1, keepdims=True
            )
        counts = came.sum(axis=0)
        scores = np.zeros(size)
        many = counts >= FEWEST_GATHERED
        if many.any():
            tails = _find_tails(chances[:, many], counts[many])
            scores[many] = -np.log(np.maximum(tails, _LEAST_CHANCE))
        return counts, scores


def _one_hot(regions: Numbers, size: int) -> Floats:
    return np.eye(size)[regions]


def _find_tails(chances: Floats, counts: Numbers) -> Floats:
    """Return how probable at least so many of independent events are: `(events, n)` and `(n,)`."""
    most = int(counts.max())
    # How probable exactly so many are, of those that were gone through.
    exactly = np.zeros((most, len(counts)))
    exactly[0] = 1.0
    for chance in chances:
        exactly[1:] = exactly[1:] * (1.0 - chance) + exactly[:-1] * chance
        exactly[0] *= 1.0 - chance
    below = np.arange(most)[:, None] < counts
    return 1.0 - (exactly * below).sum(axis=0)


def find_regions(questions: NDArray[np.floating]) -> Numbers:
    """Return for each question the number of its region, from 0; -1 where it lies alone.

    Args:
        questions: `(n, d)`, of length one.
    """
    if not len(questions):
        return np.empty(0, np.int64)
    # What all questions have in common says nothing of any.
    apart = questions - questions.mean(axis=0)
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
    regions = np.full(len(questions), -1, np.int64)
    waiting, count = [*cluster_topics(apart.astype(np.float32))], 0
    while waiting:
        cluster = waiting.pop()
        waiting += cluster.children
        regions[cluster.members] = count
        count += 1
    # Those of regions that were divided have gone to the parts.
    return np.unique(regions, return_inverse=True)[1] - int((regions < 0).any())
