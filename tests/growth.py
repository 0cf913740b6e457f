"""Whether twice as much takes much more than twice the work, however busy the machine is."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

Given = TypeVar("Given")

MOST_GROWTH = 2.6
LEAST_S = 0.03
"""What takes less is not compared: the clock tells too little."""
TRIES = 4


def is_in_proportion(
    read: Callable[[Given], object], make: Callable[[int], Given], length: int
) -> bool:
    """Tell whether the work on what is made of a length grows no faster than the length."""
    lengths = (length, 2 * length, 4 * length)
    # What is filled once, such as a cache, is no growth: it is steep at one length alone.
    return not all(is_steep(read, make(short), make(long)) for short, long in pairwise(lengths))


def is_steep(read: Callable[[Given], object], short: Given, long: Given) -> bool:
    """Tell whether twice the text is much more than twice the work, in each of some tries."""
    costs: tuple[list[float], list[float]] = [], []
    for _ in range(TRIES):
        costs[0].append(_measure(read, short))
        costs[1].append(_measure(read, long))
        if min(costs[1]) <= max(LEAST_S, MOST_GROWTH * min(costs[0])):
            return False
    return True


def _measure(read: Callable[[Given], object], given: Given) -> float:
    gc.disable()  # it comes at its own times, and looks at all that tests hold
    try:
        began = time.process_time()
        read(given)
        return time.process_time() - began
    finally:
        gc.enable()
