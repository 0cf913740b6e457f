"""Leaves room among the first results for what others say; pure.

Who says a thing in forty ways has said it once, so in a space with members nobody fills the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from wellworn.domain.thoughts.results import RankedThought

FIRST: Final = 5
MOST_OF_A_MEMBER: Final = 2
"""Of the first five, where others have something that fits alike."""
_NEAR_SHARE: Final = 0.65
"""Of a result's cosine: what reaches it fits alike."""
_STEP: Final = 1e-6


def spread_members(results: Sequence[RankedThought]) -> list[RankedThought]:
    """Return results, best first, with at most two of a member among the first five.

    What others say that fits alike is raised above the third, with the part `shared_out` in its
    score. What has no owner, as at the open door, is bounded by nothing.
    """
    waiting, ordered = list(results), list[RankedThought]()
    while waiting and len(ordered) < FIRST:
        chosen = waiting.pop(_find_next(waiting, ordered))
        if waiting and (gap := _measure_gap(chosen, waiting[0])) > 0.0:
            chosen = chosen.with_part("shared_out", gap + _STEP)
        ordered.append(chosen)
    return [*ordered, *waiting]


def _find_next(waiting: Sequence[RankedThought], ordered: Sequence[RankedThought]) -> int:
    """Return the place of the best whose author may have another place, or else of the best."""
    owners = (hit.summary.owner for hit in ordered)
    taken = Counter(owner for owner in owners if owner is not None)
    full = {owner for owner, places in taken.items() if places >= MOST_OF_A_MEMBER}
    if waiting[0].summary.owner not in full:
        return 0
    least = waiting[0].cosine * _NEAR_SHARE
    for place, hit in enumerate(waiting):
        if hit.summary.owner not in full and hit.cosine >= least:
            return place
    return 0


def _measure_gap(chosen: RankedThought, passed: RankedThought) -> float:
    return passed.ranked.rank_score - chosen.ranked.rank_score
