"""Embedding: text in, unit vectors out, without a network and without torch."""

from wellworn.engines.embedding.minilm import MiniLM
from wellworn.engines.embedding.models import PIECE_DIMENSIONS, Embedder, Encoded, FloatArray, Span
from wellworn.engines.embedding.pacing import AT_ONCE, Pace
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import Word, cut_windows, join_windows

__all__ = [
    "AT_ONCE",
    "PIECE_DIMENSIONS",
    "Embedder",
    "EmbeddingSettings",
    "Encoded",
    "FloatArray",
    "MiniLM",
    "Pace",
    "Span",
    "Word",
    "cut_windows",
    "join_windows",
]
