"""Interleaves two orders of one list, and tells from what was used whose picks are better.

Team-draft interleaving: both orders pick in turn, and of each two picks a coin says who goes first.
What both put above something else stays above it, so rules that both follow hold. What both begin
with is nobody's merit.

How good an order would be alone is estimated from the first place by self-normalised inverse
propensity scoring: a coin put one order's first there in half of the cases, so what it did there
counts twice. Where no coin was tossed, nothing can be said of an order that was not shown.

Source: Radlinski, Kurup and Joachims, 2008 (team draft); Swaminathan and Joachims, 2015 (SNIPS);
Robbins, 1970 (intervals that hold whenever they are looked at);
`docs/concepts.md`, "Weights on trial".
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wellworn.kit.text import fingerprint

LEAST_DECIDED: Final = 100
"""Sessions that one team won, below which nothing is told of a lead."""
LEAST_EFFECTIVE: Final = 30.0
"""Effective sample size below which no value is told."""
LEAST_COVERED: Final = 0.9
"""Share of the questions of whose first it must be known what became of it, up to chance: in worlds
where a third of them was missing, the interval never held the truth."""
MOST_WEIGHT: Final = 10.0
"""What one question counts at most, however unlikely its first place was."""
FARTHEST: Final = 10_000
"""Sessions beyond which it is not told how many more a lead takes: it may be none at all."""
_Z: Final = 1.959964
_REFUTED: Final = math.log(20.0)
_PRIOR: Final = 10.0
"""How much the bet expects shares near one half: 10 finds small leads soonest."""
_HALVINGS: Final = 40

_Item = TypeVar("_Item", bound=Hashable)
_Floats = NDArray[np.float64]


class Team(IntEnum):
    """The order that picked an item. Numbers are stored: add, never change."""

    IN_USE = 1
    TRIED = 2
    BOTH = 3
    """Both begin with it."""

    @property
    def code(self) -> str:
        """The word that tells it."""
        return self.name.lower()


def toss_coins(call_id: str, count: int) -> list[int]:
    """Return coins of a call, each 0 or 1: the same call always tosses the same, at most 64."""
    bits = int(fingerprint(call_id)[:16], 16)
    return [bits >> place & 1 for place in range(count)]


def draft(
    in_use: Sequence[_Item], tried: Sequence[_Item], coins: Sequence[int], places: int
) -> list[tuple[_Item, Team]]:
    """Return the first `places` items as two orders of the same items pick them, with their teams.

    Args:
        in_use: one order.
        tried: another order of the same items.
        coins: one for each two picks, 1 where `tried` goes first.
        places: how many are picked.

    Example:
        draft(["a", "b"], ["b", "a"], [1], 2)  # [("b", Team.TRIED), ("a", Team.IN_USE)]
    """
    pairs = enumerate(zip(in_use, tried, strict=True))
    agreed = next((place for place, (one, other) in pairs if one != other), len(in_use))
    drafted = [(item, Team.BOTH) for item in in_use[:agreed]][:places]
    picked = {item for item, _ in drafted}
    left = (iter(in_use), iter(tried))
    for turn in range(min(places, len(in_use)) - len(drafted)):
        goes = coins[turn // 2] ^ (turn % 2)
        pick = next(item for item in left[goes] if item not in picked)
        picked.add(pick)
        drafted.append((pick, Team.TRIED if goes else Team.IN_USE))
    return drafted


class Preference(NamedTuple):
    """The sessions that the team of the tried order won, lost or left even.

    Attributes:
        lead: wins minus losses, a decided session, -1 to 1, a user's sessions together as the root
            of their number; None while too few are decided. `low` and `high` bound it (95 %),
            however often somebody looks.
        more: decided sessions that it takes beside these, at this lead, until it is sure; 0 where
            it is; None where no number can be told.
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0
    lead: float | None = None
    low: float | None = None
    high: float | None = None
    more: int | None = None


def compare_teams(sessions: Iterable[tuple[str, float]]) -> Preference:
    """Return what sessions say of the tried order.

    Args:
        sessions: of each, who counts as its user, and what the tried order's team gained above the
            other.
    """
    wins, losses = Counter[str](), Counter[str]()
    ties = 0
    for user, lead in sessions:
        wins[user] += lead > 0.0
        losses[user] += lead < 0.0
        ties += lead == 0.0
    won, lost = wins.total(), losses.total()
    if won + lost < LEAST_DECIDED:
        return Preference(won, lost, ties)
    counts = {user: wins[user] + losses[user] for user in wins}
    weights = {user: count**-0.5 for user, count in counts.items() if count}
    total = sum(weight * counts[user] for user, weight in weights.items())
    effective = total**2 / sum(weight**2 * counts[user] for user, weight in weights.items())
    share = sum(weight * wins[user] for user, weight in weights.items()) / total
    low, high = (2.0 * bound - 1.0 for bound in _bound_always(share, effective))
    more = _count_more(share, (won + lost) / effective, won + lost)
    return Preference(won, lost, ties, 2.0 * share - 1.0, low, high, more)


def _bound_always(share: float, effective: float) -> tuple[float, float]:
    """Return the bounds of the shares that a bet against them did not refute, whenever it is asked.

    The bet is a mixture over all shares, so what it refutes once it would have refuted wrongly with
    a chance of 1 in 20, however often somebody looked.
    """
    return _find_bound(share, effective, 0.0), _find_bound(share, effective, 1.0)


def _find_bound(share: float, effective: float, outside: float) -> float:
    inside = share
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        if _bet(share, effective, middle) < _REFUTED:
            inside = middle
        else:
            outside = middle
    return inside


def _bet(share: float, effective: float, against: float) -> float:
    """Return the logarithm of what a bet of 1 against a share has become."""
    won, lost = share * effective, (1.0 - share) * effective
    mixture = _log_beta(_PRIOR + won, _PRIOR + lost) - _log_beta(_PRIOR, _PRIOR)
    least = 1e-300
    return mixture - won * math.log(max(against, least)) - lost * math.log(max(1 - against, least))


def _log_beta(one: float, other: float) -> float:
    return math.lgamma(one) + math.lgamma(other) - math.lgamma(one + other)


def _bound_share(share: float, effective: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    scale = 1.0 + _Z**2 / effective
    middle = (share + _Z**2 / (2.0 * effective)) / scale
    spread = (
        _Z / scale * math.sqrt(share * (1.0 - share) / effective + (_Z / (2.0 * effective)) ** 2)
    )
    return max(0.0, middle - spread), min(1.0, middle + spread)


def _count_more(share: float, each: float, decided: int) -> int | None:
    """Return how many more sessions it takes at a share, where so many count as one."""
    wanted = range(decided, decided + FARTHEST + 1)
    more = bisect_left(wanted, _REFUTED, key=lambda count: _bet(share, count / each, 0.5))
    return more if more < len(wanted) else None


class OrderValue(NamedTuple):
    """An estimate of how often an order's first place would have been used.

    Attributes:
        rate: 0 to 1; `low` and `high` bound it (95 %).
        effective: how many questions it rests on, as if all counted alike.
        covered: the share of the questions that the estimate speaks for, 0 to 1.
    """

    rate: float
    low: float
    high: float
    effective: float
    covered: float


def estimate_value(
    is_first: NDArray[np.bool_],
    propensities: _Floats,
    rewards: _Floats,
    sessions: NDArray[np.int64],
) -> OrderValue | None:
    """Return what an order would have got; None where that cannot be said.

    It cannot where nothing was left to chance, where too little of what the order puts first was
    shown there, or where too few questions are left.

    Args:
        is_first: `(n,)` whether what the order puts first was put first.
        propensities: `(n,)` how likely what was put first was put there, above 0 to 1.
        rewards: `(n,)` 1 where what was put first was used, else 0.
        sessions: `(n,)` a number for each session, from 0.

    Example:
        estimate_value(is_first, propensities, rewards, sessions).rate
    """
    if not (propensities < 1.0).any():
        return None
    weights = np.where(is_first, np.minimum(1.0 / propensities, MOST_WEIGHT), 0.0)
    total, squares = float(weights.sum()), float((weights**2).sum())
    covered, by_chance = total / len(weights), _Z * float(weights.std()) / len(weights) ** 0.5
    if covered + by_chance < LEAST_COVERED or total**2 < LEAST_EFFECTIVE * squares:
        return None
    effective = total**2 / squares
    rate = float(weights @ rewards) / total
    residuals = np.bincount(sessions, weights * (rewards - rate))
    variance = float((residuals**2).sum()) / total**2
    # Questions of one session are alike, and count for fewer.
    told = min(effective, rate * (1.0 - rate) / variance) if variance else effective
    return OrderValue(rate, *_bound_share(rate, told), effective, min(1.0, covered))
