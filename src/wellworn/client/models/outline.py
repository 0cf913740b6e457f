"""The outline of a space, and the text of each place in it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time

NodeKind = Literal[
    "space",
    "documents",
    "sources",
    "sessions",
    "tags",
    "topics",
    "source",
    "document",
    "section",
    "session",
    "tag",
    "topic",
    "thought",
]


class Node(Shape):
    """A place in the outline; its children are nodes as well."""

    id: Text
    kind: NodeKind
    title: Text
    count: int | None = Field(description="Number of its children; null if they were not counted.")
    size: int = Field(description="Thoughts or chunks it is made of; 0 for a source.")
    opening: Text = Field(description="How its text begins, or its title.")
    children: tuple[Node, ...]
    next_offset: int | None = Field(description="Where its children go on.")


class Outline(Shape):
    """A node with what is below it; or, for a name that is not clear, what it may mean."""

    node: Node | None
    candidates: tuple[Node, ...]


class Part(Shape):
    """Characters `start` to `end` of one thought, chunk or document, as it is stored."""

    source: str = Field(
        description="UUID of the thought or chunk; the number of a source's document."
    )
    contributor: Text = Field(description="Who said it; of a source's document, its source.")
    created_at: Time
    start: int
    end: int
    text: Text
    citation: Text = Field(description="`source/path#heading` of a source's document, or empty.")


class Passage(Shape):
    """A page of a node's text; or, for a name that is not clear, what it may mean."""

    node: Node | None
    parts: tuple[Part, ...]
    offset: int
    characters: int = Field(description="Of the whole text.")
    next_offset: int | None = Field(description="Where to go on reading; null at the end.")
    candidates: tuple[Node, ...]

    @property
    def text(self) -> str:
        """The page as one text, a blank line between two sources."""
        return "\n\n".join(part.text for part in self.parts)
