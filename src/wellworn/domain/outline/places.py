"""The places of an outline: what each is called, what is below it, and which text it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.domain.outline.models import NodeKind
from wellworn.domain.outline.names import handle, one_line
from wellworn.domain.outline.shelf import Shelf, piece_of
from wellworn.domain.outline.texts import Whole, whole
from wellworn.domain.thoughts.store import TagCount, ThoughtExcerpt, ThoughtGroup
from wellworn.domain.thoughts.topics import Topic

_NAMELESS = "(no words)"
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
class SessionPlace:
    shelf: Shelf
    group: ThoughtGroup
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
    label: TagCount
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
        seqs = self.shelf.catalogue.find_tagged(self.label.key)
        entries = self.shelf.catalogue.list_excerpts(seqs[offset : offset + limit])
        return Below([ThoughtPlace(one) for one in entries], len(seqs))

    def stretch(self) -> Stretch:
        seqs = self.shelf.catalogue.find_tagged(self.label.key)[:_MOST_READ]
        entries = self.shelf.catalogue.list_excerpts(seqs, whole=True)
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
        return self.shelf.laid.find_title(self.topic) or _NAMELESS

    @property
    def size(self) -> int:
        return len(self.shelf.laid.list_members(self.topic))

    @property
    def count(self) -> int:
        laid = self.shelf.laid
        return len(laid.list_topics(self.topic)) + len(laid.list_loose(self.topic))

    @property
    def opening(self) -> str:
        central = self.shelf.laid.list_members(self.topic)[:1].tolist()
        return "".join(one_line(one.text) for one in self.shelf.catalogue.list_excerpts(central))

    def below(self, offset: int, limit: int) -> Below:
        laid = self.shelf.laid
        inside = laid.list_topics(self.topic)
        loose = laid.list_loose(self.topic).tolist()
        shown: list[Place] = [
            TopicPlace(self.shelf, one) for one in inside[offset : offset + limit]
        ]
        since = max(0, offset - len(inside))
        seqs = loose[since : since + limit - len(shown)]
        shown += [ThoughtPlace(one) for one in self.shelf.catalogue.list_excerpts(seqs)]
        return Below(shown, len(inside) + len(loose))

    def stretch(self) -> Stretch:
        seqs = self.shelf.laid.list_members(self.topic)[:_MOST_READ].tolist()
        entries = self.shelf.catalogue.list_excerpts(seqs, whole=True)
        text = whole([piece_of(one) for one in entries])
        return Stretch(text, 0, text.length)


@dataclass(frozen=True, slots=True)
class ThoughtPlace:
    entry: ThoughtExcerpt
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
