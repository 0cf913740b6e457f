"""Embedding: text in, unit vectors out, without a network and without torch."""

from wellworn.embedding.minilm import MiniLM
from wellworn.embedding.models import PIECE_DIMENSIONS, Embedder, Encoded, FloatArray, Span
from wellworn.embedding.settings import EmbeddingSettings
from wellworn.embedding.windows import Word, joined, windowed

__all__ = [
    "PIECE_DIMENSIONS",
    "Embedder",
    "EmbeddingSettings",
    "Encoded",
    "FloatArray",
    "MiniLM",
    "Span",
    "Word",
    "joined",
    "windowed",
]
