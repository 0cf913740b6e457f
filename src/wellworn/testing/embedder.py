"""HashEmbedder: a double that needs no model file and embeds a text in microseconds.

Each word has a fixed random direction, a text is the sum of its words. Texts that share words are
similar and others nearly orthogonal, so a test can say beforehand what should find what; meaning
it knows nothing of.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from wellworn.embedding import FloatArray, Span, Word, windowed

_WORD = re.compile(r"\w+")
_CHUNK = re.compile(r"\S+")
_WINDOW_WORDS = 254
_OVERLAP_WORDS = 32
_DIMENSIONS = 384


@lru_cache(maxsize=65536)
def _direction(word: str) -> FloatArray:
    """Return 384 times plus or minus one, drawn from the word's hash."""
    digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=_DIMENSIONS // 8)
    bits = np.unpackbits(np.frombuffer(digest.digest(), np.uint8))
    return bits.astype(np.float32) * 2 - 1


class HashEmbedder:
    """Fills the embedder port for tests: deterministic on every machine, without state."""

    name = "hash/words-1"
    dimensions = _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.empty((len(texts), _DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embedded(text)
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        vectors = self.embed([text[start:end] for start, end in self.windows(text)])
        return vectors[0] if len(vectors) == 1 else _unit(vectors.sum(axis=0))

    def windows(self, text: str) -> list[Span]:
        words = [Word(*match.span(), pieces=1) for match in _CHUNK.finditer(text)]
        return windowed(text, words, limit=_WINDOW_WORDS, overlap=_OVERLAP_WORDS)

    def _embedded(self, text: str) -> FloatArray:
        chunks = text.casefold().split()[:_WINDOW_WORDS]
        # Punctuation is a word of its own only where there is nothing else.
        words = _WORD.findall(" ".join(chunks)) or chunks or [""]
        return _unit(np.stack([_direction(word) for word in words]).sum(axis=0))


def _unit(vector: FloatArray) -> FloatArray:
    return (vector / np.linalg.norm(vector)).astype(np.float32)
