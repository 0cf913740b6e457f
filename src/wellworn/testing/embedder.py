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

from wellworn.engines.embedding import (
    PIECE_DIMENSIONS,
    Encoded,
    FloatArray,
    Span,
    Word,
    cut_windows,
    join_windows,
    select_windows,
)

# The port of a server on this machine is drawn again in each run: as a word it would be near to
# something once in a while.
_WORD = re.compile(r"(?<!127\.0\.0\.1:)(?<!localhost:)\b\w+")
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
    """Fills the embedder port for tests: deterministic on every machine, without state.

    Example:
        first, second = HashEmbedder().embed(["the port of staging", "staging's port"])
        assert first @ second > 0.3
    """

    name = "hash/words-1"
    dimensions = _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.empty((len(texts), _DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(text)
        return vectors

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        return [Encoded(self._embed(text), *_pieces(text)) for text in texts]

    def encode_query(self, text: str) -> Encoded:
        windows = select_windows(text, self.windows(text))
        parts = self.encode([text[start:end] for start, end in windows])
        return parts[0] if len(parts) == 1 else join_windows(parts, windows)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(_CHUNK.findall(text)) for text in texts]

    def windows(self, text: str) -> list[Span]:
        words = [Word(*match.span(), pieces=1) for match in _CHUNK.finditer(text)]
        return cut_windows(text, words, limit=_WINDOW_WORDS, overlap=_OVERLAP_WORDS)

    def _embed(self, text: str) -> FloatArray:
        chunks = text.casefold().split()[:_WINDOW_WORDS]
        # Punctuation is a word of its own only where there is nothing else.
        words = _WORD.findall(" ".join(chunks)) or chunks or [""]
        return _unit(np.stack([_direction(word) for word in words]).sum(axis=0))


def _pieces(text: str) -> tuple[FloatArray, tuple[Span, ...]]:
    end = [*_CHUNK.finditer(text)][:_WINDOW_WORDS]
    words = [*_WORD.finditer(text, 0, end[-1].end())] if end else []
    vectors = [_direction(word.group().casefold())[:PIECE_DIMENSIONS] for word in words]
    shape = np.array(vectors, np.float32).reshape(-1, PIECE_DIMENSIONS)
    return shape / np.float32(PIECE_DIMENSIONS**0.5), tuple(Span(*word.span()) for word in words)


def _unit(vector: FloatArray) -> FloatArray:
    return (vector / np.linalg.norm(vector)).astype(np.float32)
