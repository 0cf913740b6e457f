"""The map of a space: topics as discs, thoughts as points, and what agents did between them."""

from __future__ import annotations

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time


class MapTopic(Shape):
    """A topic as a disc; those inside it are in the list after it."""

    id: str
    title: Text
    parent_id: str | None
    size: int = Field(description="Thoughts in it.")
    x: float
    y: float
    radius: float


class MapPoints(Shape):
    """Thoughts in columns of the same length, in the order in which they were stored."""

    thought_ids: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    weights: tuple[float, ...] = Field(description="Their pheromone.")
    topics: tuple[int, ...] = Field(
        description="The place in `topics` of the smallest that each is in; -1 for none."
    )


class MapEdge(Shape):
    """Two thoughts that were used together, through different questions of one session."""

    thought_id: str
    other_id: str
    sessions: int


class MapStep(Shape):
    """A question of a session, placed between the thoughts that answered it."""

    asked_at: Time
    question: Text
    x: float
    y: float
    thought_ids: tuple[str, ...]


class MemoryMap(Shape):
    """A space as a landscape. Places stay from day to day; one unit is half a thought wide."""

    mark: str = Field(description="Changes when anything moves.")
    thoughts: int = Field(description="How many there are; of more than were asked for, some.")
    is_waiting: bool = Field(description="Whether the topics of a large space are being made.")
    topics: tuple[MapTopic, ...]
    points: MapPoints
    highways: tuple[str, ...] = Field(description="Ids of thoughts that several come back to.")
    edges: tuple[MapEdge, ...] = Field(description="At most 200, the most often used first.")
    path: tuple[MapStep, ...] = Field(description="The questions of a session, in order.")
