"""Sections keep to their limit of words; what identifies, counts and cites survives every cut.

A text that an engine made shorter is taken only if every identifier, number, address and citation
of the long one still stands in it. Otherwise whole items are dropped, oldest first, and a line says
how many.

Source: the specification of document IO, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from wellworn.domain.turns.sections import count_words, join_blocks

_KEPT: Final = re.compile(
    r"https?://[^\s)>\]|]+"
    r"|\[E?\d+\]"
    r"|\^[\w-]+"
    r"|\b\w*\d[\w.:/-]*\w\b|\b\d\b"
    r"|\b\w+(?:[._/-]\w+)+\b"
)


def list_kept(text: str) -> set[str]:
    """Return what a shorter version of a text must not lose."""
    return set(_KEPT.findall(text))


def loses_nothing(text: str, shorter: str) -> bool:
    """Tell whether every identifier, number, address and citation survives."""
    remaining = list_kept(shorter)
    return all(part in remaining or part in shorter for part in list_kept(text))


def fit_section(
    head: str,
    items: Sequence[str],
    tail: str,
    *,
    most_words: int,
    compress: Callable[[str, int], str | None],
) -> str:
    """Return a section of at most `most_words`; only items give way, oldest first."""
    whole = join_blocks(head, *items, tail)
    if count_words(whole) <= most_words:
        return whole
    room = most_words - count_words(head) - count_words(tail)
    body = join_blocks(*items)
    shorter = compress(body, room)
    if shorter is not None and count_words(shorter) <= room and loses_nothing(body, shorter):
        return join_blocks(head, shorter, tail)
    return join_blocks(head, *_drop_oldest(items, room), tail)


def _drop_oldest(items: Sequence[str], room: int) -> list[str]:
    remaining = list(items)
    while remaining and sum(map(count_words, remaining)) + 12 > room:
        remaining.pop(0)
    dropped = len(items) - len(remaining)
    return [f"_{dropped} of {len(items)} items were left out here, the oldest first._", *remaining]
