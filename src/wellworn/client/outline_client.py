"""Browsing a space: its outline, and the text of each place in it.

Source: issue 4, point 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wellworn.client.decode import decode
from wellworn.client.paths import path_of

if TYPE_CHECKING:
    from wellworn.client.wire import Wire


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the outline; `count` is how many children it has, None where nobody looked."""

    id: str
    kind: str
    title: str
    count: int | None
    size: int
    opening: str
    children: tuple[Node, ...]
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class Outline:
    """A node with what is below it; or, for a name that is not clear, what it may mean."""

    node: Node | None
    candidates: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Characters `start` to `end` of a thought or chunk, or of a document with a `citation`."""

    source: str
    contributor: str
    created_at: str
    start: int
    end: int
    text: str
    citation: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A page of a node's text; `next_offset` is where to go on, None at the end."""

    node: Node | None
    parts: tuple[Part, ...]
    offset: int
    characters: int
    next_offset: int | None
    candidates: tuple[Node, ...]

    @property
    def text(self) -> str:
        """The page as one text, a blank line between two sources."""
        return "\n\n".join(part.text for part in self.parts)


class OutlineClient:
    """The calls about the outline of a space."""

    _wire: Wire

    def outline(self, of: str | None = None, *, depth: int = 1, offset: int = 0) -> Outline:
        """Lay out a node, named by its id or by a name, or else the whole space."""
        params: dict[str, str | int] = {"depth": depth, "offset": offset}
        if of is not None:
            params["of"] = of
        return decode(Outline, self._wire.send("GET", path_of("outline"), params=params))

    def read(self, node: str, *, offset: int = 0, limit: int = 4_000) -> Passage:
        """Read a page of a node's text; leaves no trail."""
        params: dict[str, str | int] = {"node": node, "offset": offset, "limit": limit}
        return decode(Passage, self._wire.send("GET", path_of("outline", "read"), params=params))

    def read_all(self, node: str) -> Iterator[Part]:
        """Read the whole text of a node, page by page; nothing when its name is not clear."""
        offset: int | None = 0
        while offset is not None:
            passage = self.read(node, offset=offset, limit=20_000)
            yield from passage.parts
            offset = passage.next_offset
