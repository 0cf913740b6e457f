"""Browsing a space: its outline, the text of each place in it, and what was said when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.client.models import Outline, Part, Passage, ThoughtList
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_call, wrap_stream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from wellworn.client.wire import Connection


class OutlineClient:
    """The calls that browse a space."""

    _wire: Connection

    @wrap_call
    async def outline(self, of: str | None = None, *, depth: int = 1, offset: int = 0) -> Outline:
        """Lay out a node, named by its id or by a name, or else the whole space."""
        path = path_of("outline")
        return await self._wire.get(Outline, path, of=of, depth=depth, offset=offset)

    @wrap_call
    async def list_thoughts(
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
        return await self._wire.get(ThoughtList, path_of("thoughts"), limit=limit, **params)

    @wrap_call
    async def read(self, node: str, *, offset: int = 0, limit: int = 4_000) -> Passage:
        """Read a page of a node's text; leaves no trail."""
        return await self._read_page(node, offset, limit)

    @wrap_stream
    async def read_all(self, node: str) -> AsyncGenerator[Part]:
        """Read the whole text of a node, page by page; nothing when its name is not clear."""
        offset: int | None = 0
        while offset is not None:
            passage = await self._read_page(node, offset, 20_000)
            for part in passage.parts:
                yield part
            offset = passage.next_offset

    async def _read_page(self, node: str, offset: int, limit: int) -> Passage:
        path = path_of("outline", "read")
        return await self._wire.get(Passage, path, node=node, offset=offset, limit=limit)
