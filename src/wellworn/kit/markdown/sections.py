"""The heading tree of a text, with exact spans: which characters are below which heading.

Levels may jump: a heading is below the nearest before it of a lesser level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading from `start` to `end`; `level` is 1 for the topmost, `title` has its markup."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """The text below one heading, up to the next one.

    Attributes:
        level: 0 for what comes before the first heading.
        start: where its heading begins.
        body: where its heading ends.
        end: where the next heading begins; `text[start:end]` of all sections is the text.
        whole_end: where the last section below this one ends.
        parent: index of the section that this one is below; None at the top.
    """

    level: int
    title: str
    start: int
    body: int
    end: int
    whole_end: int
    parent: int | None


def build_sections(headings: Sequence[Heading], length: int) -> list[Section]:
    """Return the sections of a text of `length` characters; together they are all of it.

    What comes before the first heading is the first of them, if anything does.
    """
    before = int(length > 0 and (not headings or headings[0].start > 0))
    starts = [heading.start for heading in headings]
    ends = [*starts[1:], length][: len(headings)]
    whole_ends = [length] * len(headings)
    parents: list[int | None] = []
    open_numbers: list[int] = []
    for number, heading in enumerate(headings):
        while open_numbers and headings[open_numbers[-1]].level >= heading.level:
            whole_ends[open_numbers.pop()] = heading.start
        parents.append(open_numbers[-1] + before if open_numbers else None)
        open_numbers.append(number)
    opening = starts[0] if headings else length
    sections = [Section(0, "", 0, 0, opening, opening, None)] * before
    spans = zip(headings, ends, whole_ends, parents, strict=True)
    return sections + [
        Section(heading.level, heading.title, heading.start, heading.end, end, whole_end, parent)
        for heading, end, whole_end, parent in spans
    ]
