"""Is use in the order safe? Agents with needs ask, use what helps, and ask again.

Thoughts of 150 topics lie in an embedding space where quality cannot be seen: of those that answer
a need 40 % are good. Agents ask by Zipf's law about 105 of the topics and never about the other 45.
What they use becomes evidence; then both kinds of need are asked once more and judged apart, since
every trace in an order is a trade between them. Success is a good answer among the first three.

    python benchmarks/simulation.py

prints the table of `docs/adr/0003-fusion.md` over three seeds. The embeddings are synthetic, set so
that plain cosine succeeds about as often as it did on real ones (.67).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.retrieval import (
    Evidence,
    Ranked,
    by_cosine,
    exposure_discount,
    fused,
    with_usefulness,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOPICS: Final = 150
NEVER_ASKED: Final = 45
THOUGHTS_PER_TOPIC: Final = 20
DOMAINS: Final = 10
DIMENSIONS: Final = 32
GOOD_SHARE: Final = 0.4
AGENTS: Final = 12
POOL: Final = 50
SHOWN: Final = 10
QUERIES_PER_DAY: Final = 400
DAY_S: Final = 86_400.0
#: Squared lengths of what a text shares with its domain, its topic and its need; the rest is noise.
SHARES: Final = (0.26, 0.16, 0.17)


class Candidate(NamedTuple):
    id: int
    cosine: float
    keyword: float = 0.0


@dataclass(frozen=True)
class World:
    """Thoughts `(n, DIMENSIONS)` and what nobody but the asker knows about them."""

    vectors: Floats
    need: Integers
    good: NDArray[np.bool_]
    author: Integers
    centres: Floats
    asked: Integers
    never_asked: Integers

    def helps(self, thought: int, need: int) -> bool:
        return bool(self.good[thought]) and int(self.need[thought]) == need


@dataclass(frozen=True)
class Questions:
    """What was asked: the needs, by whom, and the 50 nearest thoughts of each."""

    needs: Integers
    agents: Integers
    pools: list[list[Candidate]]

    def __iter__(self) -> Iterator[tuple[int, int, list[Candidate]]]:
        rows = zip(self.needs, self.agents, self.pools, strict=True)
        return ((int(need), int(agent), pool) for need, agent, pool in rows)


def unit(vectors: Floats) -> Floats:
    """Return the vectors at length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def made_world(rng: np.random.Generator) -> World:
    """Two needs a topic (numbers 2t and 2t + 1), ten thoughts for each."""
    domain, topic, need = np.sqrt(SHARES)

    def directions(count: int) -> Floats:
        return unit(rng.normal(size=(count, DIMENSIONS)))

    domains = directions(DOMAINS)[np.arange(TOPICS) % DOMAINS]
    topics = domain * domains + topic * directions(TOPICS)
    centres = np.repeat(topics, 2, axis=0) + need * directions(2 * TOPICS)
    needs = np.repeat(np.arange(2 * TOPICS), THOUGHTS_PER_TOPIC // 2)
    order = rng.permutation(TOPICS)
    return World(
        vectors=said(rng, centres[needs]),
        need=needs,
        good=rng.random(len(needs)) < GOOD_SHARE,
        author=rng.integers(AGENTS, size=len(needs)),
        centres=centres,
        asked=order[NEVER_ASKED:],
        never_asked=order[:NEVER_ASKED],
    )


def said(rng: np.random.Generator, centres: Floats) -> Floats:
    """Put needs into words: each centre with a noise of its own."""
    noise = unit(rng.normal(size=centres.shape))
    return unit(centres + np.sqrt(1 - sum(SHARES)) * noise)


def put(world: World, rng: np.random.Generator, topics: Integers, *, zipf: bool) -> Questions:
    """Ask one question for each of the topics drawn; one need of a topic is the rarer one."""
    needs = 2 * topics + (rng.random(len(topics)) < (0.3 if zipf else 0.5))
    cosines = said(rng, world.centres[needs]) @ world.vectors.T
    nearest = np.argpartition(-cosines, POOL, axis=1)[:, :POOL]
    pools = [
        [Candidate(int(one), float(row[one])) for one in best]
        for row, best in zip(cosines, nearest, strict=True)
    ]
    return Questions(needs, rng.integers(AGENTS, size=len(needs)), pools)


def zipf_topics(world: World, rng: np.random.Generator, count: int) -> Integers:
    """Draw topics that are asked, the first 20 times as often as the twentieth."""
    weights = 1 / np.arange(1, len(world.asked) + 1)
    return rng.choice(world.asked, size=count, p=weights / weights.sum())


class Order:
    """How a pool is ordered, and what it learns from an answer; this one is plain cosine."""

    def ranked(self, pool: Sequence[Candidate], now_s: float) -> list[Ranked]:
        del now_s
        return by_cosine(pool)

    def learn(self, agent: int, shown: Sequence[int], used: Sequence[int], now_s: float) -> None:
        """Take note of what was shown, in order, and which of it was used."""


@dataclass
class Useful(Order):
    """The order as shipped: a bounded posterior, one count per agent and thought in 24 hours."""

    weight: float
    first: Callable[[Sequence[Candidate]], list[Ranked]] = by_cosine
    known: dict[int, tuple[Evidence, float]] = field(default_factory=dict)
    counted: dict[tuple[str, int, int], float] = field(default_factory=dict)

    def ranked(self, pool: Sequence[Candidate], now_s: float) -> list[Ranked]:
        evidence = {one.id: self._now(one.id, now_s) for one in pool if one.id in self.known}
        return with_usefulness(self.first(pool), evidence, self.weight, within=POOL)

    def learn(self, agent: int, shown: Sequence[int], used: Sequence[int], now_s: float) -> None:
        for rank, thought in enumerate(shown):
            if self._counts("shown", agent, thought, now_s):
                self._add(thought, Evidence(0.0, exposure_discount(rank)), now_s)
        for thought in used:
            if self._counts("used", agent, thought, now_s):
                self._add(thought, Evidence(1.0, 0.0), now_s)

    def _now(self, thought: int, now_s: float) -> Evidence:
        evidence, at_s = self.known.get(thought, (Evidence(), now_s))
        return evidence.aged(now_s - at_s)

    def _add(self, thought: int, more: Evidence, now_s: float) -> None:
        old = self._now(thought, now_s)
        new = Evidence(old.uses + more.uses, old.exposures + more.exposures)
        self.known[thought] = (new, now_s)

    def _counts(self, what: str, agent: int, thought: int, now_s: float) -> bool:
        key = (what, agent, thought)
        if now_s - self.counted.get(key, -DAY_S) < DAY_S:
            return False
        self.counted[key] = now_s
        return True


@dataclass
class RawTrail(Order):
    """What not to do: cosine times the specified weight, which every retrieval raises."""

    trail: dict[int, tuple[float, float]] = field(default_factory=dict)

    def ranked(self, pool: Sequence[Candidate], now_s: float) -> list[Ranked]:
        scored = [(one, one.cosine * self._now(one.id, now_s)) for one in pool]
        ranked = [Ranked(one.id, one.cosine, 0.0, {"trail": score}) for one, score in scored]
        return sorted(ranked, key=lambda one: (-one.rank_score, one.id))

    def learn(self, agent: int, shown: Sequence[int], used: Sequence[int], now_s: float) -> None:
        del agent, used
        for thought in shown:
            self.trail[thought] = (min(10.0, self._now(thought, now_s) + 0.05), now_s)

    def _now(self, thought: int, now_s: float) -> float:
        weight, at_s = self.trail.get(thought, (1.0, 0.0))
        return max(0.1, weight * 0.995 ** ((now_s - at_s) // 3600))


class Outcome(NamedTuple):
    """Success@3 after the traffic."""

    asked: float
    never_asked: float


def lived(world: World, order: Order, traffic: Questions, rng: np.random.Generator) -> None:
    """Let agents ask, read from the top, and use what helps (and now and then what does not)."""
    for number, (need, agent, pool) in enumerate(traffic):
        now_s = number * DAY_S / QUERIES_PER_DAY
        shown = [one.id for one in order.ranked(pool, now_s)[:SHOWN]]
        read = rng.random(len(shown)) < [exposure_discount(rank) for rank in range(len(shown))]
        taken = rng.random(len(shown))
        used = [
            thought
            for thought, was_read, luck in zip(shown, read, taken, strict=True)
            if was_read and luck < (0.5 if world.helps(thought, need) else 0.05)
        ]
        others = [thought for thought in shown if world.author[thought] != agent]
        order.learn(agent, others, [one for one in used if one in others], now_s)


def success(world: World, order: Order, questions: Questions, now_s: float) -> float:
    """Return how often something that helps is among the first three."""
    return fmean(
        any(world.helps(one.id, need) for one in order.ranked(pool, now_s)[:3])
        for need, _, pool in questions
    )


@dataclass(frozen=True)
class Trial:
    """One world with its traffic and its examinations, for any number of orders."""

    world: World
    traffic: Questions
    asked: Questions
    never_asked: Questions

    @classmethod
    def made(cls, seed: int, *, queries: int, examined: int) -> Trial:
        rng = np.random.default_rng(seed)
        world = made_world(rng)
        return cls(
            world,
            put(world, rng, zipf_topics(world, rng, queries), zipf=True),
            put(world, rng, zipf_topics(world, rng, examined), zipf=True),
            put(world, rng, rng.choice(world.never_asked, size=examined), zipf=False),
        )

    def outcome(self, order: Order) -> Outcome:
        lived(self.world, order, self.traffic, np.random.default_rng(0))
        now_s = len(self.traffic.pools) * DAY_S / QUERIES_PER_DAY
        return Outcome(
            success(self.world, order, self.asked, now_s),
            success(self.world, order, self.never_asked, now_s),
        )


ORDERS: Final[dict[str, Callable[[], Order]]] = {
    "cosine": Order,
    "usefulness 0.1": lambda: Useful(0.1),
    "usefulness 0.2 (default)": lambda: Useful(0.2),
    "usefulness 0.4 (most)": lambda: Useful(0.4),
    "usefulness 0.2 on the fused order": lambda: Useful(0.2, first=fused),
    "cosine times raw trail": RawTrail,
}


def main() -> None:
    """Print the table."""
    trials = [Trial.made(seed, queries=8_000, examined=2_000) for seed in (1, 2, 3)]
    print(f"{'order':36}{'asked':>8}{'never asked':>14}   success@3, 3 seeds")
    for name, made in ORDERS.items():
        outcomes = [trial.outcome(made()) for trial in trials]
        asked, never_asked = (fmean(column) for column in zip(*outcomes, strict=True))
        print(f"{name:36}{asked:8.3f}{never_asked:14.3f}")


if __name__ == "__main__":
    main()
