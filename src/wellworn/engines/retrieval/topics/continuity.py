"""Recognises topics again after units were sorted again: by their members, not by their middles.

The topics of both times are paired one to one, those that share most first, by the Jaccard index of
the members that were there both times: what came or went in between makes no topic another one. Of
one that was divided the part that shares most goes on, the others come from it; of several that
were joined the one that shares most goes on, the others went into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Members = NDArray[np.int64]

LEAST_SAME: Final = 1 / 3
"""Jaccard index from which a topic is the one of before; a third of a topic in three is none."""
_LEAST_PART: Final = 0.5
"""Share of a topic's members that tells where they came from, or went."""


class Descent(NamedTuple):
    """A topic that came from another, or went into it; both by their places in the sequences."""

    after: int
    before: int
    shared: int


class Continuity(NamedTuple):
    """The topics of now that are those of before.

    Attributes:
        same: by place among the topics of now, that among the topics of before.
        parted: topics of now that are new, and where most of their members were.
        joined: topics of before that are no more, and where most of their members are.
    """

    same: dict[int, int]
    parted: tuple[Descent, ...]
    joined: tuple[Descent, ...]


def match_topics(
    before: Sequence[Members],
    after: Sequence[Members],
    *,
    was_there: Members,
    is_there: Members,
    least: float = LEAST_SAME,
) -> Continuity:
    """Match the topics of two times; a unit may be in several, one inside another.

    Args:
        before: members of the topics of before.
        after: members of the topics of now.
        was_there: all units of before, ascending, those in no topic among them.
        is_there: all units of now, likewise.
        least: Jaccard index from which one of now is the one of before.
    """
    common = np.intersect1d(was_there, is_there, assume_unique=True)
    earlier, later = _flatten(before, common), _flatten(after, common)
    sizes_before = np.bincount(earlier[1], minlength=len(before))
    sizes_after = np.bincount(later[1], minlength=len(after))
    pairs = [
        _Overlap(shared / (sizes_after[new] + sizes_before[old] - shared), shared, new, old)
        for new, old, shared in _count_shared(later, earlier, len(before))
    ]
    pairs.sort(key=lambda pair: (-pair.jaccard, -pair.shared, pair.old, pair.new))
    same: dict[int, int] = {}
    taken: set[int] = set()
    parted: dict[int, Descent] = {}
    joined: dict[int, Descent] = {}
    for pair in pairs:
        if pair.jaccard >= least and pair.new not in same and pair.old not in taken:
            same[pair.new] = pair.old
            taken.add(pair.old)
    for pair in pairs:
        descent = Descent(pair.new, pair.old, pair.shared)
        if pair.new not in same and pair.shared >= _LEAST_PART * sizes_after[pair.new]:
            parted.setdefault(pair.new, descent)
        if pair.old not in taken and pair.shared >= _LEAST_PART * sizes_before[pair.old]:
            joined.setdefault(pair.old, descent)
    return Continuity(same, tuple(parted.values()), tuple(joined.values()))


class _Overlap(NamedTuple):
    jaccard: float
    shared: int
    new: int
    old: int


def _flatten(topics: Sequence[Members], common: Members) -> tuple[NDArray[np.intp], Members]:
    """Return, for each membership of a common unit, which unit and which topic it is of."""
    members = np.concatenate(topics) if topics else np.empty(0, np.int64)
    owners = np.repeat(np.arange(len(topics)), [len(topic) for topic in topics])
    if not len(common):
        return np.empty(0, np.intp), np.empty(0, np.int64)
    places = np.minimum(np.searchsorted(common, members), len(common) - 1)
    is_common = common[places] == members
    return places[is_common], owners[is_common]


def _count_shared(
    later: tuple[NDArray[np.intp], Members],
    earlier: tuple[NDArray[np.intp], Members],
    topics_before: int,
) -> Iterator[tuple[int, int, int]]:
    """Yield each topic of now and of before that share units, and how many."""
    order = np.argsort(earlier[0], kind="stable")
    units, owners = earlier[0][order], earlier[1][order]
    starts = np.searchsorted(units, later[0], "left")
    counts = np.searchsorted(units, later[0], "right") - starts
    new = np.repeat(later[1], counts)
    firsts = np.repeat(starts - (np.cumsum(counts) - counts), counts)
    old = owners[firsts + np.arange(len(new))]
    keys, shared = np.unique(new * max(1, topics_before) + old, return_counts=True)
    for key, count in zip(keys.tolist(), shared.tolist(), strict=True):
        yield key // max(1, topics_before), key % max(1, topics_before), count
