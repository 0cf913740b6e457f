"""An encoder of one's own: a model from a folder or behind an endpoint, behind the embedder port.

The vectors of many models lie in a narrow cone, so that two texts about nothing common still have
a cosine of .8. Every rule of wellworn that reads a cosine would then find everything near. So the
direction in which all vectors lean is measured once, when an encoder is chosen, and removed from
each vector. What is unrelated is then as far apart as with the shipped model.

Source: Mu and Viswanath, All-but-the-Top, ICLR 2018; measured in
`docs/how-to/bring-your-own-encoder.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import Final, NamedTuple, Protocol

import numpy as np

from wellworn.engines.embedding.models import (
    PIECE_DIMENSIONS,
    Encoded,
    FloatArray,
    Span,
    to_unit_length,
)
from wellworn.engines.embedding.records import EncoderRecord
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import Word, cut_windows, join_windows, select_windows
from wellworn.errors import EmbeddingFailed
from wellworn.kit.words import load_table

OVERLAP_PIECES: Final = 32
_LEAST_WINDOW: Final = 16
_MOST_URGENT: Final = 2
"""Windows of a question that is answered soon; a longer one may take as long as texts do."""
_PROBES: Final = 3
_SAME: Final = 0.98
"""Least cosine of a vector made now with the one made then, if one model made both."""
_SEED: Final = 128


class TextStates(NamedTuple):
    """A text's vector, and the state and place of each of its pieces, if any."""

    vector: FloatArray
    states: FloatArray
    spans: tuple[Span, ...]


class TextModel(Protocol):
    """A model that makes vectors of length one, and knows how long a text is for it."""

    name: str
    query_prefix: str
    text_prefix: str
    window_pieces: int

    def encode(
        self, texts: Sequence[str], prefix: str, *, is_urgent: bool = False
    ) -> list[TextStates]:
        """Return what it makes of each text, which may be cut short; somebody waits if urgent."""
        ...

    def words(self, text: str) -> list[Word]: ...

    def lengths(self, texts: Sequence[str]) -> list[int]: ...


class CustomEncoder:
    """Fills the embedder port with a model that is loaded when it is first needed."""

    def __init__(self, record: EncoderRecord, load: Callable[[], TextModel]) -> None:
        self.name = record.name
        self.dimensions = record.dimensions
        self.sends_texts = record.settings.base_url is not None
        self._record = record
        self._load = load
        self._lock = Lock()
        self._checked: TextModel | None = None

    def embed(self, texts: Sequence[str]) -> FloatArray:
        vectors = [encoded.vector for encoded in self.encode(texts)]
        return np.array(vectors, np.float32).reshape(-1, self.dimensions)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        if not texts:
            return []
        model = self._open()
        made = model.encode(texts, model.text_prefix)
        return self._finish(made, self._record.text_lean)

    def encode_query(self, text: str) -> Encoded:
        windows = select_windows(text, self.windows(text))
        model = self._open()
        texts = [text[start:end] for start, end in windows]
        made = model.encode(texts, model.query_prefix, is_urgent=len(texts) <= _MOST_URGENT)
        parts = self._finish(made, self._record.query_lean)
        return parts[0] if len(parts) == 1 else join_windows(parts, windows)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return self._open().lengths(texts)

    def windows(self, text: str) -> list[Span]:
        model = self._open()
        limit = max(_LEAST_WINDOW, model.window_pieces)
        overlap = min(OVERLAP_PIECES, limit // 4)
        return cut_windows(text, model.words(text), limit=limit, overlap=overlap)

    def _open(self) -> TextModel:
        """Return the model, which is loaded and checked by the first call that needs it."""
        if self._checked is not None:
            return self._checked
        with self._lock:
            if self._checked is None:
                model = self._load()
                self._check(model)
                self._checked = model
            return self._checked

    def _check(self, model: TextModel) -> None:
        """Refuse a model that does not make the vectors of the one that was chosen."""
        made = model.encode(list_samples()[:_PROBES], model.text_prefix, is_urgent=True)
        vectors = _stack([_cut(text.vector, self._record.settings.dimensions) for text in made])
        if vectors.shape != self._record.probes.shape:
            message = (
                f"the encoder now makes vectors of {vectors.shape[1]} numbers, and those of this "
                f"memory have {self.dimensions}; set it back, or run `wellworn reembed`"
            )
            raise EmbeddingFailed(message)
        if ((vectors * self._record.probes).sum(axis=1) < _SAME).any():
            message = (
                "the encoder makes other vectors than when it was chosen, so another model has "
                "its name now; set it back, or run `wellworn reembed`"
            )
            raise EmbeddingFailed(message)

    def _finish(self, made: Sequence[TextStates], lean: FloatArray) -> list[Encoded]:
        """Take out of each vector in what direction all lean, and keep the signs of the states."""
        cut = self._record.settings.dimensions
        vectors = _stack([_cut(text.vector, cut) for text in made])
        if vectors.shape[1] != self.dimensions:
            raise EmbeddingFailed("the encoder made vectors of another length than before")
        upright = to_unit_length(vectors - lean)
        return [
            Encoded(vector, *self._project(text))
            for vector, text in zip(upright, made, strict=True)
        ]

    def _project(self, text: TextStates) -> tuple[FloatArray, tuple[Span, ...]]:
        lean = self._record.state_lean
        if not len(lean) or text.states.shape[1:] != lean.shape:
            return np.empty((0, PIECE_DIMENSIONS), np.float32), ()
        upright = to_unit_length(text.states) - lean
        pieces = np.asarray(upright @ _directions(len(lean)), np.float32)
        return to_unit_length(pieces), text.spans


def measure(model: TextModel, settings: EmbeddingSettings) -> EncoderRecord:
    """Ask a model for vectors of some texts, and return what is to be written down of it.

    Raises:
        EmbeddingFailed: the model does not answer, or not with usable vectors.
    """
    texts = list_samples()
    by_role = [model.encode(texts, prefix) for prefix in (model.query_prefix, model.text_prefix)]
    queries, passages = (
        _stack([_cut(text.vector, settings.dimensions) for text in made]) for made in by_role
    )
    if queries.shape != passages.shape:
        raise EmbeddingFailed("the encoder makes vectors of different lengths")
    if settings.dimensions is not None and settings.dimensions != queries.shape[1]:
        message = (
            f"the encoder makes vectors of {queries.shape[1]} numbers, not of "
            f"{settings.dimensions}; unset WELLWORN_EMBEDDING__DIMENSIONS or lower it"
        )
        raise EmbeddingFailed(message)
    states = [to_unit_length(text.states) for text in by_role[1] if len(text.states)]
    return EncoderRecord(
        name=model.name,
        dimensions=queries.shape[1],
        settings=settings,
        query_lean=queries.mean(axis=0),
        text_lean=passages.mean(axis=0),
        state_lean=np.concatenate(states).mean(axis=0) if states else np.empty(0, np.float32),
        probes=passages[:_PROBES],
    )


@cache
def list_samples() -> list[str]:
    """Return sentences about nothing in particular, in many languages."""
    return [*load_table(__package__ or "", "samples.toml")["sentences"]]


@cache
def _directions(width: int) -> FloatArray:
    """Return `(width, 128)`: directions at right angles, the same on every machine."""
    drawn = np.random.default_rng(_SEED).standard_normal((max(width, PIECE_DIMENSIONS), width))
    basis = np.linalg.qr(drawn.T if width < PIECE_DIMENSIONS else drawn[:width].T)[0]
    return np.ascontiguousarray(basis[:, :PIECE_DIMENSIONS], np.float32)


def _cut(vector: FloatArray, dimensions: int | None) -> FloatArray:
    """Return the first numbers of a vector, which is all of it for most models."""
    return vector if dimensions is None else vector[:dimensions]


def _stack(vectors: Sequence[FloatArray]) -> FloatArray:
    return to_unit_length(np.stack(vectors))
