"""Aliases: other names of what documents explain, learned from use or taught.

A resolution that is confirmed grows surer, one that is contradicted less sure, and below a half it
gives way. That two names look alike is no reason to take them for one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

FIRST_CONFIDENCE: Final = 0.7
MOST_CONFIDENCE: Final = 0.99
LEAST_CONFIDENCE: Final = 0.5
_CONFIRMED: Final = 0.05
_CONTRADICTED: Final = 0.15
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Alias:
    """A term's resolution, and how sure it is; times are in epoch seconds.

    Attributes:
        citation: of a section, such as `mytech/AGENTS.md#servers`.
        confidence: 0 to 0.99.
        section_hash: of the section when it was learned.
        taught_by: the member who said so, or whose question it was found for; None if unknown.
    """

    term: str
    citation: str
    confidence: float
    usage_count: int
    last_used_at: float
    document_id: int = 0
    anchor: str = ""
    section_hash: str = ""
    is_taught: bool = False
    taught_by: str | None = None
    taught_at: float | None = None


ALIAS_FIELDS: Final = (
    "term",
    "citation",
    "confidence",
    "usage_count",
    "last_used_at",
    "is_taught",
)
"""Fields of an alias in a record."""


def update_alias(known: Alias | None, latest: Alias) -> Alias:
    """Return what is known of a term after it was resolved once more.

    What is taught is its last teacher's, what is found is the first asker's.
    """
    if known is None:
        return latest
    if known.citation == latest.citation:
        teacher = latest if latest.is_taught else known
        return replace(
            latest,
            confidence=min(MOST_CONFIDENCE, round(known.confidence + _CONFIRMED, _DIGITS)),
            usage_count=known.usage_count + 1,
            is_taught=teacher.is_taught,
            taught_by=teacher.taught_by,
            taught_at=teacher.taught_at,
        )
    left = round(known.confidence - _CONTRADICTED, _DIGITS)
    return latest if left < LEAST_CONFIDENCE else replace(known, confidence=left)
