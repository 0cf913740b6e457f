"""Embedding: text in, unit vectors out, without a network and without torch."""

from wellworn.engines.embedding.minilm import MiniLM
from wellworn.engines.embedding.models import PIECE_DIMENSIONS, Embedder, Encoded, FloatArray, Span
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import Word, cut_windows, join_windows

__all__ = [
    "PIECE_DIMENSIONS",
    "Embedder",
    "EmbeddingSettings",
    "Encoded",
    "FloatArray",
    "MiniLM",
    "Span",
    "Word",
    "cut_windows",
    "join_windows",
]
