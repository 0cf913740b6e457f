"""Tight cores of a topic: units that say nearly the same thing, and the few that stand for them.

Communities are too mixed to be summed up: what is bound to a neighbour's neighbour may be of
another thing. Here the two groups that are nearest by the average over all their pairs are joined,
again and again, until none are near enough.

Source: average linkage (Sokal and Michener 1958); maximal marginal relevance (Carbonell and
Goldstein 1998).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.matching import Pieces

Rows = NDArray[np.intp]

LEAST_COSINE: Final = 0.5
"""Of the average pair of a core."""
FEWEST: Final = 4
"""Members of a core."""
MOST_COMPARED: Final = 400
"""Members of a topic that are looked at; time grows with their third power."""
_NOVELTY: Final = np.float32(0.5)
"""How much a unit may be like those picked before it, beside how central it is."""


def find_cores(vectors: Pieces, *, least_cosine: float = LEAST_COSINE) -> list[Rows]:
    """Return the cores of a topic's members, the largest first, each the most central first.

    `vectors` are `(n, d)` of length one; those past the first 400 are in none.
    """
    vectors = vectors[:MOST_COMPARED]
    labels = _link_averages(vectors, least_cosine)
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    cores = [_order_central(vectors, group) for group in groups if len(group) >= FEWEST]
    return sorted(cores, key=lambda core: (-len(core), int(core.min())))


def pick_standing(vectors: Pieces, most: int) -> list[int]:
    """Return up to `most` rows that stand for all: central, and unlike one another."""
    if not len(vectors):
        return []
    central = vectors @ vectors.mean(axis=0)
    likeness = vectors @ vectors.T
    picked = [int(central.round(5).argmax())]
    while len(picked) < min(most, len(vectors)):
        worth = central - _NOVELTY * likeness[:, picked].max(axis=1)
        worth[picked] = -np.inf
        picked.append(int(worth.round(5).argmax()))
    return picked


def _link_averages(vectors: Pieces, least_cosine: float) -> Rows:
    """Return for each row the group that it is in at the end, named by one of its rows."""
    size = len(vectors)
    labels = np.arange(size)
    near = (vectors @ vectors.T).astype(np.float64).round(5)
    np.fill_diagonal(near, -np.inf)
    counts = np.ones(size)
    for _ in range(size - 1):
        first, second = sorted(divmod(int(near.argmax()), size))
        if near[first, second] < least_cosine:
            break
        joined = counts[first] + counts[second]
        mean = (counts[first] * near[first] + counts[second] * near[second]) / joined
        mean[[first, second]] = -np.inf
        near[first], near[:, first] = mean, mean
        near[second], near[:, second] = -np.inf, -np.inf
        counts[first] = joined
        labels[labels == second] = first
    return labels


def _order_central(vectors: Pieces, group: Rows) -> Rows:
    central = (vectors[group] @ vectors[group].mean(axis=0)).round(5)
    return group[np.argsort(-central, kind="stable")]
