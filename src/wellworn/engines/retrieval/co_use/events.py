"""Co-use: thoughts that served through different queries of one session, and how strongly.

Two thoughts shown together are only near each other, which the vectors know already. Two that were
used one after the other, neither query having returned both, belong to one task, and no vector
tells that: of what is needed next this finds .46 within ten where cosine finds .18. One hop is
enough; walking further never found more.

What a caller did itself counts in full. What others did counts by how many of them did it, and
one alone counts for nothing: that is no collective, and it is what keeps a spammer out.

Source: `docs/concepts.md`, "Often needed next".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log2
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: As long as evidence of use, for the same reason: two weeks follow a project.
HALF_LIFE_S: Final = 14 * 86_400.0
#: A single co-use of the caller's own is forgotten after two months.
LEAST_STRENGTH: Final = 0.05


@dataclass(frozen=True, slots=True)
class Step:
    """One query of a session through which something was used.

    Attributes:
        at: epoch seconds.
        query: `(dimensions,)` float32, L2-normalised.
        shown: what it returned, best first.
    """

    at: float
    query: NDArray[np.float32]
    shown: tuple[int, ...]
    used: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """The steps of one session, in order, and whose they are.

    Attributes:
        user: who counts as one user.
        owner: the owner of the credential; None at the open door.
    """

    user: str
    owner: str | None
    steps: tuple[Step, ...]


class CoUse(NamedTuple):
    """`other` was used in a session that used `thought` through another query."""

    thought: int
    other: int
    user: str
    owner: str | None
    at: float


def iterate_co_uses(session: Session) -> Iterator[CoUse]:
    """Yield the co-uses of a session, each from both ends; none that one query had returned."""
    for earlier, later in combinations(session.steps, 2):
        at = max(earlier.at, later.at)
        for first in earlier.used:
            for second in later.used:
                if first != second and second not in earlier.shown and first not in later.shown:
                    yield CoUse(first, second, session.user, session.owner, at)
                    yield CoUse(second, first, session.user, session.owner, at)


def weigh_users(users: int) -> float:
    """Return what a pair of so many distinct users counts, 0 to 1; of one alone 0."""
    return max(0.0, 1.0 - 1.0 / log2(users + 1)) if users > 0 else 0.0


def weigh_chance(together: int, sessions: tuple[int, int], of: int) -> float:
    """Return how much more often than by chance two thoughts were used in one session; at least 0.

    That is the positive pointwise mutual information, in bits: 1 is twice as often. `together` is
    in how many sessions both were, `sessions` in how many each was, `of` how many there are.
    """
    expected = sessions[0] * sessions[1]
    return max(0.0, log2(together * of / expected)) if together and expected else 0.0


def weigh_pairs(sessions: Collection[Session]) -> dict[tuple[int, int], float]:
    """Return by pair of thoughts how much more often than by chance one session used both."""
    using: Counter[int] = Counter()
    together: Counter[tuple[int, int]] = Counter()
    for session in sessions:
        using.update({thought for step in session.steps for thought in step.used})
        together.update({(event.thought, event.other) for event in iterate_co_uses(session)})
    return {
        (one, other): weigh_chance(count, (using[one], using[other]), len(sessions))
        for (one, other), count in together.items()
    }


def score_co_uses(
    events: Iterable[CoUse],
    *,
    owner: str | None,
    now: float,
    chances: Mapping[tuple[int, int], float] | None = None,
) -> dict[int, float]:
    """Return how strongly each other thought is needed beside those that the events start from.

    A co-use counts one when it happens and halves every 14 days, times what `chances` say of the
    pair: what everybody needs anyway belongs to nothing. `owner` is whose call it is; at the open
    door, where labels prove nothing, all that came through it is one's own.
    """
    own: defaultdict[int, float] = defaultdict(float)
    others: defaultdict[int, float] = defaultdict(float)
    users: defaultdict[int, set[str]] = defaultdict(set)
    for event in events:
        weight = 0.5 ** (max(0.0, now - event.at) / HALF_LIFE_S)
        if chances is not None:
            weight *= chances.get((event.thought, event.other), 0.0)
        (own if event.owner == owner else others)[event.other] += weight
        users[event.other].add(event.user)
    total = {
        other: own[other] + weigh_users(len(by)) * others[other] for other, by in users.items()
    }
    return {other: strength for other, strength in total.items() if strength >= LEAST_STRENGTH}
