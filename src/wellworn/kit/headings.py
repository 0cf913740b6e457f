"""The heading tree of a Markdown text, with exact spans: which characters are below which heading.

One pass over the lines, so that hostile text costs its length and no more. Known are headings with
`#` marks and those of one line underlined with `=` or `-`; what stands in a code fence or in front
matter is no heading. Levels may jump: a heading is below the nearest before it of a lesser level.
A fence may be indented however deep, as in lists and admonitions, if it is closed again.

Source: issue 4, point 6; CommonMark 0.31, sections 4.2, 4.3 and 4.5.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST_TITLE = 200

_MARKED = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})")
_DEEPEST_OPEN = 3
"""Blanks before a fence that is open to the end of the text; deeper it is code that shows one."""
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
# What begins like this is no paragraph, so a line of hyphens below it is a rule.
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[>|<]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])")
_FRONT_MATTER_ENDS = frozenset({"---", "..."})


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that begins at `start`; `level` is 1 for the topmost."""

    level: int
    title: str
    start: int


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below one heading, up to the next one.

    Attributes:
        level: 0 for what comes before the first heading.
        start: where its heading begins.
        end: where the next heading begins; `text[start:end]` of all sections is the text.
        whole_end: where the last section below this one ends.
        parent: index of the section that this one is below; None at the top.
    """

    level: int
    title: str
    start: int
    end: int
    whole_end: int
    parent: int | None


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text or self.text.isspace()


def headings(text: str) -> list[Heading]:
    """Return the headings of a Markdown text in order."""
    found: list[Heading] = []
    # The line before, if it is a paragraph of one line so far.
    paragraph: _Line | None = None
    after_break = True
    lines = _without_front_matter(list(_lines(text)))
    fenced = {number for first, last in _fenced(lines) for number in range(first, last + 1)}
    for number, line in enumerate(lines):
        if number in fenced:
            paragraph, after_break = None, False
            continue
        heading = _marked(line) or _underlined(line, paragraph)
        if heading is not None:
            found.append(heading)
        begins = after_break and heading is None and not line.is_blank
        paragraph = line if begins and not _NO_PARAGRAPH.match(line.text) else None
        after_break = line.is_blank or heading is not None
    return found


def fences(text: str) -> list[tuple[int, int]]:
    """Return where each code fence begins and ends; one that is never closed ends the text."""
    if "```" not in text and "~~~" not in text:
        return []
    lines = _without_front_matter(list(_lines(text)))
    return [
        (lines[first].start, min(len(text), lines[last].start + len(lines[last].text)))
        for first, last in _fenced(lines)
    ]


def sections(found: Sequence[Heading], length: int) -> list[Section]:
    """Return the sections of a text of `length` characters; together they are all of it.

    What comes before the first heading is the first of them, if anything does.
    """
    before = int(length > 0 and (not found or found[0].start > 0))
    starts = [one.start for one in found]
    ends = [*starts[1:], length][: len(found)]
    whole_ends = [length] * len(found)
    parents: list[int | None] = []
    open_ones: list[int] = []
    for number, heading in enumerate(found):
        while open_ones and found[open_ones[-1]].level >= heading.level:
            whole_ends[open_ones.pop()] = heading.start
        parents.append(open_ones[-1] + before if open_ones else None)
        open_ones.append(number)
    opening = starts[0] if found else length
    made = [Section(0, "", 0, opening, opening, None)] * before
    spans = zip(found, ends, whole_ends, parents, strict=True)
    return made + [
        Section(one.level, one.title, one.start, end, whole_end, parent)
        for one, end, whole_end, parent in spans
    ]


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield _Line(start, text[start:end].removesuffix("\r"))
        start = end + 1


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that may begin or end a code fence."""

    line: int
    depth: int
    mark: str
    says_more: bool

    def ends(self, other: _Mark) -> bool:
        return self.mark.startswith(other.mark) and not self.says_more


def _fenced(lines: Sequence[_Line]) -> list[tuple[int, int]]:
    """Return the first and the last line of each code fence, its marks included."""
    marks = list(_marks(lines))
    closed = _closed(marks)
    found: list[tuple[int, int]] = []
    begun: _Mark | None = None
    for one, is_closed in zip(marks, closed, strict=True):
        if begun is not None:
            if one.ends(begun):
                found.append((begun.line, one.line))
                begun = None
        elif is_closed or one.depth <= _DEEPEST_OPEN:
            begun = one
    return [*found, (begun.line, len(lines) - 1)] if begun else found


def _marks(lines: Sequence[_Line]) -> Iterator[_Mark]:
    for number, line in enumerate(lines):
        mark = _FENCE.match(line.text)
        if mark is not None:
            rest = line.text[mark.end() :]
            # Three backticks around words on one line are code in the text.
            if "`" not in mark[2] or "`" not in rest:
                depth = len(mark[1].expandtabs(4))
                yield _Mark(number, depth, mark[2], says_more=bool(rest.strip()))


def _closed(marks: Sequence[_Mark]) -> list[bool]:
    """Tell of each mark whether any after it would end its fence."""
    longest: dict[str, int] = defaultdict(int)
    closed: list[bool] = []
    for one in reversed(marks):
        kind = one.mark[0]
        closed.append(longest[kind] >= len(one.mark))
        if not one.says_more:
            longest[kind] = max(longest[kind], len(one.mark))
    return closed[::-1]


def _without_front_matter(lines: list[_Line]) -> list[_Line]:
    if not lines or lines[0].text.rstrip() != "---":
        return lines
    for number, line in enumerate(lines[1:], start=1):
        if line.text.rstrip() in _FRONT_MATTER_ENDS:
            return lines[number + 1 :]
    return lines


def _marked(line: _Line) -> Heading | None:
    mark = _MARKED.match(line.text)
    if mark is None:
        return None
    title = line.text[mark.end() :].strip()
    bare = title.rstrip("#")
    if not bare or bare[-1] in " \t":
        title = bare
    return Heading(len(mark[1]), _short(title), line.start)


def _underlined(line: _Line, paragraph: _Line | None) -> Heading | None:
    mark = _UNDERLINE.match(line.text)
    if mark is None or paragraph is None:
        return None
    return Heading(1 if "=" in mark[1] else 2, _short(paragraph.text), paragraph.start)


def _short(title: str) -> str:
    return " ".join(title.split())[:LONGEST_TITLE].rstrip()
