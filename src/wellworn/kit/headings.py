"""The heading tree of a Markdown text, with exact spans: which characters are below which heading.

One pass over the lines, so that hostile text costs its length and no more. Known are headings with
`#` marks and those of one line underlined with `=` or `-`; what stands in a code fence or in front
matter is no heading. Levels may jump: a heading is below the nearest before it of a lesser level.

Source: issue 4, point 6; CommonMark 0.31, sections 4.2, 4.3 and 4.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST_TITLE = 200

_MARKED = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
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
    fence = ""
    # The line before, if it is a paragraph of one line so far.
    paragraph: _Line | None = None
    after_break = True
    for line in _without_front_matter(list(_lines(text))):
        if fence:
            fence = _fence_after(line, fence)
            continue
        heading = _marked(line) or _underlined(line, paragraph)
        if heading is not None:
            found.append(heading)
        else:
            fence = _fence_after(line, fence)
        begins = after_break and heading is None and not fence and not line.is_blank
        paragraph = line if begins and not _NO_PARAGRAPH.match(line.text) else None
        after_break = line.is_blank or heading is not None
    return found


def fences(text: str) -> list[tuple[int, int]]:
    """Return where each code fence begins and ends; one that is never closed ends the text."""
    if "```" not in text and "~~~" not in text:
        return []
    found: list[tuple[int, int]] = []
    fence, start = "", 0
    for line in _without_front_matter(list(_lines(text))):
        before, fence = fence, _fence_after(line, fence)
        if fence and not before:
            start = line.start
        elif before and not fence:
            found.append((start, line.start + len(line.text)))
    return [*found, (start, len(text))] if fence else found


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


def _fence_after(line: _Line, fence: str) -> str:
    """Return the mark of the code fence that is open after a line; empty when none is."""
    mark = _FENCE.match(line.text)
    if mark is None:
        return fence
    rest = line.text[mark.end() :]
    if fence:
        return "" if mark[1].startswith(fence) and not rest.strip() else fence
    return "" if "`" in mark[1] and "`" in rest else mark[1]


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
