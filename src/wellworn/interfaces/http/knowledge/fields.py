"""Field types of knowledge's routes: numbers of rows, pages, and what words they take."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import AfterValidator, Field

from wellworn.kit.text import is_on_one_line, storable

_FURTHEST = 2**31 - 1
_MOST_ROWS = 2**53
MOST_SOURCES_NAMED = 20


def _on_one_line(path: str) -> str:
    if not is_on_one_line(path):
        message = "must be on one line, without control characters"
        raise ValueError(message)
    return path


Number = Annotated[int, Field(ge=1, le=_MOST_ROWS)]
SourceId = Annotated[int, Path(ge=1, le=_MOST_ROWS, description="Number of a source.")]
DocumentId = Annotated[int, Path(ge=1, le=_MOST_ROWS, description="Number of a document.")]
ConflictId = Annotated[int, Path(ge=1, le=_MOST_ROWS, description="Number of a conflict.")]
RulingId = Annotated[int, Path(ge=1, le=_MOST_ROWS, description="Number of a ruling on names.")]
Offset = Annotated[int, Query(ge=0, le=_FURTHEST)]
FilePath = Annotated[
    str,
    Path(min_length=1, max_length=1_000, description="Path of the file."),
    AfterValidator(_on_one_line),
]
Line = Annotated[str, Field(max_length=1_000), AfterValidator(storable)]
"""A text that may be empty, and is no longer than a citation can be."""
