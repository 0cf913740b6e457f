"""The shipped embedder: all-MiniLM-L6-v2 from a file in the wheel, on the CPU.

The first call that needs the model loads it: a server with a damaged model file still starts,
reports it on each call, and recovers once the file is complete again.

Source: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from wellworn.engines.embedding.arithmetic import choose_arithmetic
from wellworn.engines.embedding.models import Encoded, FloatArray, Span
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import (
    cut_windows,
    group_by_length,
    join_windows,
    select_windows,
)

if TYPE_CHECKING:
    from wellworn.engines.embedding.engine import Engine, Pieces

WINDOW_PIECES = 254  # the model's 256 less the two marks of a sequence
OVERLAP_PIECES = 32

_BOTH = ("sentence_embedding", "token_states")
OWN_FOLDER = Path(__file__).with_name("model")


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights; safe to share between threads.

    Its arithmetic changes no vector by more than a cosine of .002, so vectors that were made with
    one are compared with those of the other, and have one name.
    """

    name = "all-MiniLM-L6-v2/w8-1"
    dimensions = 384

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._folder = settings.model_folder or OWN_FOLDER
        self._settings = settings
        self._lock = Lock()
        self._engine: Engine | None = None

    def warm(self) -> None:
        """Load the model now; `EmbeddingFailed` if a model file is missing or damaged."""
        self._load()

    def embed(self, texts: Sequence[str]) -> FloatArray:
        engine = self._load()
        sequences = [engine.pieces(text).ids for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for group in group_by_length(
            [len(each) for each in sequences], self._settings.batch_tokens
        ):
            [vectors[group]] = engine.run(["sentence_embedding"], [sequences[at] for at in group])
        return vectors

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        engine = self._load()
        return self._encode(engine, [engine.pieces(text) for text in texts])

    def _encode(self, engine: Engine, read: Sequence[Pieces]) -> list[Encoded]:
        encoded: dict[int, Encoded] = {}
        for group in group_by_length([len(each.ids) for each in read], self._settings.batch_tokens):
            vectors, states = engine.run(_BOTH, [read[at].ids for at in group])
            counts = [len(read[at].spans) for at in group]
            inner = [of_text[1 : count + 1] for of_text, count in zip(states, counts, strict=True)]
            projected = engine.projection(np.concatenate(inner))
            pieces = np.split(projected, np.cumsum(counts)[:-1])
            for at, vector, of_text in zip(group, vectors, pieces, strict=True):
                encoded[at] = Encoded(vector, of_text, read[at].spans)
        return [encoded[at] for at in range(len(read))]

    def encode_query(self, text: str) -> Encoded:
        engine = self._load()
        read = engine.pieces(text)
        # What fills the model may have been cut. All others are split once, not twice.
        if len(read.spans) < WINDOW_PIECES:
            return self._encode(engine, [read])[0]
        windows = select_windows(text, self.windows(text))
        parts = self.encode([text[start:end] for start, end in windows])
        return parts[0] if len(parts) == 1 else join_windows(parts, windows)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return self._load().lengths(texts)

    def windows(self, text: str) -> list[Span]:
        words = self._load().words(text)
        return cut_windows(text, words, limit=WINDOW_PIECES, overlap=OVERLAP_PIECES)

    def _load(self) -> Engine:
        if self._engine is not None:
            return self._engine
        # The runtime is heavy, and a process that only talks to the server never needs it.
        from wellworn.engines.embedding.engine import load_engine  # noqa: PLC0415

        with self._lock:
            if self._engine is None:
                self._engine = load_engine(
                    self._folder,
                    threads=self._settings.threads,
                    arithmetic=self._settings.arithmetic or choose_arithmetic(),
                )
            return self._engine
