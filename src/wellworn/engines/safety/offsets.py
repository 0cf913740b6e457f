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
class OffsetMap:
    """Where stretches of one text are in another: the same number of them, in order."""

    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]

    def map_forward(self, offset: int) -> int:
        """Return where a place is afterwards; what was replaced is where the new stretch begins."""
        return _map_offset(self.before, self.after, offset)

    def map_back(self, offset: int) -> int:
        """Return where a place was before."""
        return _map_offset(self.after, self.before, offset)


def replace_spans(text: str, replacements: Sequence[Replacement]) -> tuple[str, OffsetMap]:
    """Return the text with the stretches replaced; they are in order and do not overlap."""
    pieces: list[str] = []
    before: list[tuple[int, int]] = []
    after: list[tuple[int, int]] = []
    end = length = 0
    for replacement in replacements:
        length += replacement.start - end
        pieces += (text[end : replacement.start], replacement.text)
        before.append((replacement.start, replacement.end))
        after.append((length, length + len(replacement.text)))
        end, length = replacement.end, length + len(replacement.text)
    return "".join([*pieces, text[end:]]), OffsetMap(tuple(before), tuple(after))


def map_back(maps: Iterable[OffsetMap], offset: int) -> int:
    """Return where a place was before all replacements; the map of the latest comes first."""
    for offset_map in maps:
        offset = offset_map.map_back(offset)
    return offset


def _map_offset(
    before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]], offset: int
) -> int:
    number = bisect_right(before, offset, key=lambda stretch: stretch[0]) - 1
    if number < 0:
        return offset
    if offset < before[number][1]:
        return after[number][0]
    return offset - before[number][1] + after[number][1]
