"""Chooses and opens the encoder that the settings name, whatever its kind."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wellworn.engines.embedding.custom import CustomEncoder, TextModel, measure
from wellworn.engines.embedding.minilm import MiniLM
from wellworn.engines.embedding.records import EncoderRecord
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.errors import EmbeddingFailed

if TYPE_CHECKING:
    from wellworn.engines.embedding.models import Embedder

_SHIPPED_FILES: Final = ("minilm-w8.onnx", "piece-codes.bin")


def is_shipped(settings: EmbeddingSettings) -> bool:
    """Tell whether the settings name the shipped encoder, from wherever its files are."""
    if settings.base_url is not None:
        return False
    folder = settings.model_folder
    return folder is None or any((folder / name).exists() for name in _SHIPPED_FILES)


def choose_encoder(settings: EmbeddingSettings) -> EncoderRecord | None:
    """Load the encoder that the settings name, measure it, and return its record.

    None for the shipped one. This sends some short texts to an endpoint.

    Raises:
        EmbeddingFailed: it cannot be loaded or does not answer as it should; the message says why.
    """
    return None if is_shipped(settings) else measure(_load(settings)(), settings)


def open_encoder(record: EncoderRecord | None, settings: EmbeddingSettings) -> Embedder:
    """Open the encoder that a record tells of, the shipped one without; nothing is loaded yet.

    Where and how it runs is what the settings say, if they name the same encoder.
    """
    if record is None:
        own = settings if is_shipped(settings) else EmbeddingSettings(threads=settings.threads)
        return MiniLM(own)
    current = settings if is_same(record, settings) else record.settings
    return CustomEncoder(record, _load(current, name=record.name))


def choose_for_sealed(embedder: Embedder, settings: EmbeddingSettings) -> Embedder:
    """Return the encoder of sealed spaces: the shipped one, where theirs would send texts away."""
    sends_texts = isinstance(embedder, CustomEncoder) and embedder.sends_texts
    return open_encoder(None, settings) if sends_texts and not settings.sealed_spaces else embedder


def is_same(record: EncoderRecord | None, settings: EmbeddingSettings) -> bool:
    """Tell whether the settings name the encoder of a record, whatever it answers."""
    if record is None or is_shipped(settings):
        return record is None and is_shipped(settings)
    try:
        return _name(settings) == record.name
    except EmbeddingFailed:
        return False


def _name(settings: EmbeddingSettings) -> str:
    if settings.model_folder is not None:
        # Imported late: what only talks to a server needs none of it.
        from wellworn.engines.embedding.model_files import read_model_files  # noqa: PLC0415

        return read_model_files(settings.model_folder, settings).name
    fields = {"query_prefix", "text_prefix", "dimensions", "window_pieces"}
    mark = zlib.crc32(settings.model_dump_json(include=fields).encode())
    return f"endpoint/{settings.model}/{mark:08x}"


def _load(settings: EmbeddingSettings, *, name: str | None = None) -> Callable[[], TextModel]:
    """Return what loads the model; it refuses files that are not those of a name."""

    def load() -> TextModel:
        folder: Path | None = settings.model_folder
        if folder is None:
            from wellworn.engines.embedding.endpoint_model import EndpointModel  # noqa: PLC0415

            return EndpointModel(settings, _name(settings))
        from wellworn.engines.embedding.hub_model import HubModel  # noqa: PLC0415
        from wellworn.engines.embedding.model_files import read_model_files  # noqa: PLC0415

        files = read_model_files(folder, settings)
        if name is not None and files.name != name:
            message = (
                "the files in the model folder are not those that this memory was embedded with; "
                "put them back, or run `wellworn reembed`"
            )
            raise EmbeddingFailed(message)
        return HubModel(files, settings)

    return load
