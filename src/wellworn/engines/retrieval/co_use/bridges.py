"""Bridges: groups of thoughts that lie far apart, and that sessions needed together all the same.

Two groups that many sessions use are in many sessions together by chance alone, and so are two that
one user always works on. So the log is dealt anew, 200 times: what was used through each question
goes to other sessions of the same user, each session and each group keeping how often it is there.
What a bridge is used together must be more than these logs have, so surely that of a hundred logs
in which nothing belongs together at most one is expected to have a bridge at all.

Source: `docs/how-to/see-what-belongs-together.md`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import exp, lgamma, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.co_use.events import Session, iterate_co_uses

FEWEST_SESSIONS: Final = 3
FEWEST_USERS: Final = 2
MOST_APART: Final = 0.3
"""Cosine of the middles of two groups, from the middle of all, from which on they are no bridge."""
SURENESS: Final = 0.005
"""How probable any bridge at all is in a log in which nothing belongs together."""
_SHUFFLES: Final = 200
_LEAST_SEEN: Final = 3.0
"""What never came up in so many shuffles may do so that often, at 95 %."""
_MOST_STEPS: Final = 20
"""The last questions of a session that count."""
_OWN_SESSIONS: Final = 5
"""Sessions of a user that are dealt among themselves; who has fewer is dealt with the others."""
_SUMMED: Final = 200

_Pair = tuple[int, int]
_Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FoundBridge:
    """Two groups that were needed together more often than by chance.

    Attributes:
        groups: both, the smaller number first.
        sessions: how many used both, through different questions.
        users: how many users those were of.
        expected: how many sessions would use both by chance.
        p: how probable as many are by chance.
    """

    groups: _Pair
    sessions: int
    users: int
    expected: float
    p: float


class _Use(NamedTuple):
    """A group that a question of a session used something of."""

    session: int
    step: int
    group: int
    user: int


def find_bridges(sessions: Sequence[Session], groups: Mapping[int, int]) -> list[FoundBridge]:
    """Return the bridges between groups of thoughts, the surest first.

    Args:
        sessions: of one space.
        groups: by thought, the number of its group, from 0; thoughts may be in none.
    """
    short = [
        Session(one.user, one.owner, one.steps[-_MOST_STEPS:]) for one in sessions if one.steps[1:]
    ]
    seen = [_list_pairs(session, groups) for session in short]
    counts = Counter(pair for pairs in seen for pair in pairs)
    users: defaultdict[_Pair, set[str]] = defaultdict(set)
    for session, pairs in zip(short, seen, strict=True):
        for pair in pairs:
            users[pair].add(session.user)
    candidates, tests = _list_candidates(short, groups)
    wanted = [
        pair
        for pair, count in counts.items()
        if count >= FEWEST_SESSIONS and len(users[pair]) >= FEWEST_USERS and pair in candidates
    ]
    if not wanted:
        return []
    expected = _expect(_list_uses(short, groups), wanted)
    found = [
        FoundBridge(pair, counts[pair], len(users[pair]), mean, _find_tail(counts[pair], mean))
        for pair, mean in zip(wanted, expected, strict=True)
    ]
    sure = [bridge for bridge in found if bridge.p <= SURENESS / tests]
    return sorted(sure, key=lambda bridge: (bridge.p, bridge.groups))


def _list_pairs(session: Session, groups: Mapping[int, int]) -> set[_Pair]:
    """Return the groups of which two thoughts were co-used in a session."""
    pairs: set[_Pair] = set()
    for event in iterate_co_uses(session):
        one, other = groups.get(event.thought, -1), groups.get(event.other, -1)
        if 0 <= one < other:
            pairs.add((one, other))
    return pairs


def _list_candidates(
    sessions: Sequence[Session], groups: Mapping[int, int]
) -> tuple[set[_Pair], int]:
    """Return the pairs of groups that may be bridges, and how many they are.

    Those of which both are used often enough, and for questions that have little in common.
    """
    questions: defaultdict[int, list[NDArray[np.float32]]] = defaultdict(list)
    using: defaultdict[int, set[int]] = defaultdict(set)
    for number, session in enumerate(sessions):
        for step in session.steps:
            for group in {groups[thought] for thought in step.used if thought in groups}:
                questions[group].append(step.query)
                using[group].add(number)
    often = sorted(group for group in using if len(using[group]) >= FEWEST_SESSIONS)
    if len(often) < 2:  # noqa: PLR2004 - a bridge has two ends
        return set(), 1
    middles = np.stack([np.mean(questions[group], axis=0) for group in often])
    middles -= middles.mean(axis=0)
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), 1e-12)
    near = middles @ middles.T
    pairs = {
        (often[one], often[other])
        for one, other in combinations(range(len(often)), 2)
        if near[one, other] < MOST_APART
    }
    return pairs, max(1, len(pairs))


def _list_uses(sessions: Sequence[Session], groups: Mapping[int, int]) -> list[_Use]:
    """Return what was used, each group of a question once, the uses of one session together."""
    known = Counter(session.user for session in sessions)
    names = {user: at for at, user in enumerate(known, 1) if known[user] >= _OWN_SESSIONS}
    return [
        _Use(number, place, group, names.get(session.user, 0))
        for number, session in enumerate(sessions)
        for place, step in enumerate(session.steps)
        for group in sorted({groups[thought] for thought in step.used if thought in groups})
    ]


def _expect(uses: Sequence[_Use], wanted: Sequence[_Pair]) -> list[float]:
    """Return how many sessions use both groups of each pair, if nothing belongs together."""
    columns: _Integers = np.array(uses, np.int64).T
    session, step, group, user = columns
    first, second = _pair_up(session, step)
    of_pair = session[first]
    size = int(group.max()) + 1
    keys = np.array([one * size + other for one, other in wanted], np.int64)
    order = np.argsort(keys)
    totals = np.zeros(len(keys))
    # A seed of its own: the same log has the same bridges.
    draw = np.random.default_rng(0)
    among = [np.flatnonzero(user == each) for each in np.unique(user)]
    for _ in range(_SHUFFLES):
        dealt = group.copy()
        for rows in among:
            dealt[rows] = draw.permutation(group[rows])
        one, other = dealt[first], dealt[second]
        key = np.minimum(one, other) * size + np.maximum(one, other)
        together = np.unique(of_pair * size * size + key) % (size * size)
        found = np.searchsorted(keys, together, sorter=order)
        found = order[np.minimum(found, len(keys) - 1)]
        totals += np.bincount(found[keys[found] == together], minlength=len(keys))
    return ((totals + _LEAST_SEEN) / _SHUFFLES).tolist()


def _pair_up(session: _Integers, step: _Integers) -> tuple[_Integers, _Integers]:
    """Return the places of every two uses of one session through different questions."""
    borders = np.flatnonzero(np.diff(session, prepend=-1, append=-1)).tolist()
    pairs = [begin + np.stack(np.triu_indices(end - begin, 1)) for begin, end in pairwise(borders)]
    first, second = np.concatenate(pairs, axis=1)
    apart = step[first] != step[second]
    return first[apart], second[apart]


def _find_tail(count: int, mean: float) -> float:
    """Return how probable at least so many are where so many are expected, by Poisson's law."""
    return min(
        1.0,
        sum(exp(at * log(mean) - mean - lgamma(at + 1)) for at in range(count, count + _SUMMED)),
    )
