"""Models of an outline: nodes that have children, and texts that are read by the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

DEEPEST = 6
LONGEST_NAME = 500
"""Characters of an id or of a name given instead of one."""
MOST_CANDIDATES = 20
"""Nodes shown of those that a name may mean."""


class NodeKind(StrEnum):
    """The kind of a node; the first seven have no text of their own to be read."""

    SPACE = "space"
    DOCUMENTS = "documents"
    SOURCES = "sources"
    SESSIONS = "sessions"
    TAGS = "tags"
    TOPICS = "topics"
    SOURCE = "source"
    DOCUMENT = "document"
    SECTION = "section"
    SESSION = "session"
    TAG = "tag"
    TOPIC = "topic"
    THOUGHT = "thought"


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the outline.

    Attributes:
        id: stable as long as what it names does not change.
        count: how many children it has, shown or not; None where nobody looked.
        size: of how many thoughts or chunks it is; 0 for a section, which is of parts of them, and
            for a source and its documents, which are of none.
        opening: how its text begins, on one line; of a source's document its title if it has one.
        children: those shown; empty when the depth did not reach them.
        next_offset: where the children go on that are not shown; None when none are left out.
    """

    id: str
    kind: NodeKind
    title: str
    count: int | None = 0
    size: int = 0
    opening: str = ""
    children: tuple[Node, ...] = ()
    next_offset: int | None = None


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """A node with what is below it; or, for a name that fits no node or several, what it may mean.

    Attributes:
        node: None when the name is not clear.
        candidates: to choose from; empty when there is a node.
    """

    node: Node | None
    candidates: tuple[Node, ...] = ()

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts that are shown."""
        nodes = [*filter(None, [self.node]), *self.candidates]
        while nodes:
            node = nodes.pop()
            nodes += node.children
            if node.kind is NodeKind.THOUGHT:
                yield node.id.removeprefix("thought:")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of one thought, chunk or document.

    Attributes:
        source: the id of the thought or chunk, a UUID, or the number of a source's document.
        contributor: who said it; of a document its source.
        start: `content[start:end]` of the source is the text.
        citation: `source/path#anchor` of a document's nearest heading; empty for all else.
    """

    source: str
    contributor: str
    created_at: float
    start: int
    end: int
    text: str
    citation: str = ""


@dataclass(frozen=True, slots=True)
class TextPage:
    """The text of a node, or a page of it.

    Attributes:
        node: None when the name is not clear, as in `Outlined`.
        offset: how many characters of the node's text are before this page.
        characters: of the node's full text.
        next_offset: where to go on; None at the end.
    """

    node: Node | None
    parts: tuple[TextPart, ...] = ()
    offset: int = 0
    characters: int = 0
    next_offset: int | None = None
    candidates: tuple[Node, ...] = ()
