"""Topics: what a space is about, which topics surge, and what became of them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from wellworn.client.fields import Offset, UpToHundred
from wellworn.client.models import TopicPage, Topics
from wellworn.client.operations import Calls, Operation

TopicId: TypeAlias = Annotated[
    str, Field(pattern="^(topic:)?[0-9a-f]{16}$", description="Id of a topic.")
]


class TopicCalls(Calls):
    """The calls about the topics of a space."""

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
        """Sort the space into topics anew, a large one in the background; return its topics."""
        ...
