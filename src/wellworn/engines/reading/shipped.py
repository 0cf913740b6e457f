"""The shipped reader: the encoder's layers, trained further by `make reader`.

Source: docs/adr/0022-reader.md; training/.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wellworn.errors import ReadingFailed

if TYPE_CHECKING:
    from wellworn.engines.reading.models import OpensModel, RunsPairs

SHIPPED_NAME: Final = "reader-w8-1"
FOLDER: Final = Path(__file__).with_name("model")
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
