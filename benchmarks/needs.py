"""Does the gate of "often needed next" open where co-use says something, and only there?

Four worlds of synthetic sessions. In `linked`, thoughts refer to others that are mostly not near
them, and a need leads on to one of those. In `shuffled`, the very same queries were dealt out to
other sessions. In `walked`, the next need is drawn by nearness alone: all that co-use can know of
it the vectors know better. In `popular`, needs follow each other by popularity alone.

The walk draws by nearness anew at every step. With fixed favourites among the neighbours
(`favoured`) it would be no null: then there is something that only the sessions know.

    python -m benchmarks.needs

prints how often of 20 seeds the gate opened in each world; then, judged each time that the log had
grown by a fifth, in how many it was ever open, open in the end, and revoked on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.thoughts.needed_next import GROWTH
from wellworn.engines.retrieval.co_use.events import Session, Step
from wellworn.engines.retrieval.co_use.gate import LEAST_SESSIONS, GateResult, evaluate_gate

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

THOUGHTS: Final = 1_000
DOMAINS: Final = 40
DIMENSIONS: Final = 48
LINKS: Final = 4
AGENTS: Final = 12
SHOWN: Final = 10
DAY_S: Final = 86_400.0
SESSIONS_PER_DAY: Final = 40
#: Squared share of what a text has in common with its domain, and a query with the need behind it.
DOMAIN_SHARE: Final = 0.4
QUERY_SHARE: Final = 0.5
#: How sharply a walk prefers what is near.
SHARPNESS: Final = 12.0

Following = Callable[[int], int]


@dataclass(frozen=True)
class World:
    """Thoughts, how often each is needed, and whom each refers to."""

    vectors: Floats
    popularity: NDArray[np.float64]
    links: Integers
    domains: Integers

    @classmethod
    def made(cls, rng: np.random.Generator) -> World:
        domains = _unit(rng.normal(size=(DOMAINS, DIMENSIONS)))
        own = _unit(rng.normal(size=(THOUGHTS, DIMENSIONS)))
        of = rng.integers(DOMAINS, size=THOUGHTS)
        vectors = _unit(np.sqrt(DOMAIN_SHARE) * domains[of] + np.sqrt(1 - DOMAIN_SHARE) * own)
        weights = 1.0 / rng.permutation(np.arange(1, THOUGHTS + 1))
        popularity = weights / weights.sum()
        links = rng.choice(THOUGHTS, size=(THOUGHTS, LINKS))
        return cls(vectors.astype(np.float32), popularity, links, of)

    def step(self, rng: np.random.Generator, need: int, at: float) -> Step:
        """Ask for a need, use it where it is shown, and now and then something else."""
        noise = _unit(rng.normal(size=DIMENSIONS))
        query = _unit(np.sqrt(QUERY_SHARE) * self.vectors[need] + np.sqrt(1 - QUERY_SHARE) * noise)
        query = query.astype(np.float32)
        cosines = self.vectors @ query
        best = np.argpartition(-cosines, SHOWN)[:SHOWN]
        shown = [int(one) for one in best[np.argsort(-cosines[best])]]
        used = [one for one in shown if rng.random() < (0.8 if one == need else 0.03)]
        return Step(at, query, tuple(shown), tuple(used))


def linked(world: World, rng: np.random.Generator) -> Following:
    """Lead on to what the last need refers to, three times of four."""

    def following(need: int) -> int:
        if rng.random() < 0.75:  # noqa: PLR2004 - as the docstring says
            return int(rng.choice(world.links[need]))
        return int(rng.choice(THOUGHTS, p=world.popularity))

    return following


def walked(world: World, rng: np.random.Generator) -> Following:
    """Lead on by nearness."""

    def following(need: int) -> int:
        weights = np.exp(SHARPNESS * (world.vectors @ world.vectors[need])) * world.popularity
        weights[need] = 0.0
        return int(rng.choice(THOUGHTS, p=weights / weights.sum()))

    return following


def favoured(world: World, rng: np.random.Generator) -> Following:
    """Lead on to one of four fixed favourites among the fifty nearest."""
    nearest = np.argsort(-(world.vectors @ world.vectors.T), axis=1)[:, 1:51]
    favourites = rng.permuted(nearest, axis=1)[:, :LINKS]
    return lambda need: int(rng.choice(favourites[need]))


def popular(world: World, rng: np.random.Generator) -> Following:
    """Lead on to anything, by popularity."""
    return lambda _: int(rng.choice(THOUGHTS, p=world.popularity))


def lived(
    world: World,
    rng: np.random.Generator,
    following: Following,
    *,
    sessions: int,
    members: bool = False,
) -> list[Session]:
    """Return sessions of three to six queries; those through which nothing was used have gone."""
    made: list[Session] = []
    for number in range(sessions):
        agent = f"agent-{rng.integers(AGENTS)}"
        need = int(rng.choice(THOUGHTS, p=world.popularity))
        steps: list[Step] = []
        for _ in range(rng.integers(3, 7)):
            steps.append(world.step(rng, need, number * DAY_S / SESSIONS_PER_DAY + len(steps)))
            need = following(need)
        kept = tuple(step for step in steps if step.used)
        made.append(Session(agent, agent if members else None, kept))
    return made


def shuffled(sessions: list[Session], rng: np.random.Generator) -> list[Session]:
    """Deal the steps out to other sessions; each session keeps how many it has, and its times."""
    steps = [step for one in sessions for step in one.steps]
    order = iter(rng.permutation(len(steps)))
    return [
        Session(
            one.user,
            one.owner,
            tuple(
                Step(step.at, dealt.query, dealt.shown, dealt.used)
                for step in one.steps
                for dealt in [steps[next(order)]]
            ),
        )
        for one in sessions
    ]


LEADS: Final = {
    "linked": linked,
    "shuffled": linked,
    "walked": walked,
    "popular": popular,
    "favoured": favoured,
}


def sessions_of(name: str, seed: int, *, sessions: int, members: bool = False) -> list[Session]:
    """Return the sessions of one world, by its name."""
    rng = np.random.default_rng(seed)
    world = World.made(rng)
    lead = LEADS[name]
    made = lived(world, rng, lead(world, rng), sessions=sessions, members=members)
    return shuffled(made, rng) if name == "shuffled" else made


def verdicts(name: str, seeds: range, *, sessions: int, members: bool = False) -> list[GateResult]:
    """Let the gate judge a world under several seeds."""
    return [
        evaluate_gate(sessions_of(name, seed, sessions=sessions, members=members)) for seed in seeds
    ]


def judge_growing(sessions: list[Session]) -> list[GateResult]:
    """Judge a log each time it has grown by a fifth, as a space does, to its end."""
    verdicts, size = list[GateResult](), float(LEAST_SESSIONS)
    while size <= len(sessions):
        verdicts.append(evaluate_gate(sessions[: int(size)]))
        size *= GROWTH
    return verdicts


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def main() -> None:
    """Print the table."""
    print(f"{'world':12}{'sessions':>10}{'opened':>10}{'mean gain of hit@10':>22}")
    for name in ("linked", "shuffled", "walked", "popular"):
        for count in (800, 2_000):
            found = verdicts(name, range(20), sessions=count)
            gain = sum(one.gain for one in found) / len(found)
            opened = sum(one.is_open for one in found)
            print(f"{name:12}{count:10}{opened:7}/20{gain:22.3f}")
    print(f"\n{'growing to':12}{'sessions':>10}{'ever':>8}{'in the end':>12}{'revoked':>9}")
    for name in ("linked", "shuffled", "walked", "popular"):
        logs = [judge_growing(sessions_of(name, seed, sessions=800)) for seed in range(20)]
        ever = sum(any(one.is_open for one in log) for log in logs)
        end = sum(log[-1].is_open for log in logs)
        revoked = sum(
            any(one.is_open and not two.is_open for one, two in pairwise(log)) for log in logs
        )
        print(f"{name:12}{800:10}{ever:8}{end:12}{revoked:9}")


if __name__ == "__main__":
    main()
