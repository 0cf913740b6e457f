"""Sparse keyword vectors: term numbers and BM25's document side.

The engine multiplies stored by query weights and by the idf it counts per space, so that the sum
is BM25. The document side must be final when stored, hence the fixed average length per shape.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

import zlib
from collections import Counter

from wellworn.engines.retrieval.text.vocabulary import split_words
from wellworn.engines.retrieval.weights import SATURATION, Shape


def weigh_document_terms(text: str, shape: Shape) -> dict[int, float]:
    """Return the stored weight of every term, 0 < weight < k1 + 1; empty without words."""
    terms = hash_words(text)
    rule = SATURATION[shape]
    length = len(terms) / rule.average_words
    norm = rule.k1 * (1 - rule.b + rule.b * length)
    counts = Counter(terms)
    return {term: count * (rule.k1 + 1) / (count + norm) for term, count in counts.items()}


def weigh_query_terms(text: str) -> dict[int, float]:
    """Return 1.0 for every term of a question, however often it says the word."""
    return dict.fromkeys(hash_words(text), 1.0)


def hash_words(text: str) -> list[int]:
    """Return the term number of every word, in order and repeated."""
    return [*map(hash_word, split_words(text))]


def hash_word(word: str) -> int:
    """Return a stable number, 0 to 2**32 - 1; never change it: stored points carry it."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))
