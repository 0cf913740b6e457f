"""Browsing a space: its outline, and the text of each place in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, TypeAlias

from pydantic import Field

from wellworn.client.fields import NodeName, Offset
from wellworn.client.models import Outline, Part, Passage
from wellworn.client.operations import Calls, Operation
from wellworn.client.twins import wrap_stream

_LONGEST_PAGE = 20_000

Node: TypeAlias = Annotated[NodeName, Field(description="Id of a node, or a name.")]


class OutlineCalls(Calls):
    """The calls that browse a space."""

    @Operation("GET /api/v1/outline")
    def outline(
        self,
        of: NodeName | None = None,
        *,
        depth: Annotated[int, Field(ge=0, le=6)] = 1,
        offset: Offset = 0,
    ) -> Outline:
        """Return a node of the outline and its children; without `of`, the root of the space.

        Args:
            of: Id of a node, or a name.
            depth: Levels below the node.

        Example:
            memory.outline("tag:deploy", depth=2).node.children
        """
        ...

    @Operation("GET /api/v1/outline/read")
    def read(
        self,
        node: Node,
        *,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=_LONGEST_PAGE)] = 4_000,
    ) -> Passage:
        """Return a page of the text that a node stands for, each passage with its source.

        Args:
            limit: Most characters.

        Example:
            memory.read("runbook.md").text
        """
        ...

    @wrap_stream
    async def read_all(self, node: str) -> AsyncGenerator[Part]:
        """Read the whole text of a node, page by page; nothing when its name is not clear."""
        offset: int | None = 0
        while offset is not None:
            passage = await OutlineCalls.read(self, node, offset=offset, limit=_LONGEST_PAGE)
            for part in passage.parts:
                yield part
            offset = passage.next_offset
