"""Does sleep find bridges between topics where agents needed both, and nowhere else?

In the worlds of `benchmarks.needs`, eight pairs of domains belong together: half of the time a need
in the one leads on to a need in the other. Domains lie apart. The null worlds are these very logs,
with the questions dealt to other sessions, of anybody or of the same agent, and walks by nearness.

    python -m benchmarks.bridges

prints in how many of 100 logs of each null world there was any bridge, and how many of those found
in 20 true logs are planted ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from benchmarks.needs import (
    DOMAINS,
    THOUGHTS,
    Following,
    World,
    lived,
    popular,
    shuffled,
    walked,
)
from wellworn.engines.retrieval.co_use import Session, find_bridges

SESSIONS = 600
PLANTED = 8
LEADS_ON = 0.5


def bridged(world: World, rng: np.random.Generator) -> tuple[Following, set[tuple[int, int]]]:
    """Lead on to the other domain of a pair, half of the time; return the pairs, too."""
    ends = rng.permutation(DOMAINS)[: 2 * PLANTED].reshape(PLANTED, 2).tolist()
    partners = {one: other for pair in ends for one, other in (pair, pair[::-1])}
    elsewhere = popular(world, rng)

    def following(need: int) -> int:
        partner = partners.get(int(world.domains[need]))
        if partner is None or rng.random() >= LEADS_ON:
            return elsewhere(need)
        return int(rng.choice(np.flatnonzero(world.domains == partner)))

    return following, {(min(pair), max(pair)) for pair in ends}


def shuffled_within(sessions: list[Session], rng: np.random.Generator) -> list[Session]:
    """Deal the steps out to other sessions of the same agent."""
    users = {one.user for one in sessions}
    of_users = [[one for one in sessions if one.user == user] for user in sorted(users)]
    return [each for some in of_users for each in shuffled(some, rng)]


def interested(sessions: list[Session], rng: np.random.Generator, world: World) -> list[Session]:
    """Give each agent a share of domains of its own: what it never needs is left out."""
    users = sorted({one.user for one in sessions})
    own = {user: set(rng.permutation(DOMAINS)[: DOMAINS // 3].tolist()) for user in users}
    return [
        replace(
            one,
            steps=tuple(
                step
                for step in one.steps
                if {*world.domains[list(step.used)].tolist()} & own[one.user]
            ),
        )
        for one in sessions
    ]


def main() -> None:
    """Print the table."""
    alarms, logs, found, planted, hits = Counter[str](), Counter[str](), 0, 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        world = World.made(rng)
        groups = dict(zip(range(THOUGHTS), world.domains.tolist(), strict=True))
        lead, pairs = bridged(world, rng)
        true = lived(world, rng, lead, sessions=SESSIONS)
        bridges = {bridge.groups for bridge in find_bridges(true, groups)}
        found, planted, hits = found + len(bridges), planted + PLANTED, hits + len(bridges & pairs)
        own = interested(true, rng, world)
        nulls = {"dealt to anybody": [shuffled(true, rng) for _ in range(5)]}
        nulls["dealt to the same agent"] = [shuffled_within(own, rng) for _ in range(5)]
        nulls["walked"] = [lived(world, rng, walked(world, rng), sessions=SESSIONS)]
        for name, some in nulls.items():
            logs[name] += len(some)
            alarms[name] += sum(bool(find_bridges(log, groups)) for log in some)
        print(f"after {seed + 1} worlds:", flush=True)
        for name, count in logs.items():
            print(f"  {name:26}{alarms[name]:5} of {count} logs have a bridge", flush=True)
        print(f"  {'true':26}{found:5} bridges, {hits} of the {planted} planted", flush=True)


if __name__ == "__main__":
    main()
