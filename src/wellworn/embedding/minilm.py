"""The embedder wellworn ships: all-MiniLM-L6-v2 from a file in the wheel, on the CPU.

The model is loaded by the first call that needs it, not by construction: a server with a damaged
model file still starts, says so on each call, and recovers once the file is whole again.

Source: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from wellworn.embedding.batches import batched
from wellworn.embedding.models import FloatArray, Span
from wellworn.embedding.settings import EmbeddingSettings
from wellworn.embedding.windows import windowed

if TYPE_CHECKING:
    from wellworn.embedding.engine import Engine

WINDOW_PIECES = 254  # the model's 256 less the two marks of a sequence
OVERLAP_PIECES = 32

_OWN_FOLDER = Path(__file__).with_name("model")


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights and float32 arithmetic; safe to share between threads."""

    name = "all-MiniLM-L6-v2/w8-1"
    dimensions = 384

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._folder = settings.model_folder or _OWN_FOLDER
        self._settings = settings
        self._lock = Lock()
        self._engine: Engine | None = None

    def warm(self) -> None:
        """Load the model now rather than with the first text.

        Raises:
            EmbeddingFailed: a model file is missing or damaged.
        """
        self._loaded()

    def embed(self, texts: Sequence[str]) -> FloatArray:
        engine = self._loaded()
        sequences = [engine.pieces(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for group in batched([len(each) for each in sequences], self._settings.batch_tokens):
            vectors[group] = engine.run("sentence_embedding", [sequences[at] for at in group])
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        vectors = self.embed([text[start:end] for start, end in self.windows(text)])
        if len(vectors) == 1:
            return vectors[0]
        mean = vectors.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def windows(self, text: str) -> list[Span]:
        words = self._loaded().words(text)
        return windowed(text, words, limit=WINDOW_PIECES, overlap=OVERLAP_PIECES)

    def token_states(self, texts: Sequence[str]) -> list[FloatArray]:
        """Return each text's last hidden states, `(pieces, 384)` float32, both marks included.

        Raises:
            EmbeddingFailed: the model file is missing or damaged, or inference failed.
        """
        engine = self._loaded()
        sequences = [engine.pieces(text) for text in texts]
        return [engine.run("token_states", [sequence])[0] for sequence in sequences]

    def _loaded(self) -> Engine:
        if self._engine is not None:
            return self._engine
        # The runtime is heavy, and a process that only talks to the server never needs it.
        from wellworn.embedding.engine import loaded  # noqa: PLC0415

        with self._lock:
            if self._engine is None:
                self._engine = loaded(self._folder, threads=self._settings.threads)
            return self._engine
