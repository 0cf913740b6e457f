"""Finds the texts that share most words with a question, rare ones counting most (BM25)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"\w+")
_SATURATION: Final = 1.2
_LENGTH: Final = 0.6
_TOO_COMMON: Final = 0.25
"""Share of texts that have a word, above which it tells nothing."""


def list_terms(text: str) -> list[str]:
    """Return the words of a text in lower case, each cut to what its forms share."""
    return [word[:6] for word in _WORD.findall(text.lower())]


class LikestTexts:
    """An index of texts in memory."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(list_terms(text)) for text in texts]
        lengths = [max(1, sum(each.values())) for each in counted]
        mean = sum(lengths) / max(1, len(lengths))
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for at, (counts, length) in enumerate(zip(counted, lengths, strict=True)):
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * length / mean)
            for term, count in counts.items():
                found[term].append((at, count * (_SATURATION + 1) / (count + norm)))
        total = len(texts)
        self._found = {
            term: (math.log(1 + total / len(places)), places)
            for term, places in found.items()
            if len(places) <= max(30, _TOO_COMMON * total)
        }

    def rank(self, question: str, most: int) -> list[int]:
        """Return the numbers of the likest texts, the likest first."""
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(list_terms(question)):
            weight, places = self._found.get(term, (0.0, ()))
            for at, share in places:
                scores[at] += weight * share
        return sorted(scores, key=lambda at: (-scores[at], at))[:most]
