"""Embeds a question, which is asked by its words alone while the encoder fails.

A model's file may be gone, or its server may not answer. Then what is stored cannot be found by its
meaning, but still by its words, and that is more than nothing.
"""

from __future__ import annotations

import logging

from wellworn.engines.embedding.models import Embedder, Encoded
from wellworn.errors import EmbeddingFailed

_log = logging.getLogger(__name__)


def encode_question(embedder: Embedder, text: str) -> Encoded:
    """Return the question as the encoder sees it; without a meaning while it fails."""
    try:
        return embedder.encode_query(text)
    except EmbeddingFailed as error:
        _log.warning("a question is answered by its words alone: %s", error.message)
        return Encoded.without_meaning(embedder.dimensions)
