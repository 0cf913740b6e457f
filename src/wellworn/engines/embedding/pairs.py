"""Opens a model that reads a question together with a text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wellworn.engines.embedding.pair_model import PairModel


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
