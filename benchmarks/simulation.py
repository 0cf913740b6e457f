"""Is use in the order safe? Agents with needs ask, use what helps, and ask again.

Thoughts of 150 topics lie in an embedding space where quality cannot be seen: of those that answer
a need 40 % are good. Agents ask by Zipf's law about 105 of the topics and never about the other 45.
What they use becomes evidence; then both kinds of need are asked once more and judged apart, since
every trace in an order is a trade between them. Success is a good answer among the first three.

A spammer is in a world of its own: it puts 100 thoughts that help nobody next to the ten topics
asked most, and every fifth query is its own, confirming whatever of them it is shown. What
counts as evidence is the shipped rule, `thoughts.trail.is_evidence`; `Gullible` is the same order
without it. One spammer under several identities is not covered: that takes credentials.

    python -m benchmarks.simulation

prints the table of `docs/adr/0003-fusion.md` over three seeds. The embeddings are synthetic, set so
that plain cosine succeeds about as often as it did on real ones (.67).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.thoughts import trail as trails
from wellworn.domain.thoughts.trail import Trail, is_evidence
from wellworn.engines.retrieval import (
    Question,
    RankedResult,
    Unit,
    apply_usefulness,
    discount_exposure,
    rank,
    rank_by_cosine,
)
from wellworn.kit.matches import Match, Matches

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOPICS: Final = 150
NEVER_ASKED: Final = 45
THOUGHTS_PER_TOPIC: Final = 20
DOMAINS: Final = 10
DIMENSIONS: Final = 32
GOOD_SHARE: Final = 0.4
AGENTS: Final = 12
SPAMMER: Final = AGENTS
JUNK: Final = 100
SPAMMED_TOPICS: Final = 10
SPAM_SHARE: Final = 0.2
POOL: Final = 50
SHOWN: Final = 10
QUERIES_PER_DAY: Final = 400
DAY_S: Final = 86_400.0
#: Squared lengths of what a text shares with its domain, its topic and its need; the rest is noise.
SHARES: Final = (0.26, 0.16, 0.17)


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
    pools: list[Matches]

    def __iter__(self) -> Iterator[tuple[int, int, Matches]]:
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


def with_junk(world: World, rng: np.random.Generator) -> World:
    """Add what the spammer said: close to what is asked most, and no help to anybody."""
    topics = np.repeat(world.asked[:SPAMMED_TOPICS], JUNK // SPAMMED_TOPICS)
    needs = 2 * topics + rng.integers(2, size=JUNK)
    return replace(
        world,
        vectors=np.concatenate([world.vectors, said(rng, world.centres[needs])]),
        need=np.concatenate([world.need, needs]),
        good=np.concatenate([world.good, np.zeros(JUNK, dtype=np.bool_)]),
        author=np.concatenate([world.author, np.full(JUNK, SPAMMER)]),
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
        Matches.of(Match(int(one), float(row[one]), 0.0) for one in best)
        for row, best in zip(cosines, nearest, strict=True)
    ]
    return Questions(needs, rng.integers(AGENTS, size=len(needs)), pools)


def with_spam(world: World, traffic: Questions, rng: np.random.Generator) -> Questions:
    """Give every fifth query to the spammer, and its need from the topics it has junk in."""
    spam = rng.random(len(traffic.pools)) < SPAM_SHARE
    topics = rng.choice(world.asked[:SPAMMED_TOPICS], size=len(traffic.pools))
    its = put(world, rng, topics, zipf=False)
    return Questions(
        np.where(spam, its.needs, traffic.needs),
        np.where(spam, SPAMMER, traffic.agents),
        [
            pool if is_spam else honest
            for is_spam, pool, honest in zip(spam, its.pools, traffic.pools, strict=True)
        ],
    )


def zipf_topics(world: World, rng: np.random.Generator, count: int) -> Integers:
    """Draw topics that are asked, the first 20 times as often as the twentieth."""
    weights = 1 / np.arange(1, len(world.asked) + 1)
    return rng.choice(world.asked, size=count, p=weights / weights.sum())


class Shown(NamedTuple):
    """A thought in an answer, whose it is, and whether it was used."""

    id: int
    author: int
    is_used: bool


def fuse(pool: Matches) -> list[RankedResult]:
    """Rank thoughts of which nothing is known but how near they are."""
    nothing = np.empty((0, 128), np.float32)
    bare = [Unit(row.id, "note") for row in pool]
    return rank(Question("", {}, nothing, nothing[:, 0]), bare, pool, most=len(pool))


class Order:
    """How a pool is ordered, and what it learns from an answer; this one is plain cosine."""

    def ranked(self, pool: Matches, now_s: float) -> list[RankedResult]:
        del now_s
        return rank_by_cosine(pool)

    def learn(self, agent: int, shown: Sequence[Shown], now_s: float) -> None:
        """Take note of what was shown, in order, and which of it was used."""


@dataclass
class Useful(Order):
    """The order as shipped: a bounded posterior, fed by what the shipped rule takes as evidence."""

    weight: float
    first: Callable[[Matches], list[RankedResult]] = rank_by_cosine
    known: dict[int, Trail] = field(default_factory=dict)
    counted: dict[tuple[str, int, int], float] = field(default_factory=dict)

    def ranked(self, pool: Matches, now_s: float) -> list[RankedResult]:
        evidence = {
            one.id: self.known[one.id].evidence_at(now_s) for one in pool if one.id in self.known
        }
        return apply_usefulness(self.first(pool), evidence, self.weight, within=POOL)

    def learn(self, agent: int, shown: Sequence[Shown], now_s: float) -> None:
        for place, one in enumerate(shown):
            trail = self.known.get(one.id, trails.create(now_s))
            if self._counts("shown", agent, one, now_s):
                trail = trails.add_retrieval(
                    trail, rank=place, now=now_s, newcomer=False, counts=True
                )
            if one.is_used and self._counts("used", agent, one, now_s):
                trail = trails.add_use(trail, uses_by_agent=0, now=now_s)
            self.known[one.id] = trail

    def _counts(self, what: str, agent: int, one: Shown, now_s: float) -> bool:
        key = (what, agent, one.id)
        if not self._is_evidence(agent, one, self.counted.get(key), now_s):
            return False
        self.counted[key] = now_s
        return True

    def _is_evidence(self, agent: int, one: Shown, last_s: float | None, now_s: float) -> bool:
        return is_evidence(str(agent), author=str(one.author), last=last_s, now=now_s)


@dataclass
class Gullible(Useful):
    """The same order, believing everybody at any time."""

    def _is_evidence(self, agent: int, one: Shown, last_s: float | None, now_s: float) -> bool:
        del agent, one, last_s, now_s
        return True


@dataclass
class RawTrail(Order):
    """What not to do: cosine times the specified weight, which every retrieval raises."""

    trail: dict[int, tuple[float, float]] = field(default_factory=dict)

    def ranked(self, pool: Matches, now_s: float) -> list[RankedResult]:
        scored = [(one, one.cosine * self._now(one.id, now_s)) for one in pool]
        ranked = [RankedResult(one.id, one.cosine, 0.0, {"trail": score}) for one, score in scored]
        return sorted(ranked, key=lambda one: (-one.rank_score, one.id))

    def learn(self, agent: int, shown: Sequence[Shown], now_s: float) -> None:
        del agent
        for one in shown:
            self.trail[one.id] = (min(10.0, self._now(one.id, now_s) + 0.05), now_s)

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
        first = [one.id for one in order.ranked(pool, now_s)[:SHOWN]]
        read = rng.random(len(first)) < [discount_exposure(place) for place in range(len(first))]
        luck = rng.random(len(first))
        shown = [
            Shown(
                thought,
                int(world.author[thought]),
                world.author[thought] == SPAMMER
                if agent == SPAMMER
                else bool(was_read) and lucky < (0.5 if world.helps(thought, need) else 0.05),
            )
            for thought, was_read, lucky in zip(first, read, luck, strict=True)
        ]
        order.learn(agent, shown, now_s)


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
    def made(cls, seed: int, *, queries: int, examined: int, spammed: bool = False) -> Trial:
        rng = np.random.default_rng(seed)
        world = made_world(rng)
        if spammed:
            world = with_junk(world, rng)
        traffic = put(world, rng, zipf_topics(world, rng, queries), zipf=True)
        return cls(
            world,
            with_spam(world, traffic, rng) if spammed else traffic,
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
    "usefulness 0.2 on the fused order": lambda: Useful(0.2, first=fuse),
    "cosine times raw trail": RawTrail,
}


SPAMMED_ORDERS: Final[dict[str, Callable[[], Order]]] = {
    "cosine": Order,
    "usefulness 0.2 (default)": lambda: Useful(0.2),
    "usefulness 0.2, unguarded": lambda: Gullible(0.2),
    "usefulness 0.4 (most)": lambda: Useful(0.4),
    "usefulness 0.4, unguarded": lambda: Gullible(0.4),
}


def main() -> None:
    """Print the tables."""
    for title, orders, spammed in (
        ("honest agents", ORDERS, False),
        ("with a spammer", SPAMMED_ORDERS, True),
    ):
        trials = [
            Trial.made(seed, queries=8_000, examined=2_000, spammed=spammed) for seed in (1, 2, 3)
        ]
        print(f"{title:36}{'asked':>8}{'never asked':>14}   success@3, 3 seeds")
        for name, made in orders.items():
            outcomes = [trial.outcome(made()) for trial in trials]
            asked, never_asked = (fmean(column) for column in zip(*outcomes, strict=True))
            print(f"{name:36}{asked:8.3f}{never_asked:14.3f}")


if __name__ == "__main__":
    main()
