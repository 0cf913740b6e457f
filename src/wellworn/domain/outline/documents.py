"""The places of documents: the sources that they are of, they themselves, and their sections."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wellworn.domain.outline.citing import headed
from wellworn.domain.outline.models import NodeKind
from wellworn.domain.outline.names import one_line, section_id
from wellworn.domain.outline.places import Below, Place, Stretch
from wellworn.domain.outline.shelf import Document, Shelf
from wellworn.domain.outline.texts import Whole, sections_of
from wellworn.domain.sources.store import BrowsedSource
from wellworn.kit.markdown import Section

_BEFORE = "(before the first heading)"
_LOOKED_AT = 600
"""Characters of a section among which its opening is looked for."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    shelf: Shelf
    source: BrowsedSource
    kind: NodeKind = NodeKind.SOURCE
    size: int = 0
    opening: str = ""

    @property
    def id(self) -> str:
        return f"source:{self.source.id}"

    @property
    def title(self) -> str:
        return self.source.name

    @property
    def count(self) -> int:
        return self.source.documents

    def below(self, offset: int, limit: int) -> Below:
        shown = self.shelf.documents_of(self.source, offset=offset, limit=limit)
        return Below([DocumentPlace(self.shelf, one) for one in shown], self.source.documents)

    def stretch(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A document; in a list of many nobody reads each one for its headings."""

    shelf: Shelf
    document: Document
    kind: NodeKind = NodeKind.DOCUMENT
    count: None = None

    @property
    def id(self) -> str:
        return self.document.id

    @property
    def title(self) -> str:
        return self.document.title

    @property
    def size(self) -> int:
        return self.document.size

    @property
    def opening(self) -> str:
        return one_line(self.shelf.opening(self.document))

    def below(self, offset: int, limit: int) -> Below | None:
        if self.shelf.has_laid_out_enough:
            return None
        tops = [one for one in self.sections() if one.section.parent is None]
        return Below(tops[offset : offset + limit], len(tops))

    def stretch(self) -> Stretch:
        text = self.shelf.text(self.document)
        return Stretch(text, 0, text.length)

    def sections(self) -> list[SectionPlace]:
        """Return the sections of the document; number 0 is what comes before the first heading."""
        chapters = Chapters.of(self.document.id, self.shelf.text(self.document))
        places = [SectionPlace(chapters, index) for index in range(len(chapters.sections))]
        return [one for one in places if one.section.level or one.opening]

    def headed(self, name: str) -> list[Place]:
        """Return what an anchor, or the end of a path of headings, means in the document."""
        text = self.shelf.text(self.document)
        chapters = Chapters.of(self.document.id, text)
        if found := headed(chapters.sections, name):
            return [SectionPlace(chapters, at) for at in found]
        start = self.shelf.anchored(self.document, name)
        if start is None:
            return []
        at = bisect_right([one.start for one in chapters.sections], start) - 1
        return [self if at < 0 else SectionPlace(chapters, at)]


@dataclass(frozen=True, slots=True)
class Chapters:
    """The sections of a document, and which of them are right below each."""

    document: str
    text: Whole
    sections: Sequence[Section]
    inside: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, document: str, text: Whole) -> Chapters:
        made = sections_of(text)
        inside: dict[int, list[int]] = {}
        for index, section in enumerate(made):
            if section.parent is not None:
                inside.setdefault(section.parent, []).append(index)
        return cls(document, text, made, inside)


@dataclass(frozen=True, slots=True)
class SectionPlace:
    chapters: Chapters
    index: int
    kind: NodeKind = NodeKind.SECTION
    size: int = 0

    @property
    def section(self) -> Section:
        return self.chapters.sections[self.index]

    @property
    def number(self) -> int:
        return self.index + (self.chapters.sections[0].level > 0)

    @property
    def id(self) -> str:
        return section_id(self.chapters.document, self.number)

    @property
    def title(self) -> str:
        return self.section.title if self.section.level else _BEFORE

    @property
    def opening(self) -> str:
        end = min(self.section.end, self.section.start + _LOOKED_AT)
        parts = self.chapters.text.parts(self.section.start, end)
        told = " ".join(" ".join(part.text for part in parts).lstrip("#= \n").split())
        return one_line(told.removeprefix(self._path()).removeprefix(self.section.title))

    def _path(self) -> str:
        """Return the headings down to this one, as the first line of a piece has them."""
        titles, at = [self.section.title], self.section.parent
        while at is not None:
            titles.append(self.chapters.sections[at].title)
            at = self.chapters.sections[at].parent
        return " > ".join(reversed(titles))

    @property
    def count(self) -> int:
        return len(self._inside())

    def _inside(self) -> Sequence[int]:
        return self.chapters.inside.get(self.index, ())

    def below(self, offset: int, limit: int) -> Below:
        inside = self._inside()
        shown = [SectionPlace(self.chapters, at) for at in inside[offset : offset + limit]]
        return Below(shown, len(inside))

    def stretch(self) -> Stretch:
        return Stretch(self.chapters.text, self.section.start, self.section.whole_end)
