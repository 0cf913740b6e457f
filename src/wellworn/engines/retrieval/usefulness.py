"""Confirmed use in the order: a bounded posterior inside the first results.

What was used before moves up among what is relevant anyway. Counts of mere retrieval never enter:
multiplied into the score they lose nine tenths of what nobody had asked for before.

Source: `docs/adr/0003-fusion.md`; the Beta posterior with a base rate as prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellworn.engines.retrieval.fusion import RankedResult, compute_deviation
from wellworn.engines.retrieval.weights import (
    EVIDENCE_HALF_LIFE_S,
    EXPOSURE_FADING,
    LEAST_COSINE_DEVIATION,
    PRIOR_RATE,
    PRIOR_STRENGTH,
    USEFULNESS_CAP,
)


class UseEvidence(NamedTuple):
    """The evidence of a thought's use.

    Attributes:
        uses: confirmed uses, aged; at least 0.
        exposures: times shown, used or not, discounted by rank, aged; at least 0.

    Count each kind once per agent and thought in 24 hours and nothing of the author's own, or one
    agent can push a thought up, or down, by asking again and again.
    """

    uses: float = 0.0
    exposures: float = 0.0

    def decay(self, elapsed_s: float) -> UseEvidence:
        """Return the evidence after `elapsed_s` seconds, with a half-life of 14 days."""
        share = 0.5 ** (max(0.0, elapsed_s) / EVIDENCE_HALF_LIFE_S)
        return UseEvidence(self.uses * share, self.exposures * share)

    def estimate_rate(self, prior: float) -> float:
        """Return the estimated rate of use, 0 to 1; the prior itself without evidence."""
        total = self.uses + self.exposures + PRIOR_STRENGTH
        return (self.uses + PRIOR_STRENGTH * prior) / total


def discount_exposure(rank: int) -> float:
    """Return how much being shown at a rank (from 0) counts as exposure, 0 to 1."""
    return 1.0 / (1.0 + EXPOSURE_FADING * rank)


def apply_usefulness(
    ranked: Sequence[RankedResult],
    evidence: Mapping[int, UseEvidence],
    weight: float,
    *,
    within: int = 50,
    prior: float = PRIOR_RATE,
) -> list[RankedResult]:
    """Reorder the first `within` results by use; the others keep their places.

    The weight (clipped to 0..0.4) is in units of cosine, whatever score the list is ordered by;
    0 returns the order as it was.
    """
    bounded = min(max(weight, 0.0), USEFULNESS_CAP)
    if bounded == 0.0:
        return list(ranked)
    head = ranked[:within]
    step = bounded * _scale_to_cosine(head)
    moved = [_move_result(result, evidence.get(result.id), step, prior) for result in head]
    moved.sort(key=lambda result: (-result.rank_score, -result.cosine, result.id))
    return moved + list(ranked[within:])


def _move_result(
    result: RankedResult, evidence: UseEvidence | None, step: float, prior: float
) -> RankedResult:
    shift = step * (evidence.estimate_rate(prior) - prior) if evidence else 0.0
    return RankedResult(
        result.id, result.cosine, result.keyword, {**result.parts, "usefulness": shift}
    )


def _scale_to_cosine(head: Sequence[RankedResult]) -> float:
    """Return how many units of rank score one unit of cosine is worth in this list."""
    if all(result.rank_score == result.cosine for result in head):
        return 1.0
    _, spread = compute_deviation([result.rank_score for result in head])
    if spread == 0.0:
        # Nothing else tells the results apart, so use alone does.
        return 1.0
    _, cosine_spread = compute_deviation([result.cosine for result in head])
    return spread / max(cosine_spread, LEAST_COSINE_DEVIATION)
