"""Plain searches: BM25, cosine, and the two fused by rank, which is what most memories ship.

They use wellworn's own encoder and words, so that a difference to wellworn is one of ranking.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009;
Cormack, Clarke and Buettcher, Reciprocal Rank Fusion, SIGIR 2009.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from benchmarks.retrieval.models import Doc, System
from benchmarks.rivals.texts import told
from wellworn.engines.embedding import Embedder, EmbeddingSettings, FloatArray, MiniLM
from wellworn.engines.retrieval.text.vocabulary import split_words

_K1: Final = 1.2
_B: Final = 0.75
_RRF: Final = 60
_DEPTH: Final = 100


class BM25:
    """Okapi BM25 over stemmed words, k1 1.2 and b .75; texts without a word asked for stay out."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._weights: dict[str, dict[int, float]] = {}

    def index(self, docs: Sequence[Doc]) -> None:
        self._ids = [doc.id for doc in docs]
        counted = [Counter(split_words(told(doc))) for doc in docs]
        lengths = [counts.total() for counts in counted]
        average = sum(lengths) / max(len(lengths), 1) or 1.0
        rows: dict[str, dict[int, float]] = defaultdict(dict)
        for number, (counts, length) in enumerate(zip(counted, lengths, strict=True)):
            norm = _K1 * (1 - _B + _B * length / average)
            for word, count in counts.items():
                rows[word][number] = count * (_K1 + 1) / (count + norm)
        self._weights = dict(rows)

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        del asked_at
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(split_words(query))):
            row = self._weights.get(word, {})
            idf = math.log(1 + (len(self._ids) - len(row) + 0.5) / (len(row) + 0.5))
            for number, weight in row.items():
                scores[number] += idf * weight
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [self._ids[number] for number in order[:k]]


class Cosine:
    """Cosine of sentence vectors, exhaustively; a text beyond the encoder's window is cut off."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._ids: list[str] = []
        self._vectors: FloatArray = np.empty((0, embedder.dimensions), np.float32)

    def index(self, docs: Sequence[Doc]) -> None:
        self._ids = [doc.id for doc in docs]
        self._vectors = self._embedder.embed([told(doc) for doc in docs])

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        del asked_at
        scores = self._vectors @ self._embedder.embed([query])[0]
        return [self._ids[number] for number in np.argsort(-scores, kind="stable")[:k]]


class RankFusion:
    """Reciprocal rank fusion of several searches, k 60, equal weights, a hundred of each."""

    def __init__(self, parts: Sequence[System]) -> None:
        self._parts = parts

    def index(self, docs: Sequence[Doc]) -> None:
        for part in self._parts:
            part.index(docs)

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        scores: dict[str, float] = defaultdict(float)
        for part in self._parts:
            found = part.search(query, max(k, _DEPTH), asked_at=asked_at)
            for rank, doc_id in enumerate(found, start=1):
                scores[doc_id] += 1 / (_RRF + rank)
        return sorted(scores, key=lambda doc_id: -scores[doc_id])[:k]


def bm25() -> BM25:
    return BM25()


def cosine() -> Cosine:
    return Cosine(encoder())


def hybrid() -> RankFusion:
    return RankFusion([bm25(), cosine()])


@cache
def encoder() -> MiniLM:
    """Return the encoder that all rivals share."""
    return MiniLM(EmbeddingSettings())
