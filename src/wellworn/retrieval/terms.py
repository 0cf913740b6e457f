"""Sparse keyword vectors: term numbers and BM25's document side.

The engine multiplies stored by query weights and by the idf it counts per space, so that the sum
is BM25. The document side must be final when stored, hence the fixed average length per kind.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

import zlib
from collections import Counter

from wellworn.retrieval.vocabulary import words
from wellworn.retrieval.weights import SATURATION, Kind


def document_terms(text: str, kind: Kind) -> dict[int, float]:
    """Return the stored weight of every term, 0 < weight < k1 + 1; empty without words."""
    found = words(text)
    rule = SATURATION[kind]
    length = len(found) / rule.average_words
    norm = rule.k1 * (1 - rule.b + rule.b * length)
    counts = Counter(map(_number, found))
    return {term: count * (rule.k1 + 1) / (count + norm) for term, count in counts.items()}


def query_terms(text: str) -> dict[int, float]:
    """Return 1.0 for every term of a question, however often it says the word."""
    return dict.fromkeys(map(_number, words(text)), 1.0)


def _number(word: str) -> int:
    """Return a stable number, 0 to 2**32 - 1; never change it: stored points carry it."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))
