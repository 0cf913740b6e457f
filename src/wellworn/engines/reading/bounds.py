"""Refuses what would take a reader minutes."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.engines.reading.models import MOST_TEXTS
from wellworn.errors import InvalidInput


def check_count(texts: Sequence[str]) -> None:
    """Refuse more texts than one call reads.

    Raises:
        InvalidInput: there are more.
    """
    if len(texts) > MOST_TEXTS:
        raise InvalidInput(f"at most {MOST_TEXTS} texts are read in one call")
