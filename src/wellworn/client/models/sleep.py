"""Sleep: what several thoughts say alike, brought together in titled quotes."""

from __future__ import annotations

import operator
from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time, read_from
from wellworn.client.models.topics import TopicThought


class OverviewClaim(Shape):
    """A sentence of a language model; all it names and counts stands in its sources."""

    text: Text
    source_ids: tuple[str, ...]


class OverviewChange(Shape):
    """What a version of an overview changed in its sources."""

    version: int
    made_at: Time = Field(description="When it superseded the version before.")
    came: int = Field(description="How many sources came.")
    went: int = Field(description="How many went: replaced, outdated, erased, held or elsewhere.")
    came_ids: tuple[str, ...] = Field(description="Of those that may be read, at most 20.")
    went_ids: tuple[str, ...] = Field(description="Of those that may be read, at most 20.")


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
    changes: tuple[OverviewChange, ...] = Field(
        default=(),
        exclude_if=operator.not_,
        description="What its last ten versions changed, the newest first; absent of a first "
        "version, and beside answers.",
    )


class BridgeEnd(Shape):
    """A topic at one end of a bridge, as it is now."""

    topic_id: str
    title: Text = Field(description="Up to three words that tell it from the rest of the space.")
    size: int = Field(description="How many thoughts are in it.")
    central: TopicThought | None


class Bridge(Shape):
    """Two topics that lie far apart, and that sessions needed together all the same."""

    id: str = Field(validation_alias=read_from("id", "kept.id"))
    ends: tuple[BridgeEnd, ...] = Field(description="Both topics.")
    sessions: int = Field(
        validation_alias=read_from("sessions", "kept.sessions"),
        description="How many used something of both, through different questions.",
    )
    users: int = Field(
        validation_alias=read_from("users", "kept.users"), description="How many users' they are."
    )
    expected: float = Field(
        validation_alias=read_from("expected", "kept.expected"),
        description="How many would by chance, as the log dealt anew has it.",
    )
    p: float = Field(
        validation_alias=read_from("p", "kept.p"),
        description="How probable at least so many are by chance.",
    )
    found_at: Time = Field(validation_alias=read_from("found_at", "kept.found_at"))
    last_found_at: Time = Field(validation_alias=read_from("last_found_at", "kept.last_found_at"))
    taken_at: Time | None = Field(
        validation_alias=read_from("taken_at", "kept.decided_at"),
        description="When an admin took it; null while it is a proposal.",
    )
    expires_at: Time | None = Field(
        description="When it is gone if it is not found again; null for what was taken."
    )


class Bridges(Shape):
    """Bridges between topics, the surest first."""

    bridges: tuple[Bridge, ...]
    slept_at: Time | None = Field(description="When they were last looked for.")


class Rest(Shape):
    """What a sleep did, or would do, to the consolidations of a space."""

    slept_at: Time | None = Field(description="When the space slept last.")
    made: int = Field(description="Consolidations that are new.")
    renewed: int = Field(description="Those of which sources came or went.")
    kept: int = Field(description="Those that stayed as they were.")
    removed: int = Field(description="Those that are no more.")
    bridges: int = Field(description="Bridges between topics, proposed or taken.")
    is_waiting: bool = Field(description="A large space sleeps in the background; look again.")
    dry_run: bool = Field(description="Nothing was changed.")
    overviews: tuple[Overview, ...] = Field(description="The largest first.")
