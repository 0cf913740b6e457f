"""How likely a result has to do with the question: where a list of results ends. Pure.

A search always finds something; what has nothing to do with the question is no result. The two
logistics were fitted to labelled questions, one to notes and one to turns of conversations, whose
neighbours are alike and whose evidence is weak, so that their lists end later.

Source: `python -m benchmarks remembering`; `docs/benchmarks.md`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Final, NamedTuple

from wellworn.domain.memory.likeness import PromptWords
from wellworn.domain.memory.models import Prompt
from wellworn.domain.thoughts import RankedThought, RetrievalMethod
from wellworn.domain.thoughts.truth import Statement


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
SMALLEST_POOL: Final = 10
"""In a smaller pool scores are not comparable, and each result is judged by itself."""
MOST_ACROSS_LANGUAGES: Final = 3
"""Results of a small pool that are shown whose language is not that of the prompt."""


def select_relevant(
    hits: Sequence[RankedThought],
    method: RetrievalMethod,
    prompt: Prompt,
    *,
    words: PromptWords,
    exact: Set[int],
    contents: Mapping[int, str],
) -> list[RankedThought]:
    """Return the results that have to do with the prompt, in their order.

    Args:
        hits: what was found.
        method: how.
        prompt: for what.
        words: what it asks about.
        exact: the seqs of those that hold the rare words of the prompt.
        contents: of a small pool, by seq.
    """
    if prompt.min_relevance is not None:
        return [hit for hit in hits if estimate_relevance(hit) >= prompt.min_relevance]
    least_keyword = _WORDS_SHARE * max((hit.keyword for hit in hits), default=0.0)
    if len(hits) < SMALLEST_POOL or method is not RetrievalMethod.HYBRID:
        texts = {
            hit.summary.seq: contents.get(hit.summary.seq, hit.summary.opening) for hit in hits
        }
        related = [
            hit
            for hit in hits
            if hit.summary.seq in exact
            or _is_told_by_words(hit, words, least_keyword)
            or words.fits(texts[hit.summary.seq], hit.cosine)
        ]
        if related or method is not RetrievalMethod.HYBRID:
            return related
        # Nothing tells whether a note in another language answers, so the nearest are not denied.
        is_across = words.is_in_another_language(list(texts.values()))
        return list(hits[:MOST_ACROSS_LANGUAGES]) if is_across else []
    return [
        hit
        for hit in hits
        if hit.summary.seq in exact
        or _is_told_by_words(hit, words, least_keyword)
        or hit.cosine >= words.sure_cosine
        or estimate_relevance(hit) >= (_NOTE if hit.summary.is_note else _TURN).least
        or words.are_named_by(hit.summary.opening)
    ]


def is_unlimited(prompt: Prompt, *, model: str) -> bool:
    """Tell whether all results are shown: the caller said how near one must be or how to search.

    So they are with an encoder that nothing was calibrated for.
    """
    is_set = prompt.min_score is not None or prompt.retrieval_method is not None
    return prompt.min_relevance is None and (is_set or model != CALIBRATED_FOR)


def is_uncertain(prompt: Prompt, contents: Sequence[str], pool: int) -> bool:
    """Tell whether what is shown may not fit: the best is of a thing of another number.

    Or nothing tells whether it does, among few that are in another language.
    """
    if not contents:
        return False
    return Statement(prompt.prompt).names_other_number([*map(Statement, contents)]) or (
        0 < pool < SMALLEST_POOL and PromptWords(prompt.prompt).is_in_another_language(contents)
    )


def estimate_relevance(hit: RankedThought) -> float:
    """Return the probability, 0 to 1, that a result has to do with its question."""
    rule = _NOTE if hit.summary.is_note else _TURN
    return rule.estimate(hit.cosine, hit.ranked.rank_score)


def _is_told_by_words(hit: RankedThought, words: PromptWords, least_keyword: float) -> bool:
    """Tell whether a thought has enough words, where meaning does not tell.

    That is without a vector, whose cosine is exactly 0, and where one ideograph alone is asked.
    """
    has_no_meaning = hit.cosine == 0.0 or words.are_one_ideograph
    return has_no_meaning and 0.0 < least_keyword <= hit.keyword
