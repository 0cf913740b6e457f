"""The embedder port: three methods, one name.

The name identifies model and file; an index remembers which one made its vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


class Span(NamedTuple):
    """A half-open range of characters, `text[start:end]`."""

    start: int
    end: int


class Embedder(Protocol):
    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return `(n, dimensions)` float32, L2-normalised; a text beyond the window is cut off.

        A text's vector does not depend on what else is in the batch.

        Raises:
            EmbeddingFailed: the model file is missing or damaged, or inference failed.
        """
        ...

    def embed_query(self, text: str) -> FloatArray:
        """Return `(dimensions,)`: the normalised mean over the text's windows, none of it lost."""
        ...

    def windows(self, text: str) -> list[Span]:
        """Cut a text into overlapping spans that each fit the model; at least one span."""
        ...
