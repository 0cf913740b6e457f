"""A document as the compiler sees it: its text, its parts, its lines, and how one refers to them.

Everything below works on one canonical Markdown text, whatever kind of file it was; so a part has
an exact span and the anchor that links to it, and a line is prose by rule: what stands in a code
fence, in front matter or in a comment states nothing about anything.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from wellworn.domain.sources import Anchors
from wellworn.kit.markdown import Markdown, Section, blank_struck

_Found = TypeVar("_Found")

#: Files of which every project has some; they tell nothing of what its owner has now.
_FORMAL = re.compile(
    r"(?:.*/)?(?:licen[cs]es?|copying|notice|patents|changelog|changes|release[-_ ]notes"
    r"|code[-_ ]of[-_ ]conduct|(?:code)?owners)(?:[-_.][\w.-]{0,40})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document of a source; `text` is canonical: every span counts its characters."""

    id: int
    source: str
    path: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """The text below one heading, up to the next one.

    Attributes:
        title: the heading as a reader sees it; empty before the first one.
        level: 1 for the topmost; 0 before the first heading.
        start: where its heading begins.
        end: where the next heading begins.
        anchor: what links to it; empty for what links to the document open anyway.
        parent: index of the part it is below; None at the top.
    """

    title: str
    level: int
    start: int
    end: int
    anchor: str
    parent: int | None


class Line(NamedTuple):
    """A line of prose without its line break; `part` is the index of the part it is in."""

    start: int
    text: str
    part: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def span(self) -> tuple[int, int]:
        """The span without the white space around it."""
        start = self.end - len(self.text.lstrip())
        return start, start + len(self.text.strip())


class TookTooLongError(Exception):
    """A document is read for longer than it may."""


def _go_on() -> None:
    """Let a document be read for as long as it takes."""


@dataclass(frozen=True)
class Reading:
    """A document and what every rule wants to know of it, each found once.

    Attributes:
        go_on: is called again and again while the document is read; what it raises ends that.
    """

    document: DocumentView
    go_on: Callable[[], None] = field(default=_go_on, repr=False, compare=False)
    _found: dict[Callable[[Reading], Any], Any] = field(
        default_factory=dict[Callable[["Reading"], Any], Any], init=False, repr=False, compare=False
    )

    @property
    def text(self) -> str:
        return self.document.text

    def find(self, what: Callable[[Reading], _Found]) -> _Found:
        """Return what a function finds in it, which is called once for all that ask for it."""
        self.go_on()
        if what not in self._found:
            self._found[what] = what(self)
        return self._found[what]

    @cached_property
    def current(self) -> Reading:
        """The same document without what it strikes out; all else keeps its place."""
        text = blank_struck(self.text)
        return self if text is self.text else self.read_instead(text)

    def read_instead(self, text: str) -> Reading:
        """Return the same document with another text."""
        return Reading(replace(self.document, text=text), self.go_on)

    @property
    def is_formal(self) -> bool:
        """Whether it is a licence, a list of changes or the like."""
        return _FORMAL.fullmatch(self.document.path) is not None

    @cached_property
    def markdown(self) -> Markdown:
        return Markdown(self.text)

    @cached_property
    def parts(self) -> list[Part]:
        """The parts in order, with GitHub's anchors; together they are the full text."""
        anchors = Anchors()
        sections = self.markdown.sections
        is_title = _is_title_at(sections)
        return [
            Part(
                shown,
                section.level,
                section.start,
                section.end,
                "" if number == is_title else anchor,
                section.parent,
            )
            for number, section in enumerate(sections)
            for shown in [Anchors.strip_title(section.title)]
            for anchor in [anchors.of(section.title, shown) if section.level else ""]
        ]

    @cached_property
    def title(self) -> str:
        """Return what the document calls itself: in its front matter, by its first heading."""
        front = self.markdown.front_matter
        # What follows in braces is for the program that fills in a template.
        named = Anchors.strip_title(front.title.partition("{")[0]) if front else ""
        first = next((part for part in self.parts if part.level), None)
        if named:
            return named
        if first is not None and first.level == 1:
            return first.title
        return Anchors.strip_title(self.document.title or "") or (first.title if first else "")

    @cached_property
    def silent(self) -> list[tuple[int, int]]:
        """Return the spans that are no prose, in order: front matter, comments, code."""
        text = self.text
        spans = [*self.markdown.fences, *_comments(text)]
        return sorted([*spans, (0, self.front)] if self.front else spans)

    @property
    def front(self) -> int:
        """The end of the front matter; 0 where there is none."""
        return self.markdown.front_end

    @cached_property
    def lines(self) -> list[Line]:
        """Return the lines of prose, headings included."""
        return list(self._lines())

    def lines_of(self, part: int) -> Sequence[Line]:
        """Return the lines of prose of one part."""
        first = bisect.bisect_left(self.lines, part, key=lambda line: line.part)
        return self.lines[first : bisect.bisect_right(self.lines, part, key=lambda line: line.part)]

    def is_silent(self, place: int) -> bool:
        """Tell whether a character is in what is no prose."""
        before = bisect.bisect_right(self.silent, place, key=lambda span: span[0])
        return before > 0 and place < self.silent[before - 1][1]

    def part_at(self, place: int) -> int:
        """Return the index of the part that a character is in."""
        return max(0, bisect.bisect_right(self._starts, place) - 1)

    @cached_property
    def _starts(self) -> list[int]:
        return [part.start for part in self.parts]

    def _lines(self) -> Iterator[Line]:
        silent, at, part = self.silent, 0, 0
        for start, text in _split(self.text):
            while at < len(silent) and silent[at][1] <= start:
                at += 1
            while part + 1 < len(self.parts) and self.parts[part + 1].start <= start:
                part += 1
            self.go_on()
            if at < len(silent) and silent[at][0] < start + max(1, len(text)):
                continue
            yield Line(start, text, part)


def _is_title_at(sections: Sequence[Section]) -> int | None:
    """Return which section has the document's title, if one has: the first, at level 1."""
    first = next((number for number, section in enumerate(sections) if section.level), None)
    return first if first is not None and sections[first].level == 1 else None


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        yield start, end + len("-->")
        start = text.find("<!--", end)


def _split(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, text[start:end]
        start = end + 1
