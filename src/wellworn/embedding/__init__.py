"""Embedding: text in, unit vectors out, without a network and without torch."""

from wellworn.embedding.minilm import MiniLM
from wellworn.embedding.models import Embedder, FloatArray, Span
from wellworn.embedding.settings import EmbeddingSettings
from wellworn.embedding.windows import Word, windowed

__all__ = ["Embedder", "EmbeddingSettings", "FloatArray", "MiniLM", "Span", "Word", "windowed"]
