"""Sleep: what several thoughts say alike, brought together in titled quotes."""

from __future__ import annotations

import operator
from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time
from wellworn.client.models.topics import TopicThought


class OverviewClaim(Shape):
    """A sentence of a language model; all it names and counts stands in its sources."""

    text: Text
    source_ids: tuple[str, ...]


class Overview(Shape):
    """What several thoughts say, in the words of those that stand for them and are true now."""

    id: str = Field(
        description="Stays the same as long as most of its sources do; empty in a dry run."
    )
    thought_type: Literal["consolidation"] = "consolidation"
    version: int = Field(description="How often it was made anew.")
    made_at: Time
    topic_id: str
    title: Text = Field(description="Up to three words that tell it from the rest of the space.")
    quotes: tuple[TopicThought, ...] = Field(description="Two or three, the most central first.")
    source_ids: tuple[str, ...] = Field(
        description="Thoughts that it was made of, those of the quotes first; at most 20."
    )
    size: int = Field(description="How many thoughts it was made of.")
    claims: tuple[OverviewClaim, ...] = Field(
        default=(),
        exclude_if=operator.not_,
        description="What a language model says of it, where the settings name one; absent "
        "without, and where it said anything that its sources do not bear out.",
    )


class Rest(Shape):
    """What a sleep did, or would do, to the consolidations of a space."""

    slept_at: Time | None = Field(description="When the space slept last.")
    made: int = Field(description="Consolidations that are new.")
    renewed: int = Field(description="Those of which sources came or went.")
    kept: int = Field(description="Those that stayed as they were.")
    removed: int = Field(description="Those that are no more.")
    is_waiting: bool = Field(description="A large space sleeps in the background; look again.")
    dry_run: bool = Field(description="Nothing was changed.")
    overviews: tuple[Overview, ...] = Field(description="The largest first.")
