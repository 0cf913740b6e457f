"""Confirmed use in the order: a bounded posterior inside the first results.

What was used before moves up among what is relevant anyway. Counts of mere retrieval never enter:
multiplied into the score they lose nine tenths of what nobody had asked for before.

Source: `docs/adr/0003-fusion.md`; the Beta posterior with a base rate as prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wellworn.engines.retrieval.fusion import Ranked, deviation
from wellworn.engines.retrieval.weights import (
    EVIDENCE_HALF_LIFE_S,
    EXPOSURE_FADING,
    LEAST_COSINE_DEVIATION,
    PRIOR_RATE,
    PRIOR_STRENGTH,
    USEFULNESS_CAP,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a thought's use.

    Attributes:
        uses: confirmed uses, aged; at least 0.
        exposures: times shown, used or not, discounted by rank, aged; at least 0.

    Count each kind once per agent and thought in 24 hours and nothing of the author's own, or one
    agent can push a thought up, or down, by asking again and again.
    """

    uses: float = 0.0
    exposures: float = 0.0

    def aged(self, elapsed_s: float) -> Evidence:
        """Return the evidence after `elapsed_s` seconds, with a half-life of 14 days."""
        share = 0.5 ** (max(0.0, elapsed_s) / EVIDENCE_HALF_LIFE_S)
        return Evidence(self.uses * share, self.exposures * share)

    def posterior(self, prior: float) -> float:
        """Return the estimated rate of use, 0 to 1; the prior itself without evidence."""
        total = self.uses + self.exposures + PRIOR_STRENGTH
        return (self.uses + PRIOR_STRENGTH * prior) / total


def exposure_discount(rank: int) -> float:
    """Return how much being shown at a rank (from 0) counts as exposure, 0 to 1."""
    return 1.0 / (1.0 + EXPOSURE_FADING * rank)


def with_usefulness(
    ranked: Sequence[Ranked],
    evidence: Mapping[int, Evidence],
    weight: float,
    *,
    within: int = 50,
    prior: float = PRIOR_RATE,
) -> list[Ranked]:
    """Reorder the first `within` results by use; the others keep their places.

    The weight (clipped to 0..0.4) is in units of cosine, whatever score the list is ordered by;
    0 returns the order as it was.
    """
    bounded = min(max(weight, 0.0), USEFULNESS_CAP)
    if bounded == 0.0:
        return list(ranked)
    head = ranked[:within]
    step = bounded * _per_cosine(head)
    moved = [_moved(one, evidence.get(one.id), step, prior) for one in head]
    moved.sort(key=lambda one: (-one.rank_score, -one.cosine, one.id))
    return moved + list(ranked[within:])


def _moved(one: Ranked, known: Evidence | None, step: float, prior: float) -> Ranked:
    shift = step * (known.posterior(prior) - prior) if known else 0.0
    return Ranked(one.id, one.cosine, one.keyword, {**one.parts, "usefulness": shift})


def _per_cosine(head: Sequence[Ranked]) -> float:
    """Return how many units of rank score one unit of cosine is worth in this list."""
    if all(one.rank_score == one.cosine for one in head):
        return 1.0
    _, spread = deviation([one.rank_score for one in head])
    if spread == 0.0:
        # Nothing else tells the results apart, so use alone does.
        return 1.0
    _, cosine_spread = deviation([one.cosine for one in head])
    return spread / max(cosine_spread, LEAST_COSINE_DEVIATION)
