"""How often do several seem to gather where nobody does, and how often are those found who do?

Agents come for a month, each with topics of their own, the popular ones more often. What they ask
first lies around the topic's middle as MiniLM has it: a cosine of .5 between two of one topic. In
the null worlds each comes for themselves: with interests that stay, that drift by 3 % a day, who
work on some weekdays only, or with many in few popular topics. In the others some come to one topic
once more within three days.

    python -m benchmarks.gatherings

prints of 100 simulations of each how many have an alarm, or find the planted region, with regions
that are known and with those that are made from the questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.trajectories import around, topics
from wellworn.engines.retrieval.gatherings import (
    Gatherings,
    find_gatherings,
    find_regions,
)

Integers = NDArray[np.int64]

SIMULATIONS: Final = 100
AGENTS: Final = 12
TOPICS: Final = 150
DAYS: Final = 33
A_DAY: Final = 3.0
WORKED: Final = 0.7
"""Share of weekdays, in the world of weekdays."""
OWN: Final = 25
"""Topics that an agent comes for."""


@dataclass(frozen=True)
class Log:
    """Sessions, each by its agent, how many days ago it was, and its topic."""

    agents: Integers
    days: Integers
    topics: Integers


def lived(
    rng: np.random.Generator,
    *,
    drift: float = 0.0,
    weekdays: bool = False,
    popular: float = 1.0,
    agents: int = AGENTS,
) -> Log:
    """Return a log in which everybody comes for themselves."""
    ranks = np.arange(1, TOPICS + 1, dtype=np.float64) ** -popular
    ranks /= ranks.sum()
    rows: list[tuple[int, int, int]] = []
    for agent in range(agents):
        own = rng.choice(TOPICS, OWN, replace=False, p=ranks)
        weights = ranks[own] * rng.gamma(1.0, size=OWN) + 1e-9
        works = rng.random(7) < WORKED if weekdays else np.ones(7, np.bool_)
        for day in range(DAYS - 1, -1, -1):
            changed = rng.random(OWN) < drift
            own[changed] = rng.choice(TOPICS, int(changed.sum()), p=ranks)
            count = rng.poisson(A_DAY) if works[day % 7] else 0
            asked = rng.choice(own, count, p=weights / weights.sum())
            rows += [(agent, day, int(topic)) for topic in asked]
    return Log(*np.array(rows, np.int64).T)


def gathered(log: Log, rng: np.random.Generator, agents: int) -> Log:
    """Return a log in which some agents came to one topic once more, the last of it."""
    topic = int(rng.integers(20, TOPICS))
    who = rng.choice(int(log.agents.max()) + 1, agents, replace=False)
    return Log(
        np.concatenate([log.agents, who]),
        np.concatenate([log.days, rng.integers(3, size=agents)]),
        np.concatenate([log.topics, np.full(agents, topic)]),
    )


def judge(log: Log, rng: np.random.Generator, *, known: bool) -> tuple[Gatherings, Integers]:
    """Return what is found, and the regions: the topics, or what is made from questions."""
    regions = log.topics if known else find_regions(around(topics(TOPICS, rng)[log.topics], rng))
    return find_gatherings(log.agents, log.days, regions), regions


NULLS: Final[dict[str, dict[str, Any]]] = {
    "stays": {},
    "drifts 3 % a day": {"drift": 0.03},
    "some weekdays": {"weekdays": True},
    "popular": {"popular": 1.6},
}


def count_alarms(name: str, *, known: bool, simulations: int = SIMULATIONS) -> int:
    """Return in how many simulations of a null world anybody seems to gather."""
    alarms = 0
    for seed in range(simulations):
        rng = np.random.default_rng(seed)
        alarms += bool(judge(lived(rng, **NULLS[name]), rng, known=known)[0].found)
    return alarms


def count_hits(agents: int, *, known: bool, simulations: int = SIMULATIONS) -> int:
    """Return in how many simulations the region is found that so many gathered in."""
    hits = 0
    for seed in range(simulations):
        rng = np.random.default_rng(1_000 + seed)
        log = gathered(lived(rng), rng, agents)
        found, regions = judge(log, rng, known=known)
        of_topic = {*regions[-agents:].tolist()} - {-1}
        hits += any(one.region in of_topic for one in found.found)
    return hits


def main() -> None:
    """Print the table."""
    print(f"{'':24}{'topics known':>14}{'from questions':>16}")
    for name in NULLS:
        both = [count_alarms(name, known=known) for known in (True, False)]
        print(f"{name:24}{both[0]:14}{both[1]:16}", flush=True)
    for agents in (3, 4, 6):
        both = [count_hits(agents, known=known) for known in (True, False)]
        print(f"{agents} of {AGENTS} gather{'':11}{both[0]:14}{both[1]:16}", flush=True)


if __name__ == "__main__":
    main()
