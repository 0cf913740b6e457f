"""Topics: what the thoughts of a space are about, and how that changes."""

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
