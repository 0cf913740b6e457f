"""Chooses and opens the reader that the settings name, whatever its kind.

The shipped one has the encoder's layers, trained further by `make reader`.

Beside it lie weights of the same shape, which learned from other examples.

Source: docs/adr/0022-reader.md; training/.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wellworn.engines.reading.model_reader import ModelReader
from wellworn.engines.reading.models import OpensModel, Reader
from wellworn.engines.reading.second_reader import SecondReader
from wellworn.engines.reading.settings import ReadingSettings
from wellworn.errors import InvalidInput, ReadingFailed

if TYPE_CHECKING:
    from wellworn.engines.reading.language_model_reader import LanguageModelReader

if TYPE_CHECKING:
    from wellworn.engines.reading.models import OpensModel, RunsPairs


def open_reader(
    settings: ReadingSettings,
    *,
    open_model: OpensModel,
    language_model: Callable[[], LanguageModelReader | None] = lambda: None,
    second: SecondReader | None = None,
) -> Reader | None:
    """Return the reader that the settings name; None where there is none. Nothing is loaded yet.

    The shipped one asks a second beside it, if there is one.

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
    return _open_shipped(settings, open_model, second)


def choose_for_sealed(
    reader: Reader | None,
    settings: ReadingSettings,
    *,
    open_model: OpensModel,
    second: SecondReader | None = None,
) -> Reader | None:
    """Return the reader of sealed spaces: the shipped one, where theirs would send texts away."""
    if reader is None or not reader.sends_texts or settings.sealed_spaces:
        return reader
    return _open_shipped(settings, open_model, second)


def _open_shipped(
    settings: ReadingSettings, open_model: OpensModel, second: SecondReader | None
) -> Reader | None:
    if not is_shipped_here():
        return None
    threads = settings.threads
    return ModelReader(SHIPPED_NAME, lambda: load_shipped(open_model, threads=threads), second)


def open_second_reader(open_model: OpensModel, *, threads: int = 1) -> SecondReader:
    """Return the second of the shipped readers, which tells orders, too; nothing is loaded yet."""
    return SecondReader(lambda: load_shipped(open_model, threads=threads, folder=SECOND_FOLDER))


SHIPPED_NAME: Final = "reader-w8-1"
FOLDER: Final = Path(__file__).with_name("model")
SECOND_FOLDER: Final = Path(__file__).with_name("second_model")
RECORD_FILE: Final = "reader.json"
"""Says what was trained, its figures, and the checksums of the files beside it."""


def is_shipped_here(folder: Path = FOLDER) -> bool:
    """Tell whether the package has a reader."""
    return (folder / RECORD_FILE).exists()


def load_shipped(open_model: OpensModel, *, threads: int = 1, folder: Path = FOLDER) -> RunsPairs:
    """Load the shipped reader.

    Raises:
        ReadingFailed: what is written down of it is damaged.
        EmbeddingFailed: its file is missing or damaged.
    """
    try:
        record = json.loads((folder / RECORD_FILE).read_bytes())
        checksums = {str(name): str(value) for name, value in record["checksums"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReadingFailed(f"{RECORD_FILE} is missing or damaged") from error
    return open_model(folder, threads=threads, checksums=checksums)
