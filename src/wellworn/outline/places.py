"""The places of an outline: what each is called, what is below it, and which text it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.kit.headings import Section
from wellworn.outline.models import NodeKind
from wellworn.outline.names import handle, one_line, section_id
from wellworn.outline.shelf import Document, Shelf, piece_of
from wellworn.outline.texts import Whole, sections_of, whole
from wellworn.thoughts import Entry, Group, Label, Topic

_BEFORE = "(before the first heading)"
_NAMELESS = "(no words)"
_LOOKED_AT = 600
"""Characters of a section among which its opening is looked for."""
_MOST_READ = 1_000
"""Thoughts of a tag or topic that are read as one text."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a text from `start` to before `end`."""

    text: Whole
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Below:
    """Some of a place's children, and how many there are in all."""

    shown: Sequence[Place]
    total: int


class Place(Protocol):
    """Somewhere in the outline."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> NodeKind: ...
    @property
    def title(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def opening(self) -> str: ...
    @property
    def count(self) -> int | None: ...

    def below(self, offset: int, limit: int) -> Below | None:
        """Return a page of its children; None for what never has any."""
        ...

    def stretch(self) -> Stretch | None:
        """Return the text it stands for; None when there is none to be read in one go."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """The space itself, or one kind of what it holds."""

    kind: NodeKind
    children: Sequence[Place]
    size: int = 0
    opening: str = ""

    @property
    def id(self) -> str:
        return self.kind.value

    @property
    def title(self) -> str:
        return self.kind.value

    @property
    def count(self) -> int:
        return len(self.children)

    def below(self, offset: int, limit: int) -> Below:
        return Below(self.children[offset : offset + limit], len(self.children))

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

    def below(self, offset: int, limit: int) -> Below:
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


@dataclass(frozen=True, slots=True)
class SessionPlace:
    shelf: Shelf
    group: Group
    kind: NodeKind = NodeKind.SESSION

    @property
    def id(self) -> str:
        return f"session:{handle(self.group.name)}"

    @property
    def title(self) -> str:
        return self.group.name

    @property
    def size(self) -> int:
        return self.group.size

    @property
    def count(self) -> int:
        return self.group.size

    @property
    def opening(self) -> str:
        entries = self.shelf.catalogue.members(self.group, limit=1)
        return one_line(entries[0].text) if entries else ""

    def below(self, offset: int, limit: int) -> Below:
        entries = self.shelf.catalogue.members(self.group, limit=limit, offset=offset)
        return Below([ThoughtPlace(one) for one in entries], self.group.size)

    def stretch(self) -> Stretch:
        text = self.shelf.talk(self.group)
        return Stretch(text, 0, text.length)


@dataclass(frozen=True, slots=True)
class TagPlace:
    shelf: Shelf
    label: Label
    kind: NodeKind = NodeKind.TAG
    opening: str = ""

    @property
    def id(self) -> str:
        return f"tag:{handle(self.label.key)}"

    @property
    def title(self) -> str:
        return self.label.tag

    @property
    def size(self) -> int:
        return self.label.size

    @property
    def count(self) -> int:
        return self.label.size

    def below(self, offset: int, limit: int) -> Below:
        seqs = self.shelf.catalogue.tagged(self.label.key)
        entries = self.shelf.catalogue.entries(seqs[offset : offset + limit])
        return Below([ThoughtPlace(one) for one in entries], len(seqs))

    def stretch(self) -> Stretch:
        seqs = self.shelf.catalogue.tagged(self.label.key)[:_MOST_READ]
        entries = self.shelf.catalogue.entries(seqs, whole=True)
        text = whole([piece_of(one) for one in entries])
        return Stretch(text, 0, text.length)


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """A topic: smaller topics, and then the thoughts that are in none of these."""

    shelf: Shelf
    topic: Topic
    kind: NodeKind = NodeKind.TOPIC

    @property
    def id(self) -> str:
        return f"topic:{self.topic.id}"

    @property
    def title(self) -> str:
        return self.shelf.laid.title(self.topic) or _NAMELESS

    @property
    def size(self) -> int:
        return len(self.shelf.laid.members(self.topic))

    @property
    def count(self) -> int:
        laid = self.shelf.laid
        return len(laid.topics(self.topic)) + len(laid.loose(self.topic))

    @property
    def opening(self) -> str:
        central = self.shelf.laid.members(self.topic)[:1].tolist()
        return "".join(one_line(one.text) for one in self.shelf.catalogue.entries(central))

    def below(self, offset: int, limit: int) -> Below:
        laid = self.shelf.laid
        inside = laid.topics(self.topic)
        loose = laid.loose(self.topic).tolist()
        shown: list[Place] = [
            TopicPlace(self.shelf, one) for one in inside[offset : offset + limit]
        ]
        since = max(0, offset - len(inside))
        seqs = loose[since : since + limit - len(shown)]
        shown += [ThoughtPlace(one) for one in self.shelf.catalogue.entries(seqs)]
        return Below(shown, len(inside) + len(loose))

    def stretch(self) -> Stretch:
        seqs = self.shelf.laid.members(self.topic)[:_MOST_READ].tolist()
        entries = self.shelf.catalogue.entries(seqs, whole=True)
        text = whole([piece_of(one) for one in entries])
        return Stretch(text, 0, text.length)


@dataclass(frozen=True, slots=True)
class ThoughtPlace:
    entry: Entry
    kind: NodeKind = NodeKind.THOUGHT
    size: int = 1
    count: int = 0

    @property
    def id(self) -> str:
        return f"thought:{self.entry.thought_id}"

    @property
    def title(self) -> str:
        return self.entry.contributor

    @property
    def opening(self) -> str:
        return one_line(self.entry.text)

    def below(self, offset: int, limit: int) -> None:
        del offset, limit

    def stretch(self) -> Stretch:
        text = whole([piece_of(self.entry)])
        return Stretch(text, 0, text.length)
