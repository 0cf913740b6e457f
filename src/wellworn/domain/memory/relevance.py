"""Estimates how likely results have to do with the question: where a list ends. Pure.

A search always finds something; what has nothing to do with the question is no result. The two
logistics were fitted to labelled questions, one to notes and one to turns of conversations, whose
neighbours are alike and whose evidence is weak, so that their lists end later.

Source: `python -m benchmarks remembering`; `docs/benchmarks.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from wellworn.domain.memory.disambiguation import NEAR_COSINE_WITH_WORDS
from wellworn.domain.memory.models import Prompt
from wellworn.domain.thoughts import RankedThought, RetrievalMethod


class _Logistic(NamedTuple):
    cosine: float
    rank_score: float
    bias: float
    least: float

    def estimate(self, cosine: float, rank_score: float) -> float:
        logit = self.bias + self.cosine * cosine + self.rank_score * rank_score
        return 1 / (1 + math.exp(-logit))


_NOTE: Final = _Logistic(4.52, 0.201, -5.97, least=0.05)
_TURN: Final = _Logistic(1.12, 0.402, -6.16, least=0.02)
CALIBRATED_FOR: Final = "all-MiniLM-L6-v2/w8-1"
_WORDS_SHARE: Final = 0.5
"""Of the best keyword score: what is not embedded yet and reaches it is relevant."""
_NEAR_ALONE: Final = 0.25
"""Least cosine, in a small pool, of what shares no word with the prompt."""
_SURE_COSINE: Final = 0.4
"""A cosine so near that the result is relevant, however many others are."""
SMALLEST_POOL: Final = 10
"""In a smaller pool scores are not comparable, and each result is judged by itself."""


def select_relevant(
    hits: Sequence[RankedThought],
    method: RetrievalMethod,
    prompt: Prompt,
    *,
    model: str,
    exact: Set[int],
) -> list[RankedThought]:
    """Return the results that have to do with the prompt, in their order.

    All do where the caller said how near one must be or how to search, and with an encoder that
    nothing was calibrated for.

    Args:
        hits: what was found.
        method: how.
        prompt: for what.
        model: name of the encoder.
        exact: the seqs of those that hold the rare words of the prompt.
    """
    if prompt.min_relevance is not None:
        return [hit for hit in hits if estimate_relevance(hit) >= prompt.min_relevance]
    is_set = prompt.min_score is not None or prompt.retrieval_method is not None
    if is_set or model != CALIBRATED_FOR:
        return [*hits]
    least_keyword = _WORDS_SHARE * max((hit.keyword for hit in hits), default=0.0)
    is_small = len(hits) < SMALLEST_POOL or method is not RetrievalMethod.HYBRID

    def is_close(hit: RankedThought) -> bool:
        if hit.cosine == 0.0:
            return 0.0 < least_keyword <= hit.keyword
        if is_small:
            return hit.cosine >= (NEAR_COSINE_WITH_WORDS if hit.keyword > 0 else _NEAR_ALONE)
        least = (_NOTE if hit.summary.is_note else _TURN).least
        return hit.cosine >= _SURE_COSINE or estimate_relevance(hit) >= least

    return [hit for hit in hits if hit.summary.seq in exact or is_close(hit)]


def estimate_relevance(hit: RankedThought) -> float:
    """Return the probability, 0 to 1, that a result has to do with its question."""
    rule = _NOTE if hit.summary.is_note else _TURN
    return rule.estimate(hit.cosine, hit.ranked.rank_score)
