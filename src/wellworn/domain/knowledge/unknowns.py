"""Known gaps: what was asked for and not found; only the owner can say what it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wellworn.domain.knowledge.entities import key, term


@dataclass(frozen=True, slots=True)
class UnexplainedTerm:
    """A term nobody explains.

    Attributes:
        mentions: how often documents say it.
        asked: how often it was asked for in vain.
    """

    term: str
    mentions: int
    asked: int


def find_unexplained(
    asked: Mapping[str, int], mentioned: Mapping[str, int], *, known: Collection[str]
) -> list[UnexplainedTerm]:
    """Return the terms nobody explains, those that are asked for most first.

    Args:
        asked: how often each term was asked for in vain.
        mentioned: how often documents say each of them.
        known: the keys of the terms that are explained somewhere.
    """
    unexplained = [
        UnexplainedTerm(term(name), mentioned.get(name, 0), times)
        for name, times in asked.items()
        if key(name) and key(name) not in known
    ]
    return sorted(unexplained, key=lambda gap: (-gap.asked, -gap.mentions, gap.term))
