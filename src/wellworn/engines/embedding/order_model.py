"""Tells whether a text reads like an order to its reader, by a model that others trained.

The model is a file of the package `stackone-defender`, of which nothing is imported. It is a
relative of the shipped encoder and has the same word pieces. What a score means is measured with
this very file, so another is refused.

Source: docs/adr/0021-order-model.md; https://github.com/StackOneHQ/defender-py
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from wellworn.engines.embedding.minilm import OWN_FOLDER
from wellworn.engines.embedding.windows import cut_windows
from wellworn.errors import EmbeddingFailed

if TYPE_CHECKING:
    from wellworn.engines.embedding.engine import PieceModel

if TYPE_CHECKING:
    from wellworn.engines.embedding.pair_model import PairModel


_PACKAGE: Final = "stackone_defender"
_FILE: Final = "models/minilm-multihead-v5/model_quantized.onnx"
_SHA256: Final = "3d4a1ba798c395c140202992c50e6c8de02fb1b9bd5aba6540848705b9c1e92c"
_WINDOW_PIECES: Final = 254  # the model's 256 less the two marks of a sequence
_LEAST: Final = 8.5
"""The logit from which on a text is an order: see docs/benchmarks.md, "Orders to the agent"."""


class OrderModel:
    """A classifier of texts; safe to share between threads, and loaded when first asked."""

    def __init__(self, *, threads: int = 1, file: Path | None = None) -> None:
        """Take how many threads a call may use, and the model's file if it is not the package's."""
        self._threads = threads
        self._file = file
        self._lock = Lock()
        self._model: PieceModel | None = None

    def is_order(self, text: str) -> bool:
        """Tell whether any part of a text reads like an order to its reader.

        Raises:
            EmbeddingFailed: the model's file is missing or another, or inference failed.
        """
        model = self._load()
        words = model.words(text)
        windows = cut_windows(text, words, limit=_WINDOW_PIECES, overlap=0)
        return any(_score(model, text[start:end]) >= _LEAST for start, end in windows)

    def _load(self) -> PieceModel:
        if self._model is not None:
            return self._model
        # The runtime is heavy, and a process that only talks to the server never needs it.
        from wellworn.engines.embedding.engine import load_classifier  # noqa: PLC0415

        with self._lock:
            if self._model is None:
                file = self._file or _find_file()
                self._model = load_classifier(file, _SHA256, OWN_FOLDER, threads=self._threads)
            return self._model


def _score(model: PieceModel, text: str) -> float:
    # One by one: the model rounds by what else is in a batch.
    [logits] = model.run(["logits"], [model.pieces(text).ids])
    return float(logits[0, 0])


def _find_file() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingFailed(f"the package {_PACKAGE.replace('_', '-')} is not installed")
    return Path(spec.submodule_search_locations[0], _FILE)


def open_pair_model(
    folder: Path, *, threads: int = 1, checksums: Mapping[str, str] = MappingProxyType({})
) -> PairModel:
    """Load a model of pairs from a folder; with checksums, from files of the package's own.

    Raises:
        EmbeddingFailed: a file is missing or damaged, or the model reads other things than texts.
    """
    # The runtime is heavy, and a process that only talks to the server never needs it.
    from wellworn.engines.embedding.pair_model import load_pair_model  # noqa: PLC0415

    return load_pair_model(folder, threads=threads, checksums=checksums)
