"""Response bodies of the outline, for the OpenAPI document, and how its values become them.

Source: issue 4, point 6.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from wellworn.domain.outline import Node, Outlined, Part, Passage
from wellworn.engines.safety import neutralised
from wellworn.kit.clock import iso


class NodeReply(BaseModel):
    """A place in the outline; its children are nodes as well."""

    id: str
    kind: Literal[
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
    title: str
    count: int | None = Field(description="Children it has; null where nobody looked.")
    size: int = Field(description="Thoughts or chunks it is made of; 0 for a source.")
    opening: str = Field(description="How its text begins, or its title.")
    children: list[NodeReply]
    next_offset: int | None = Field(description="Where its children go on.")


class OutlineReply(BaseModel):
    """A node; or what a name may mean that is not clear."""

    node: NodeReply | None
    candidates: list[NodeReply]


class PartReply(BaseModel):
    """Characters `start` to `end` of one thought, chunk or document, as it is stored."""

    source: str = Field(
        description="UUID of the thought or chunk; the number of a source's document."
    )
    contributor: str = Field(description="Who said it; of a source's document, its source.")
    created_at: str
    start: int
    end: int
    text: str
    citation: str = Field(description="`source/path#heading` of a source's document, or empty.")


class PassageReply(BaseModel):
    """A page of a node's text; or what a name may mean that is not clear."""

    node: NodeReply | None
    parts: list[PartReply]
    offset: int
    characters: int = Field(description="Of the whole text.")
    next_offset: int | None = Field(description="Where to go on reading.")
    candidates: list[NodeReply]


def outlined(value: Outlined) -> dict[str, Any]:
    return {
        "node": None if value.node is None else node(value.node),
        "candidates": [node(one) for one in value.candidates],
    }


def passage(value: Passage) -> dict[str, Any]:
    return {
        "node": None if value.node is None else node(value.node),
        "parts": [_part(one) for one in value.parts],
        "offset": value.offset,
        "characters": value.characters,
        "next_offset": value.next_offset,
        "candidates": [node(one) for one in value.candidates],
    }


def node(value: Node) -> dict[str, Any]:
    return {
        "id": neutralised(value.id),
        "kind": value.kind.value,
        "title": neutralised(value.title),
        "count": value.count,
        "size": value.size,
        "opening": neutralised(value.opening),
        "children": [node(one) for one in value.children],
        "next_offset": value.next_offset,
    }


def _part(value: Part) -> dict[str, Any]:
    return {
        "source": value.source,
        "contributor": neutralised(value.contributor),
        "created_at": iso(value.created_at),
        "start": value.start,
        "end": value.end,
        "text": neutralised(value.text),
        "citation": neutralised(value.citation),
    }
