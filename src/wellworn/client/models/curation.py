"""Thoughts that may have had their day, what was done with them, and what became of a memory."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time, read_from

ThoughtState = Literal["unconfirmed", "outdated"]
CurationReason = Literal["expired", "contested", "duplicate", "unneeded"]
CurationAction = Literal["outdated", "end", "merge", "release", "erase"]


class CurationCandidate(Shape):
    """A thought that may have had its day, and how that is known."""

    thought_id: str = Field(validation_alias=read_from("thought_id", "thought.thought_id"))
    contributor: Text = Field(validation_alias=read_from("contributor", "thought.contributor_name"))
    created_at: Time = Field(validation_alias=read_from("created_at", "thought.created_at"))
    content: Text = Field(validation_alias=read_from("content", "thought.content"))
    reason: CurationReason
    evidence: Text = Field(description="How that is known, in words.")
    others: tuple[str, ...] = Field(description="Ids of what it is held against.")
    into: str | None = Field(description="The one to merge it into.")


class CurationCounts(Shape):
    """Counts of thoughts for each reason; null for what was not asked for."""

    expired: int | None = None
    contested: int | None = None
    duplicate: int | None = None
    unneeded: int | None = None


class Curation(Shape):
    """Thoughts that a memory could be tidied of."""

    candidates: tuple[CurationCandidate, ...]
    counts: CurationCounts
    questions: int = Field(
        description="How many were asked in the time; of fewer than 20 nothing is `unneeded`."
    )


class Curated(Shape):
    """Thoughts that were curated, or would be, and how."""

    action: CurationAction
    thought_ids: tuple[str, ...]
    into: str | None
    expires_at: Time | None
    dry_run: bool
    done_at: Time | None = Field(
        default=None, description="When ends were given: `take_back` knows them by it."
    )


class CurationExample(Shape):
    """One of the thoughts that were changed, with its words before it."""

    thought_id: str
    content: Text
    contributor: Text = Field(validation_alias=read_from("contributor", "contributor_name"))
    created_at: Time


class CuratedSelection(Shape):
    """All thoughts that fit a filter, and what was done with them, or would be."""

    done: Curated = Field(description="At most 2,000 at once: call again for the rest.")
    matching: int = Field(description="How many fit.")
    changeable: int = Field(description="How many of them the caller may change.")
    examples: tuple[CurationExample, ...] = Field(description="At most five.")


class TakenBack(Shape):
    """Thoughts that have the end again that they had before, or none."""

    thought_ids: tuple[str, ...]
    dry_run: bool


class DigestLine(Shape):
    """One thing, in words, with the thoughts that it is about."""

    section: Literal["learned", "changed", "converged", "unanswered", "disputed", "unneeded"]
    text: Text
    thought_ids: tuple[str, ...]
    contributor: Text | None


class DigestCounts(Shape):
    """Counts of each section's lines, those that are not shown among them."""

    learned: int
    changed: int
    converged: int = 0
    unanswered: int
    disputed: int
    unneeded: int


class Digest(Shape):
    """The course of a memory from one moment to another, on one screen."""

    since: Time
    until: Time
    lines: tuple[DigestLine, ...]
    counts: DigestCounts
