"""What is made of the words of a text, as units and documents have it."""

from __future__ import annotations

from wellworn.engines import retrieval
from wellworn.engines.retrieval import text as texts


def pack_word_counts(text: str) -> bytes:
    """Return the counts of a unit with these words."""
    return retrieval.pack_word_counts(texts.hash_words(text))


def weigh_document_terms(text: str, shape: str) -> dict[int, float]:
    """Return the weights of a document with these words."""
    return texts.weigh_document_terms(texts.hash_words(text), shape, text)
