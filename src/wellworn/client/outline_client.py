"""Browsing a space: its outline, the text of each place in it, and what was said when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wellworn.client.decode import decode
from wellworn.client.models import Outline, Part, Passage, ThoughtList
from wellworn.client.paths import path_of

if TYPE_CHECKING:
    from wellworn.client.wire import Connection


class OutlineClient:
    """The calls that browse a space."""

    _wire: Connection

    def outline(self, of: str | None = None, *, depth: int = 1, offset: int = 0) -> Outline:
        """Lay out a node, named by its id or by a name, or else the whole space."""
        params: dict[str, str | int] = {"depth": depth, "offset": offset}
        if of is not None:
            params["of"] = of
        return decode(Outline, self._wire.send("GET", path_of("outline"), params=params))

    def list_thoughts(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        by: str | None = None,
        tag: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> ThoughtList:
        """List what was said, newest first; `next_cursor` brings the next page."""
        params = {"since": since, "until": until, "by": by, "tag": tag, "cursor": cursor}
        named = {name: value for name, value in params.items() if value is not None}
        answer = self._wire.send("GET", path_of("thoughts"), params={**named, "limit": limit})
        return decode(ThoughtList, answer)

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
