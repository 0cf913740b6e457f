"""Browsing a space: its outline, the text of each place in it, and its topics."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, TypeAlias

from pydantic import Field

from wellworn.client.fields import NodeName, Offset, TopicId, UpToHundred, Uuid
from wellworn.client.models import MemoryMap, Outline, Part, Passage, TopicPage, Topics
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

    @Operation("GET /api/v1/map", failures=(400, 404))
    def map(
        self,
        *,
        session_id: Uuid | None = None,
        limit: Annotated[int, Field(ge=1, le=20_000)] = 2_000,
    ) -> MemoryMap:
        """Return where the thoughts of a space lie by what they are about, and how worn they are.

        Topics are discs, and stay where they are from day to day; a thought lies in its topic, a
        new one where those like it are. What is erased, held or not true any more is not on it.
        Leaves no trail.

        Args:
            session_id: Also the path of this session, of which you may know.
            limit: Most thoughts; of more, some evenly.

        Example:
            [(topic.title, topic.x, topic.y) for topic in memory.map().topics]
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

    @Operation("GET /api/v1/topics", failures=(400,))
    def topics(
        self,
        *,
        depth: Annotated[int, Field(ge=1, le=4)] = 1,
        surging: bool = False,
        offset: Offset = 0,
        limit: UpToHundred = 50,
    ) -> Topics:
        """Return the topics of the space, the largest first, with how much is said and asked.

        Args:
            depth: Levels of topics inside one another.
            surging: Only topics of which more is said or asked than usual, at any level.
            limit: Most topics of the first level.

        Example:
            [topic.title for topic in memory.topics(surging=True).topics]
        """
        ...

    @Operation("GET /api/v1/topics/{topic_id}")
    def topic(self, topic_id: TopicId, *, offset: Offset = 0, limit: UpToHundred = 20) -> TopicPage:
        """Return a topic with its thoughts; of one that went into another, that other.

        Args:
            limit: Most thoughts.

        Example:
            memory.topic(memory.topics().topics[0].id).thoughts
        """
        ...

    @Operation("POST /api/v1/topics", failures=())
    def sort_topics(self) -> Topics:
        """Sort the space into topics again, a large one in the background; return its topics."""
        ...
