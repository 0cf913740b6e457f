"""Places topics on a plane, and units inside them. Pure, of numpy alone; no chance is in it.

Topics are discs as large as they have units. What was placed before starts from where it was, and
moves only as far as others grow into it; what is new starts among the topics that it is most like.
The units of a topic lie in its disc by the two directions in which they differ most, as even as
seeds in a sunflower. Those of no topic lie around the nearest.

Source: the landscape of `docs/browser.md`. Classical scaling, Torgerson 1952; power iteration from
a fixed start, so that the same directions come out the same way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.matching import Pieces

Spots = NDArray[np.float64]
"""`(n, 2)`; a unit takes an area of pi."""

_LOOKED_AT: Final = 3
_MOST_ROUNDS, _LEAST_ROUNDS, _PUSHES = 300, 40, 30_000
_GATHERING: Final = 0.4
"""The share of rounds in which discs are drawn together."""
_PULL: Final = 0.03
_GAP: Final = 1.15
_OLD_WEIGHS: Final = 20.0
"""How much less a topic moves that was there before."""
_STEPS: Final = 3
"""Few: the plane then turns slowly where another direction is nearly as wide."""
_SEED: Final = 20
_EQUAL: Final = 1e-9
_GOLDEN: Final = np.pi * (3 - 5**0.5)
_RIM, _HALO = 1.08, 0.5
_AROUND: Final = 1.08
"""How much wider a topic is than what is inside."""


def find_radius(units: int, reaches: Sequence[float] = ()) -> float:
    """Return the radius of a topic's disc, around those inside it, which reach so far, if any."""
    return _AROUND * max(reaches) if reaches else float(np.sqrt(units)) + 1.0


def place_topics(centroids: Pieces, radii: NDArray[np.float64], before: Spots) -> Spots:
    """Return the middles of topics, whose discs do not overlap.

    Args:
        centroids: `(n, d)` of length one, what they are about.
        radii: `(n,)`, of their discs.
        before: `(n, 2)` where they were; NaN for those that are new.
    """
    is_new = np.isnan(before).any(axis=1)
    if is_new.all():
        spots = _scale(centroids) * np.sqrt((radii**2).sum())
        spots = _part(spots, radii, np.ones(len(radii)), is_cold=True)
        return spots - np.average(spots, axis=0, weights=radii**2) if len(spots) else spots
    spots = before.copy()
    likeness = centroids[is_new] @ centroids[~is_new].T
    near = np.argsort(-likeness, axis=1, kind="stable")[:, :_LOOKED_AT]
    weights = np.maximum(np.take_along_axis(likeness, near, 1), 1e-3).astype(np.float64) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    spots[is_new] = (spots[~is_new][near] * weights[:, :, None]).sum(axis=1)
    return _part(spots, radii, np.where(is_new, 1.0, _OLD_WEIGHS))


def spread_units(vectors: Pieces) -> Spots:
    """Return where units lie in a disc of radius one, by the two ways in which they differ most."""
    count = len(vectors)
    if count <= 1:
        return np.zeros((count, 2))
    apart = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    # A little noise of fixed numbers tells equal ones apart.
    spots = apart @ _find_directions(apart)
    scale = spots.std(axis=0)
    spots /= np.where(scale > 0, scale, 1.0)
    length = np.hypot(*spots.T)
    order = np.lexsort((np.arange(count), length))
    angle = np.arctan2(spots[:, 1], spots[:, 0])
    # Those that say the same have no direction of their own.
    angle = np.where(length > _EQUAL, angle, np.arange(count) * _GOLDEN)
    away = np.empty(count)
    away[order] = np.sqrt((np.arange(count) + 0.5) / count)
    return np.column_stack([away * np.cos(angle), away * np.sin(angle)])


def surround(vectors: Pieces, centroids: Pieces, spots: Spots, radii: NDArray[np.float64]) -> Spots:
    """Return where units lie that are in no topic: around the nearest, towards the next."""
    likeness = vectors @ centroids.T
    order = np.argsort(-likeness, axis=1, kind="stable")
    nearest, following = order[:, 0], order[:, min(1, len(centroids) - 1)]
    towards = spots[following] - spots[nearest]
    own = (np.arange(len(vectors)) * _GOLDEN) % (2 * np.pi)
    lean = np.where(nearest == following, own, np.arctan2(towards[:, 1], towards[:, 0]))
    # As wide as half a turn, or all would lie on one line.
    angle = lean + (own - np.pi) / 2
    cosines = np.take_along_axis(likeness, nearest[:, None], 1)[:, 0]
    away = radii[nearest] * (_RIM + _HALO * (1 - np.clip(cosines, 0, 1)))
    return spots[nearest] + away[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _scale(centroids: Pieces) -> Spots:
    """Return points whose distances are as like those of the centroids as a plane allows."""
    if len(centroids) <= 1:
        return np.zeros((len(centroids), 2))
    apart = centroids.astype(np.float64) - centroids.mean(axis=0, dtype=np.float64)
    spots = apart @ _find_directions(apart)
    return spots / max(float(np.sqrt((spots**2).sum(axis=1).mean())), 1e-9)


def _find_directions(apart: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `(d, 2)`: the plane in which rows differ most, turned as a fixed plane is."""
    start = np.random.default_rng(_SEED).standard_normal((apart.shape[1], 2))
    start = directions = np.linalg.qr(start)[0]
    for _ in range(_STEPS):
        following = apart.T @ (apart @ directions)
        if not following.any():
            return start
        directions = np.linalg.qr(following)[0]
    # Of all turns of the plane the one nearest to the start: from day to day it hardly turns.
    left, _, right = np.linalg.svd(directions.T @ start)
    return directions @ left @ right


def _part(
    spots: Spots, radii: NDArray[np.float64], weights: NDArray[np.float64], *, is_cold: bool = False
) -> Spots:
    """Return discs that were pushed apart, each by its share; at first they are drawn together."""
    spots = spots + 1e-6 * np.column_stack(
        [np.cos(np.arange(len(spots)) * _GOLDEN), np.sin(np.arange(len(spots)) * _GOLDEN)]
    )
    wanted = _GAP * (radii[:, None] + radii[None, :])
    mass = weights * radii**2
    share = mass[None, :] / (mass[:, None] + mass[None, :])
    np.fill_diagonal(wanted, 0.0)
    rounds = min(_MOST_ROUNDS, max(_LEAST_ROUNDS, _PUSHES // max(1, len(spots))))
    gathering = int(_GATHERING * rounds) if is_cold else 0
    for turn in range(rounds):
        if turn < gathering:
            spots = spots * (1 - _PULL)
        apart = spots[:, None, :] - spots[None, :, :]
        distance = np.sqrt((apart**2).sum(axis=2))
        lacking = np.maximum(wanted - distance, 0.0)
        np.fill_diagonal(distance, 1.0)
        if turn >= gathering and lacking.max(initial=0.0) < 1e-3 * radii.max(initial=1.0):
            break
        push = (share * lacking / np.maximum(distance, 1e-9))[:, :, None] * apart
        spots = spots + push.sum(axis=1)
    return spots
