"""The embedder port: five methods, one name.

The name identifies model and file; an index remembers which one made its vectors. A model's file
may be gone, or its server may not answer. Then a question is asked by its words alone: what is
stored cannot be found by its meaning, but that is more than nothing.

A `Pace` lets a long run of the encoder make way for others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wellworn.errors import EmbeddingFailed

FloatArray = NDArray[np.float32]


class Span(NamedTuple):
    """A half-open range of characters, `text[start:end]`."""

    start: int
    end: int


PIECE_DIMENSIONS: Final = 128
"""The length of a word piece's vector; its signs are the 16 bytes that are stored."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the encoder saw it: one vector for all of it, and one for each word piece.

    Attributes:
        vector: `(dimensions,)` float32, L2-normalised; zeros where only the words are known.
        pieces: `(n, 128)` float32, L2-normalised; none for a text without any.
        spans: the characters that each piece stands for.
    """

    vector: FloatArray
    pieces: FloatArray
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, vector: NDArray[np.floating]) -> Encoded:
        """Make one of a vector alone, without pieces."""
        return cls(vector.astype(np.float32), np.empty((0, PIECE_DIMENSIONS), np.float32), ())

    @classmethod
    def without_meaning(cls, dimensions: int) -> Encoded:
        """Make one that is searched for by its words alone: its vector is of zeros."""
        return cls.of(np.zeros(dimensions, np.float32))

    @property
    def has_meaning(self) -> bool:
        """Whether its vector says what the text is about."""
        return bool(self.vector.any())


class Embedder(Protocol):
    """Makes the vectors of texts.

    Example:
        [vector] = embedder.embed(["Staging listens on port 8443."])
        similarity = embedder.encode_query("Which port has staging?").vector @ vector
    """

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return `(n, dimensions)` float32, L2-normalised; a text beyond the window is cut off.

        A text's vector does not depend on what else is in the batch.

        Raises:
            EmbeddingFailed: the model file is missing or damaged, or inference failed.
        """
        ...

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the vector of each text with those of its pieces, of which it may be cut short.

        Raises:
            EmbeddingFailed: the model file is missing or damaged, or inference failed.
        """
        ...

    def encode_query(self, text: str) -> Encoded:
        """Return a text of any length: the normalised mean over its windows, with their pieces.

        Of many windows a few are selected, so that no query costs more than those.

        Raises:
            EmbeddingFailed: the model file is missing or damaged, or inference failed.
        """
        ...

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many word pieces each text has, however long it is.

        Raises:
            EmbeddingFailed: the model file is missing or damaged.
        """
        ...

    def windows(self, text: str) -> list[Span]:
        """Cut a text into overlapping spans that each fit the model; at least one span."""
        ...


def to_unit_length(rows: FloatArray) -> FloatArray:
    """Return rows of length one; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, np.finfo(np.float32).tiny)


_log = logging.getLogger(__name__)


def encode_question(embedder: Embedder, text: str) -> Encoded:
    """Return the question as the encoder sees it; without a meaning while it fails."""
    try:
        return embedder.encode_query(text)
    except EmbeddingFailed as error:
        _log.warning("a question is answered by its words alone: %s", error.message)
        return Encoded.without_meaning(embedder.dimensions)


def _go_on() -> None:
    """Wait for nobody."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of a long run: the texts between two pauses, and what is waited for in them.

    Attributes:
        most: texts from one pause to the next, in each thread.
        threads: how many encode at once.
        wait: returns when the encoder may go on; what it raises ends the run.
    """

    most: int = 16
    threads: int = 2
    wait: Callable[[], None] = _go_on


AT_ONCE: Final = Pace()
"""Without making way for anybody."""


def encode_paced(embedder: Embedder, texts: Sequence[str], pace: Pace) -> list[Encoded]:
    """Encode texts at a pace; return them in their order.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    # Texts of one length share a batch without padding.
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    parts = [order[start : start + pace.most] for start in range(0, len(order), pace.most)]

    def encode(part: Sequence[int]) -> list[Encoded]:
        pace.wait()
        return embedder.encode([texts[at] for at in part])

    by_place: dict[int, Encoded] = {}
    with ThreadPoolExecutor(pace.threads, "encoder") as threads:
        for part, encoded in zip(parts, threads.map(encode, parts), strict=True):
            by_place.update(zip(part, encoded, strict=True))
    return [by_place[at] for at in range(len(texts))]
