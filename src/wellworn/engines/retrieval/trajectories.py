"""The path of a session through what it asked: how far each question moved, and in which way.

Drifts are plain numbers and say what they say. A regime is a claim: that the order of the questions
means something. It is made only where few of the orders in which the same questions could have been
asked show as much. A fixed threshold of nearness cannot tell it: two questions of one intent may
have a cosine of .5 or of .95.

Source: Tacheny, arXiv:2512.10350, for the regimes; Holm 1979 for four tests at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

LEAST_QUESTIONS: Final = 6
"""Questions below which too few orders differ."""
MOST_QUESTIONS: Final = 50
"""The newest questions of a session that are looked at."""
SURENESS: Final = 0.05
_ORDERS: Final = 499
_TINY: Final = 1e-9
"""What the same numbers added up in another order may differ by."""

Floats = NDArray[np.floating]


class Regime(StrEnum):
    """The way a session went."""

    CONTRACTIVE = "contractive"
    """Later questions are closer to one another than the first ones were."""
    OSCILLATORY = "oscillatory"
    """It goes back and forth between questions."""
    EXPLORATORY = "exploratory"
    """It moves on, step by step, from what it asked before."""
    UNDETERMINED = "undetermined"
    """The order of its questions says nothing, or there are too few."""


_REGIMES: Final = (
    Regime.CONTRACTIVE,
    Regime.OSCILLATORY,
    Regime.EXPLORATORY,
    Regime.EXPLORATORY,
)
"""What each of the weighings of `_weigh_pairs` speaks for."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The path of a session; distances are 1 minus the cosine, from 0 to 2.

    Attributes:
        local_drift: of each question from the one before; 0 of the first.
        global_drift: of each question from the first.
        dispersion: the mean distance of two questions.
        p: how probable so much order is where the order says nothing; None below six questions.
    """

    local_drift: tuple[float, ...]
    global_drift: tuple[float, ...]
    dispersion: float
    regime: Regime = Regime.UNDETERMINED
    p: float | None = None


def follow_path(questions: Floats) -> Trajectory:
    """Return the path of some questions, in their order.

    Args:
        questions: `(n, d)`, of length one, at least one; the newest 50 are looked at.

    Example:
        follow_path(np.eye(3)).local_drift == (0.0, 1.0, 1.0)
    """
    questions = questions[-MOST_QUESTIONS:]
    near = np.clip(questions @ questions.T, -1.0, 1.0).astype(np.float64)
    size = len(near)
    local = np.diagonal(near, 1)
    pairs = near[np.triu_indices(size, 1)]
    drifts = (
        (0.0, *(1.0 - local).tolist()),
        (0.0, *(1.0 - near[0, 1:]).tolist()),
        float(1.0 - pairs.mean()) if size > 1 else 0.0,
    )
    if size < LEAST_QUESTIONS:
        return Trajectory(*drifts)
    return Trajectory(*drifts, *_test_order(near))


def _test_order(near: Floats) -> tuple[Regime, float]:
    """Return what the order of questions says, by the cosines of every two, and how surely."""
    size = len(near)
    weighings = _weigh_pairs(size)
    # A seed of its own: the same session always has the same answer.
    draw = np.random.default_rng(0)
    orders = np.argsort(draw.random((_ORDERS, size)), axis=1)
    dealt = near[orders[:, :, None], orders[:, None, :]].reshape(_ORDERS, -1)
    by_chance = dealt @ weighings
    found = near.ravel() @ weighings
    ps = (1 + (by_chance >= found - _TINY).sum(axis=0)) / (1 + _ORDERS)
    # Holm's first step: the least of four must be below a fourth.
    p = min(1.0, float(ps.min()) * len(ps))
    if p > SURENESS:
        return Regime.UNDETERMINED, p
    spread = np.maximum(by_chance.std(axis=0), _TINY)
    strength = (found - by_chance.mean(axis=0)) / spread
    strength[ps * len(ps) > SURENESS] = -np.inf
    return _REGIMES[int(strength.argmax())], p


def _weigh_pairs(size: int) -> Floats:
    """Return `(n * n, 4)`: how the cosines of every two of n questions count.

    In the order of `_REGIMES`: those of the later half against those of the first; those two apart
    against neighbours; neighbours; and how they fall, the further apart two are.
    """
    places = np.arange(size)
    apart = places[None, :] - places[:, None]
    half = size // 2
    late = (apart > 0) & (places[:, None] >= size - half)
    early = (apart > 0) & (places[None, :] < half)
    beside, two_apart = apart == 1, apart == 2  # noqa: PLR2004 - the words say it
    lags = np.where(apart > 0, apart, 0.0)
    falling = np.where(apart > 0, lags[apart > 0].mean() - lags, 0.0)
    weighings = (
        late / late.sum() - early / early.sum(),
        two_apart / two_apart.sum() - beside / beside.sum(),
        beside / beside.sum(),
        falling,
    )
    return np.stack([each.ravel() for each in weighings], axis=1)
