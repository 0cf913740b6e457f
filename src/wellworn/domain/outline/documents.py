"""The places of documents: the sources that they are of, they themselves, and their sections."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wellworn.domain.outline.citing import find_headed
from wellworn.domain.outline.contents import OutlineDocument, SpaceContents
from wellworn.domain.outline.models import NodeKind
from wellworn.domain.outline.names import LONGEST_OPENING, section_id
from wellworn.domain.outline.places import Children, OutlinePlace, TextRange
from wellworn.domain.outline.texts import JoinedText, find_sections
from wellworn.domain.sources.store import BrowsedSource
from wellworn.kit.markdown import Section
from wellworn.kit.text import shorten

_BEFORE = "(before the first heading)"
_LOOKED_AT = 600
"""Characters of a section among which its opening is looked for."""
_CLOSED_HEADING = re.compile(r"\s*#[^\n]*[ \t]#+[ \t]*(?:\n|\Z)")
"""A heading with marks behind it as well."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    contents: SpaceContents
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

    def list_children(self, offset: int, limit: int) -> Children:
        shown = self.contents.list_documents(self.source, offset=offset, limit=limit)
        return Children(
            [DocumentPlace(self.contents, document) for document in shown], self.source.documents
        )

    def find_range(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A document; in a list of many nobody reads each one for its headings."""

    contents: SpaceContents
    document: OutlineDocument
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
        return shorten(self.contents.read_opening(self.document), LONGEST_OPENING)

    def list_children(self, offset: int, limit: int) -> Children | None:
        if self.contents.has_laid_out_enough:
            return None
        tops = [place for place in self.sections() if place.section.parent is None]
        return Children(tops[offset : offset + limit], len(tops))

    def find_range(self) -> TextRange:
        text = self.contents.read_text(self.document)
        return TextRange(text, 0, text.length)

    def sections(self) -> list[SectionPlace]:
        """Return the sections of the document; number 0 is what comes before the first heading."""
        chapters = SectionTree.build(self.document.id, self.contents.read_text(self.document))
        places = [SectionPlace(chapters, index) for index in range(len(chapters.sections))]
        return [place for place in places if place.section.level or place.opening]

    def find_sections(self, name: str) -> list[OutlinePlace]:
        """Return what an anchor, or the end of a path of headings, means in the document."""
        text = self.contents.read_text(self.document)
        chapters = SectionTree.build(self.document.id, text)
        if numbers := find_headed(chapters.sections, name):
            return [SectionPlace(chapters, at) for at in numbers]
        start = self.contents.find_section(self.document, name)
        if start is None:
            return []
        at = bisect_right([section.start for section in chapters.sections], start) - 1
        return [self if at < 0 else SectionPlace(chapters, at)]


@dataclass(frozen=True, slots=True)
class SectionTree:
    """The sections of a document, and which of them are right below each."""

    document: str
    text: JoinedText
    sections: Sequence[Section]
    inside: Mapping[int, Sequence[int]]

    @classmethod
    def build(cls, document: str, text: JoinedText) -> SectionTree:
        made = find_sections(text)
        inside: dict[int, list[int]] = {}
        for index, section in enumerate(made):
            if section.parent is not None:
                inside.setdefault(section.parent, []).append(index)
        return cls(document, text, made, inside)


@dataclass(frozen=True, slots=True)
class SectionPlace:
    chapters: SectionTree
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
        parts = self.chapters.text.list_parts(self.section.start, end)
        written = " ".join(part.text for part in parts)
        text = " ".join(written.lstrip("#= \n").split())
        text = text.removeprefix(self._path()).removeprefix(self.section.title)
        if _CLOSED_HEADING.match(written):
            text = text.lstrip().lstrip("#")
        return shorten(text, LONGEST_OPENING)

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

    def list_children(self, offset: int, limit: int) -> Children:
        inside = self._inside()
        shown = [SectionPlace(self.chapters, at) for at in inside[offset : offset + limit]]
        return Children(shown, len(inside))

    def find_range(self) -> TextRange:
        return TextRange(self.chapters.text, self.section.start, self.section.whole_end)
