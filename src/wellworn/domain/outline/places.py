"""The places of an outline: what each is called, what is below it, and which text it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.domain.outline.contents import SpaceContents, to_piece
from wellworn.domain.outline.models import NodeKind
from wellworn.domain.outline.names import LONGEST_OPENING, to_handle
from wellworn.domain.outline.texts import JoinedText, join_pieces
from wellworn.domain.thoughts.store import TagCount, ThoughtExcerpt, ThoughtGroup
from wellworn.domain.thoughts.topics import Topic
from wellworn.kit.text import shorten

_NAMELESS = "(no words)"
_MOST_READ = 1_000
"""Thoughts of a tag or topic that are read as one text."""


@dataclass(frozen=True, slots=True)
class TextRange:
    """The part of a text from `start` to before `end`."""

    text: JoinedText
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Children:
    """Some of a place's children, and how many there are in all."""

    shown: Sequence[OutlinePlace]
    total: int


class OutlinePlace(Protocol):
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

    def list_children(self, offset: int, limit: int) -> Children | None:
        """Return a page of its children; None for what never has any."""
        ...

    def find_range(self) -> TextRange | None:
        """Return the text it stands for; None when there is none to be read in one go."""
        ...


@dataclass(frozen=True, slots=True)
class KindPlace:
    """The space itself, or one kind of what it holds."""

    kind: NodeKind
    children: Sequence[OutlinePlace]
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

    def list_children(self, offset: int, limit: int) -> Children:
        return Children(self.children[offset : offset + limit], len(self.children))

    def find_range(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class SessionPlace:
    contents: SpaceContents
    group: ThoughtGroup
    kind: NodeKind = NodeKind.SESSION

    @property
    def id(self) -> str:
        return f"session:{to_handle(self.group.name)}"

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
        entries = self.contents.catalogue.members(self.group, limit=1)
        return shorten(entries[0].text, LONGEST_OPENING) if entries else ""

    def list_children(self, offset: int, limit: int) -> Children:
        entries = self.contents.catalogue.members(self.group, limit=limit, offset=offset)
        return Children([ThoughtPlace(excerpt) for excerpt in entries], self.group.size)

    def find_range(self) -> TextRange:
        text = self.contents.read_conversation(self.group)
        return TextRange(text, 0, text.length)


@dataclass(frozen=True, slots=True)
class TagPlace:
    contents: SpaceContents
    label: TagCount
    kind: NodeKind = NodeKind.TAG
    opening: str = ""

    @property
    def id(self) -> str:
        return f"tag:{to_handle(self.label.key)}"

    @property
    def title(self) -> str:
        return self.label.tag

    @property
    def size(self) -> int:
        return self.label.size

    @property
    def count(self) -> int:
        return self.label.size

    def list_children(self, offset: int, limit: int) -> Children:
        seqs = self.contents.catalogue.find_tagged(self.label.key)
        entries = self.contents.catalogue.list_excerpts(seqs[offset : offset + limit])
        return Children([ThoughtPlace(excerpt) for excerpt in entries], len(seqs))

    def find_range(self) -> TextRange:
        seqs = self.contents.catalogue.find_tagged(self.label.key)[:_MOST_READ]
        entries = self.contents.catalogue.list_excerpts(seqs, whole=True)
        text = join_pieces([to_piece(excerpt) for excerpt in entries])
        return TextRange(text, 0, text.length)


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """A topic: smaller topics, and then the thoughts that are in none of these."""

    contents: SpaceContents
    topic: Topic
    kind: NodeKind = NodeKind.TOPIC

    @property
    def id(self) -> str:
        return f"topic:{self.topic.id}"

    @property
    def title(self) -> str:
        return self.contents.topic_map.find_title(self.topic) or _NAMELESS

    @property
    def size(self) -> int:
        return len(self.contents.topic_map.list_members(self.topic))

    @property
    def count(self) -> int:
        laid = self.contents.topic_map
        return len(laid.list_topics(self.topic)) + len(laid.list_loose(self.topic))

    @property
    def opening(self) -> str:
        central = self.contents.topic_map.list_members(self.topic)[:1].tolist()
        return "".join(
            shorten(excerpt.text, LONGEST_OPENING)
            for excerpt in self.contents.catalogue.list_excerpts(central)
        )

    def list_children(self, offset: int, limit: int) -> Children:
        laid = self.contents.topic_map
        inside = laid.list_topics(self.topic)
        loose = laid.list_loose(self.topic).tolist()
        shown: list[OutlinePlace] = [
            TopicPlace(self.contents, topic) for topic in inside[offset : offset + limit]
        ]
        since = max(0, offset - len(inside))
        seqs = loose[since : since + limit - len(shown)]
        shown += [ThoughtPlace(excerpt) for excerpt in self.contents.catalogue.list_excerpts(seqs)]
        return Children(shown, len(inside) + len(loose))

    def find_range(self) -> TextRange:
        seqs = self.contents.topic_map.list_members(self.topic)[:_MOST_READ].tolist()
        entries = self.contents.catalogue.list_excerpts(seqs, whole=True)
        text = join_pieces([to_piece(excerpt) for excerpt in entries])
        return TextRange(text, 0, text.length)


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
        return shorten(self.entry.text, LONGEST_OPENING)

    def list_children(self, offset: int, limit: int) -> None:
        del offset, limit

    def find_range(self) -> TextRange:
        text = join_pieces([to_piece(self.entry)])
        return TextRange(text, 0, text.length)
