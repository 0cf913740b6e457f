"""Topics: what the thoughts of a space are about, how that changes, and where they lie on a map."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time, read_from

Course = Literal["surging", "steady", "fading", "unknown"]


class TopicTrend(Shape):
    """The activity on a topic: in the last two days, and in the thirty before."""

    recent: int = Field(description="Events of the last two days.")
    before: int = Field(description="Events of the days before, at most thirty.")
    expected: float | None = Field(
        description="What two days usually bring; null before there are seven days to tell by."
    )
    p: float | None = Field(
        description="How probable a count so far from what is usual is by chance."
    )
    course: Course = Field(
        description="`surging` or `fading` beyond chance, all topics considered; `unknown` before "
        "there are seven days to tell by."
    )


class TopicThought(Shape):
    """A thought of a topic."""

    thought_id: str
    contributor: Text
    created_at: Time
    content_preview: Text = Field(validation_alias=read_from("content_preview", "text"))


class TopicName(Shape):
    """A topic by its id and title."""

    id: str
    title: Text


class Topic(Shape):
    """A topic of some thoughts; its children are topics as well."""

    id: str = Field(description="Stays the same as long as most of its thoughts are together.")
    title: Text = Field(description="Up to three words that tell it from the rest of the space.")
    size: int = Field(description="Thoughts in it and in the topics inside.")
    central: TopicThought | None = Field(description="Its most central thought.")
    said: TopicTrend = Field(description="Thoughts that were said.")
    contributors: int = Field(description="Who said those of the last two days, how many.")
    asked: TopicTrend = Field(description="Questions whose first result is in it.")
    first_made_at: Time
    count: int = Field(description="Topics inside, listed or not.")
    children: tuple[Topic, ...] = Field(description="Topics inside, the largest first.")


class TopicChange(Shape):
    """A change of a topic when topics were made again."""

    kind: Literal["split", "merged", "ended"] = Field(
        description="`split`: it is new and came out of `other_id`. `merged`: it went into "
        "`other_id`. `ended`: no other topic has most of its thoughts."
    )
    topic_id: str
    other_id: str | None
    shared: int = Field(description="Thoughts that both have.")
    changed_at: Time


class Topics(Shape):
    """The topics of a space, the largest first."""

    topics: tuple[Topic, ...]
    thoughts: int = Field(description="Thoughts of the space that may be in topics.")
    in_topics: int = Field(description="How many of them are.")
    made_at: Time | None = Field(description="When the topics were last kept.")
    is_waiting: bool = Field(description="A large space is sorted in the background; look again.")
    said_since: Time | None = Field(description="Since when there is something said to tell by.")
    asked_since: Time | None = Field(description="Since when there are questions to tell by.")
    next_offset: int | None = Field(description="Where the list goes on; null at its end.")
    changes: tuple[TopicChange, ...] = Field(description="What changed last, the newest first.")


class TopicPassage(Shape):
    """A passage of a document that has to do with a topic's most central thought."""

    citation: Text
    document_id: int
    content_preview: Text
    score: float = Field(description="Cosine similarity to the thought, -1 to 1.")


class TopicPage(Shape):
    """A topic with a page of its thoughts, the most central first."""

    topic: Topic
    path: tuple[TopicName, ...] = Field(description="The topics that it is inside of.")
    thoughts: tuple[TopicThought, ...]
    next_offset: int | None = Field(description="Where its thoughts go on; null at the end.")
    documents: tuple[TopicPassage, ...] = Field(
        description="Passages of documents about the same, that the caller may read; with the "
        "first page."
    )
    changes: tuple[TopicChange, ...] = Field(description="What became of it, the newest first.")


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
