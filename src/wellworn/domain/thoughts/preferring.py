"""Puts first what is of the one who asks, or of the one thing of a kind that is asked for; pure.

"My locker is number 12" is about the asker if they said it, and about somebody else if not. "Tank A
holds 50 litres" answers nothing that is asked of tank B, however alike the words are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from itertools import pairwise
from typing import Final

from wellworn.domain.thoughts.results import RankedThought
from wellworn.engines.retrieval.text import STOP_WORDS, speaks_of_self

_NEAR_SHARE: Final = 0.65
"""Of a result's cosine: what reaches it fits alike."""
_STEP: Final = 1e-6
_WORD: Final = re.compile(r"\w+")


def prefer_own(
    results: Sequence[RankedThought], asker: tuple[str, str | None]
) -> list[RankedThought]:
    """Return results, best first, with what others say of themselves below the asker's own.

    What is raised has the part `own` in its score.
    """

    def is_own(hit: RankedThought) -> bool:
        return hit.summary.speaker == asker

    of_self = [
        hit for hit in results if hit.summary.is_note and speaks_of_self(hit.summary.opening)
    ]
    rivals = {hit.summary.seq for hit in of_self if not is_own(hit)}
    return _raise(
        results, list(filter(is_own, of_self)), lambda hit: hit.summary.seq in rivals, "own"
    )


def prefer_named(results: Sequence[RankedThought], question: str) -> list[RankedThought]:
    """Return results, best first, with the thing that a question names above others of its kind.

    Its name is a word that stands behind the kind and is written like a name: "tank A", "line Out".
    Search skips such a word if it is common. What is raised has the part `named` in its score.
    """
    texts = [hit.summary.opening if hit.summary.is_note else "" for hit in results]
    meant, others = _compare_names(question, texts)
    named = [results[place] for place in meant]
    rivals = {results[place].summary.seq for place in others}
    return _raise(results, named, lambda hit: hit.summary.seq in rivals, "named")


def find_others(question: str, texts: Sequence[str]) -> Set[int]:
    """Return the places of texts that name another thing of a kind than the question does."""
    return _compare_names(question, texts)[1]


def _compare_names(question: str, texts: Sequence[str]) -> tuple[list[int], Set[int]]:
    """Return the places of texts that name what a question names, and another of its kind."""
    asked = set(pairwise(_WORD.findall(question.casefold())))
    names = [_list_names(text) for text in texts]
    meant = {pair for pairs in names for pair in pairs & asked}
    kinds = {kind for kind, _ in meant}
    named = [place for place, pairs in enumerate(names) if pairs & meant]
    others = {
        place
        for place, pairs in enumerate(names)
        if not pairs & meant and not kinds.isdisjoint(kind for kind, _ in pairs)
    }
    return named, others


def _list_names(text: str) -> set[tuple[str, str]]:
    """Return the kinds that a note names with the names behind them: `{("tank", "a")}`."""
    return {
        (kind.casefold(), name.casefold())
        for kind, name in pairwise(_WORD.findall(text))
        if (name.istitle() or name.isupper()) and kind.casefold() not in STOP_WORDS
    }


def _raise(
    results: Sequence[RankedThought],
    preferred: Sequence[RankedThought],
    is_rival: Callable[[RankedThought], bool],
    part: str,
) -> list[RankedThought]:
    """Return results with those preferred that fit alike above the first rival."""
    ordered: list[RankedThought] = []
    placed: set[int] = set()
    for hit in results:
        if is_rival(hit):
            least = hit.cosine * _NEAR_SHARE
            below = [
                each
                for each in preferred
                if each.summary.seq not in placed and each.cosine >= least
            ]
            for place, each in enumerate(below):
                gap = hit.ranked.rank_score - each.ranked.rank_score
                ordered.append(each.with_part(part, gap + _STEP * (len(below) - place)))
                placed.add(each.summary.seq)
        if hit.summary.seq not in placed:
            ordered.append(hit)
            placed.add(hit.summary.seq)
    return ordered
