"""Which reader the settings name, and how it is opened, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wellworn.engines.reading.model_reader import ModelReader
from wellworn.engines.reading.models import OpensModel, Reader
from wellworn.engines.reading.settings import ReadingSettings
from wellworn.engines.reading.shipped import SHIPPED_NAME, is_shipped_here, load_shipped
from wellworn.errors import InvalidInput

if TYPE_CHECKING:
    from wellworn.engines.reading.language_model_reader import LanguageModelReader


def open_reader(
    settings: ReadingSettings,
    *,
    open_model: OpensModel,
    language_model: Callable[[], LanguageModelReader | None] = lambda: None,
) -> Reader | None:
    """Return the reader that the settings name; None where there is none. Nothing is loaded yet.

    Raises:
        InvalidInput: the language model is to read, and none is configured.
    """
    if not settings.enabled:
        return None
    if settings.language_model:
        reader = language_model()
        if reader is None:
            raise InvalidInput("WELLWORN_READING__LANGUAGE_MODEL needs WELLWORN_LLM__MODEL")
        return reader
    if settings.base_url is not None:
        # Imported late: the client is heavy, and only this reader needs it.
        from wellworn.engines.reading.endpoint_reader import EndpointReader  # noqa: PLC0415

        return EndpointReader(settings)
    folder, threads = settings.model_folder, settings.threads
    if folder is not None:
        name = f"folder/{folder.name[:100]}"
        return ModelReader(name, lambda: open_model(folder, threads=threads))
    return _open_shipped(settings, open_model)


def choose_for_sealed(
    reader: Reader | None, settings: ReadingSettings, *, open_model: OpensModel
) -> Reader | None:
    """Return the reader of sealed spaces: the shipped one, where theirs would send texts away."""
    if reader is None or not reader.sends_texts or settings.sealed_spaces:
        return reader
    return _open_shipped(settings, open_model)


def _open_shipped(settings: ReadingSettings, open_model: OpensModel) -> Reader | None:
    if not is_shipped_here():
        return None
    threads = settings.threads
    return ModelReader(SHIPPED_NAME, lambda: load_shipped(open_model, threads=threads))
