"""Tells which topics more is said about than before, or less, and how surely.

The last two days are held against the thirty before. What was said on each of these days gives
what two days usually bring, how surely that is known, and how much two days differ: a topic that is
talked about in bursts must burst more than it usually does. Of many topics some always look
unusual, so the more are judged, the more each must show.

Source: a Poisson tail beat change-point detection on counts of so few days, and a negative binomial
one is needed where they are over-dispersed; Benjamini and Hochberg, Controlling the false discovery
rate, 1995.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

RECENT_DAYS: Final = 2
USUAL_DAYS: Final = 30
FEWEST_DAYS: Final = 7
"""Days before the recent ones without which nothing is usual."""
FEWEST_EVENTS: Final = 3
"""Events of two days that may be a surge."""
_FALSE: Final = 0.05
"""Share of those that are told that may be false; some topics differ more than all together do."""
_PRIOR: Final = 0.5
"""The addition to the events of before, for what never happened may happen."""
_LONGEST_SUM: Final = 20_000


class Course(StrEnum):
    """The course of a topic; unknown where too little time has passed to tell."""

    SURGING = "surging"
    STEADY = "steady"
    FADING = "fading"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Trend:
    """The last two days of a topic.

    Attributes:
        recent: events of the last two days.
        before: of the days before that are known, at most thirty.
        expected: events that two days usually bring; None while that is not known.
        p: how probable at least so many are if nothing changed, or at most so many if they are
            fewer than usual; None while that is not known.
    """

    recent: int
    before: int
    expected: float | None
    p: float | None
    course: Course


def judge_trends(counts: NDArray[np.intp], known_days: float) -> list[Trend]:
    """Return the trend of each topic.

    Args:
        counts: `(topics, 32)`, events by their age in days, those of the last 24 hours first.
        known_days: days since the first event of the space.
    """
    days = min(USUAL_DAYS, int(known_days) - RECENT_DAYS)
    recent = counts[:, :RECENT_DAYS].sum(axis=1).tolist()
    usual = counts[:, RECENT_DAYS : RECENT_DAYS + max(0, days)]
    before = usual.sum(axis=1).tolist()
    if days < FEWEST_DAYS:
        return [
            Trend(now, then, None, None, Course.UNKNOWN)
            for now, then in zip(recent, before, strict=True)
        ]
    expected, sizes = _expect(usual, days)
    p = [
        _find_tail(now, mean, size) for now, mean, size in zip(recent, expected, sizes, strict=True)
    ]
    courses = [Course.STEADY] * len(p)
    for at in _select_unusual(p):
        if recent[at] > expected[at]:
            courses[at] = Course.SURGING if recent[at] >= FEWEST_EVENTS else Course.STEADY
        else:
            courses[at] = Course.FADING
    return [Trend(*each) for each in zip(recent, before, expected, p, courses, strict=True)]


def _expect(usual: NDArray[np.intp], days: int) -> tuple[list[float], list[float]]:
    """Return what two days bring, and the size of a negative binomial that tells how surely.

    Its variance is the mean's own, that of not knowing the mean well, and what windows of two days
    of before differ beyond both.
    """
    before = usual.sum(axis=1) + _PRIOR
    expected = before * (RECENT_DAYS / days)
    whole = usual[:, : days - days % RECENT_DAYS]
    windows = whole.reshape(len(usual), days // RECENT_DAYS, RECENT_DAYS).sum(axis=2)
    beyond = windows.var(axis=1, ddof=1) - windows.mean(axis=1)
    # A month tells little of how much one topic differs; all together tell more.
    of_all = beyond.sum() / max(_PRIOR, float((expected**2).sum()))
    dispersion = np.maximum(np.maximum(0.0, of_all), beyond / expected**2)
    return expected.tolist(), (1.0 / (1.0 / before + dispersion)).tolist()


def _find_tail(count: int, mean: float, size: float) -> float:
    """Return how probable a count is that is at least as far from the mean on its side."""
    if count > mean:
        return max(0.0, 1.0 - _sum_up_to(count - 1, mean, size))
    return min(1.0, _sum_up_to(count, mean, size))


def _sum_up_to(count: int, mean: float, size: float) -> float:
    """Return how probable at most so many events are."""
    hit, miss = log(mean / (mean + size)), log(size / (mean + size))
    start = size * miss - lgamma(size)
    return sum(
        exp(start + lgamma(size + at) - lgamma(at + 1) + at * hit)
        for at in range(min(count, _LONGEST_SUM) + 1)
    )


def _select_unusual(p: Sequence[float]) -> list[int]:
    """Return the places of those that are unusual; of those of one look some may be by chance."""
    order = sorted(range(len(p)), key=lambda at: p[at])
    last = max(
        (rank for rank, at in enumerate(order, 1) if p[at] <= _FALSE * rank / len(p)), default=0
    )
    return order[:last]
