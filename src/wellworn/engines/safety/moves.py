"""Where a place in a text is after some stretches of it were replaced, and where it was before.

Secrets are cut out in several passes, each over the text that the pass before left; offsets that
were taken before (pages, anchors) and lines that are reported are carried through all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replacement:
    """A stretch of a text, and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Move:
    """Where stretches of one text are in another: the same number of them, in order."""

    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]

    def moved(self, offset: int) -> int:
        """Return where a place is afterwards; what was replaced is where the new stretch begins."""
        return _moved(self.before, self.after, offset)

    def origin(self, offset: int) -> int:
        """Return where a place was before."""
        return _moved(self.after, self.before, offset)


def replaced(text: str, replacements: Sequence[Replacement]) -> tuple[str, Move]:
    """Return the text with the stretches replaced; they are in order and do not overlap."""
    pieces: list[str] = []
    before: list[tuple[int, int]] = []
    after: list[tuple[int, int]] = []
    kept, length = 0, 0
    for one in replacements:
        length += one.start - kept
        pieces += (text[kept : one.start], one.text)
        before.append((one.start, one.end))
        after.append((length, length + len(one.text)))
        kept, length = one.end, length + len(one.text)
    return "".join([*pieces, text[kept:]]), Move(tuple(before), tuple(after))


def origin(moves: Iterable[Move], offset: int) -> int:
    """Return where a place was before all moves, the latest of which is the first given."""
    for move in moves:
        offset = move.origin(offset)
    return offset


def _moved(before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]], offset: int) -> int:
    number = bisect_right(before, offset, key=lambda stretch: stretch[0]) - 1
    if number < 0:
        return offset
    if offset < before[number][1]:
        return after[number][0]
    return offset - before[number][1] + after[number][1]
