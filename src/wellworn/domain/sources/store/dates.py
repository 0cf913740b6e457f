"""Reads the metadata of documents beside quotes: dates in epoch seconds, doubts of reading."""

from __future__ import annotations

import json
from typing import Final

from sqlalchemy import func

from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.engines.storage.sql import read_json_number, read_json_text
from wellworn.kit.charset import find_doubt

COMMITTED_AT: Final = "committed_at"
"""When a commit changed it last."""
CHANGED_AT: Final = "changed_at"
"""When its file or page was changed last."""
DATED_AT: Final = "dated_at"
"""The date that it bears."""
DATES: Final = (DATED_AT, COMMITTED_AT, CHANGED_AT)
_END_OF_YEARS: Final = 253_402_300_800
"""Epoch seconds at which years of four digits end."""

DATE: Final = func.coalesce(
    *(read_json_number(documents.c.metadata, name) for name in DATES)
).label("dated_at")
"""A document's own date; null where nothing says it."""


FLAGS: Final = read_json_text(documents.c.metadata, "flags").label("flags")
"""Flags that were set while a document was read, as JSON; null where nothing was."""


def read_doubt(flags: str | None) -> str:
    """Return why the characters of a document may be others than they are here, of its flags."""
    return find_doubt(json.loads(flags)) if flags else ""


def read_moment(value: object) -> float | None:
    """Return epoch seconds of a year that can be written; None of what is none: imports may lie."""
    if not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < _END_OF_YEARS else None
