"""How often does the path of a session get a regime it does not have, and how often the one it has?

Questions are drawn around topics, with cosines as MiniLM gives them: .5 between two of one topic.
In the null worlds the order says nothing: questions of one topic, of two topics by chance, of many,
and few questions asked again and again. In the others it does: what is asked closes in on one
thing, goes back and forth between two, or walks away.

    python -m benchmarks.trajectories

prints for each world and length how many of 400 sessions got which regime.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.trajectories import Regime, follow_path

Floats = NDArray[np.float64]

DIMENSIONS: Final = 384
SESSIONS: Final = 400
LENGTHS: Final = (6, 8, 12, 20)
#: Squared share of a question that is its topic's: the cosine of two of one topic.
SHARE: Final = 0.5


def unit(vectors: Floats) -> Floats:
    """Return vectors at length one."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def around(middles: Floats, rng: np.random.Generator, share: Floats | float = SHARE) -> Floats:
    """Return a question around each middle, which has a share of it."""
    noise = unit(rng.normal(size=middles.shape))
    share = np.broadcast_to(np.asarray(share), (len(middles),))[:, None]
    return unit(np.sqrt(share) * middles + np.sqrt(1 - share) * noise)


def topics(count: int, rng: np.random.Generator) -> Floats:
    """Return the middles of topics, which have a tenth in common, as all questions have."""
    common = unit(rng.normal(size=(1, DIMENSIONS)))
    return unit(np.sqrt(0.1) * common + np.sqrt(0.9) * unit(rng.normal(size=(count, DIMENSIONS))))


def one_topic(length: int, rng: np.random.Generator) -> Floats:
    return around(np.repeat(topics(1, rng), length, axis=0), rng)


def two_topics(length: int, rng: np.random.Generator) -> Floats:
    return around(topics(2, rng)[rng.integers(2, size=length)], rng)


def many_topics(length: int, rng: np.random.Generator) -> Floats:
    return around(topics(length, rng), rng)


def repeated(length: int, rng: np.random.Generator) -> Floats:
    """Ask few questions again and again, word for word."""
    return around(topics(3, rng), rng)[rng.integers(3, size=length)]


def contractive(length: int, rng: np.random.Generator) -> Floats:
    middles = np.repeat(topics(1, rng), length, axis=0)
    return around(middles, rng, np.linspace(0.05, 0.8, length))


def oscillatory(length: int, rng: np.random.Generator) -> Floats:
    return around(topics(2, rng)[np.arange(length) % 2], rng)


def exploratory(length: int, rng: np.random.Generator) -> Floats:
    """Walk: each question has half of the one before."""
    walked = [topics(1, rng)]
    for _ in range(length - 1):
        walked.append(around(walked[-1], rng))
    return np.concatenate(walked)


World = Callable[[int, np.random.Generator], Floats]
NULLS: Final[dict[str, World]] = {
    "one topic": one_topic,
    "two topics": two_topics,
    "many topics": many_topics,
    "repeated": repeated,
}
ORDERED: Final[dict[Regime, World]] = {
    Regime.CONTRACTIVE: contractive,
    Regime.OSCILLATORY: oscillatory,
    Regime.EXPLORATORY: exploratory,
}


def count_regimes(world: World, length: int, sessions: int = SESSIONS) -> Counter[Regime]:
    """Return how many sessions of a world got which regime."""
    rng = np.random.default_rng(length)
    return Counter(follow_path(world(length, rng)).regime for _ in range(sessions))


def main() -> None:
    """Print the table."""
    print(f"{'world':14}{'questions':>10}" + "".join(f"{each.value:>14}" for each in Regime))
    for name, world in [*NULLS.items(), *((each.value, ORDERED[each]) for each in ORDERED)]:
        for length in LENGTHS:
            found = count_regimes(world, length)
            shares = "".join(f"{found[each] / SESSIONS:14.3f}" for each in Regime)
            print(f"{name:14}{length:10}{shares}", flush=True)


if __name__ == "__main__":
    main()
