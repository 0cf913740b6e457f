"""Puts first what an asker said of themselves, where they ask of themselves; pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wellworn.domain.thoughts.results import RankedThought
from wellworn.engines.retrieval.text import speaks_of_self

_NEAR_SHARE: Final = 0.65
"""Of a result's cosine: what reaches it fits alike."""
_STEP: Final = 1e-6


def prefer_own(
    results: Sequence[RankedThought], asker: tuple[str, str | None]
) -> list[RankedThought]:
    """Return results, best first, with what others say of themselves below the asker's own.

    "My locker is number 12" is about the asker if they said it, and about somebody else if not.
    What is raised has the part `own` in its score.
    """
    own = [hit for hit in results if hit.summary.speaker == asker and _is_of_self(hit)]
    if not own:
        return list(results)
    ordered: list[RankedThought] = []
    placed: set[int] = set()
    for hit in results:
        if hit.summary.speaker != asker and _is_of_self(hit):
            least = hit.cosine * _NEAR_SHARE
            below = [
                each for each in own if each.summary.seq not in placed and each.cosine >= least
            ]
            for place, each in enumerate(reversed(below), 1):
                gap = hit.ranked.rank_score - each.ranked.rank_score + _STEP * place
                ordered.insert(len(ordered) - place + 1, each.with_part("own", gap))
            placed |= {each.summary.seq for each in below}
        if hit.summary.seq not in placed:
            ordered.append(hit)
            placed.add(hit.summary.seq)
    return ordered


def _is_of_self(hit: RankedThought) -> bool:
    return hit.summary.is_note and speaks_of_self(hit.summary.opening)
