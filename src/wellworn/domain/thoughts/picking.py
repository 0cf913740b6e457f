"""Lets weights on trial pick the results of a call in turn with those in use; pure.

The weights on trial order what the weights in use found, by the same rules of truth. What both
orders put above something else stays above it, so no trial shows what is outdated above what
replaced it.

Source: `docs/concepts.md`, "Weights on trial".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wellworn.domain.thoughts.results import RankedThought
from wellworn.domain.thoughts.spreading import spread_members
from wellworn.engines.retrieval.interleaving import draft, toss_coins

_STEP: Final = 1e-6


def pick_in_turn(hits: Sequence[RankedThought], call_id: str, places: int) -> list[RankedThought]:
    """Return results as the weights in use and those on trial pick them, if some are on trial.

    What is raised has the part `on_trial` in its score. The same call has always the same order.

    Args:
        hits: in the order of the weights in use, each with its place by those on trial; what has
            none stays behind.
        call_id: which tosses the coins.
        places: how many are picked; the others stay in their order.
    """
    rivals = [at for at, hit in enumerate(hits) if hit.tried is not None]
    if not rivals:
        return [*hits]
    by_tried = sorted(rivals, key=lambda at: hits[at].tried or 0)
    drafted = draft(rivals, by_tried, toss_coins(call_id, places), places)
    picked = [
        hits[at]._replace(team=team, is_first=place == 0)
        for place, (at, team) in enumerate(drafted)
    ]
    taken = {at for at, _ in drafted}
    rest = [hit for at, hit in enumerate(hits) if at not in taken]
    return spread_members([*_raise(picked, rest), *rest])


def _raise(hits: Sequence[RankedThought], rest: Sequence[RankedThought]) -> list[RankedThought]:
    """Return results each of which has a higher score than the next, and than the rest."""
    least = rest[0].ranked.rank_score if rest else float("-inf")
    raised: list[RankedThought] = []
    for hit in reversed(hits):
        gap = least - hit.ranked.rank_score
        raised.append(hit.with_part("on_trial", gap + _STEP) if gap > 0.0 else hit)
        least = raised[-1].ranked.rank_score
    return raised[::-1]


def mark_picked(
    hits: Sequence[RankedThought], picked: Sequence[RankedThought]
) -> Sequence[RankedThought]:
    """Return results in their order, those that were picked with who picked them."""
    teams = {hit.summary.seq: hit for hit in picked if hit.team is not None}
    if not teams:
        return hits
    return [
        hit
        if (pick := teams.get(hit.summary.seq)) is None
        else hit._replace(team=pick.team, is_first=pick.is_first)
        for hit in hits
    ]
