"""Turns: a question that was worked on in phases, what it ended in, and the files it left."""

from __future__ import annotations

import operator
from typing import Literal

from pydantic import Field

from wellworn.client.models.memory import Limit
from wellworn.client.models.shape import Shape, Text, Time, read_from

PhaseName = Literal[
    "analysis",
    "reflection",
    "gathering",
    "planning",
    "coordination",
    "synthesis",
    "validation",
    "saving",
]


class Turn(Shape):
    """A turn as it is listed."""

    id: str
    number: int = Field(description="Counts from 1 for each user.")
    status: Literal["running", "interrupted", "open", "clarify", "done", "failed"]
    query: Text
    resolved_query: Text = Field(description="The query with its references made explicit.")
    topic: Text
    intent: Literal["transactional", "navigation", "informational"]
    engine: Text = Field(
        description="What answered: a model, `extractive` without one, or an agent of its own."
    )
    summary: Text = Field(description="The beginning of the answer, or of the question back.")
    quality: float | None = Field(description="0 to 1: how well it stands in its sources.")
    created_at: Time
    ended_at: Time | None
    follows: int | None = Field(description="Number of the turn that it goes on from.")
    archived_at: Time | None = Field(
        default=None, description="When it was archived; later turns do not look through it."
    )


class ArchivedTurns(Shape):
    """The turns that were archived, or would be."""

    turns: tuple[Turn, ...]
    dry_run: bool


class TurnClaim(Shape):
    """A statement of an answer, and the number of the source that it stands on."""

    text: Text
    evidence: int | None
    confidence: float = Field(description="0 to 1.")
    goal: str


class TurnSource(Shape):
    """A source that an answer cites, in its own words."""

    number: int
    kind: Literal["preference", "fact", "turn", "research", "page", "thought", "knowledge", "tool"]
    title: Text
    text: Text = Field(description="A quote.")
    source: Text = Field(description="Where it stands: a citation, an address or a path.")
    link: Text | None = Field(description="The file among the user's turns that holds it.")
    moment: Time | None = Field(
        description="When it was said or visited; of a document its own date, if it has one."
    )
    seen_at: Time | None = Field(
        default=None,
        exclude_if=operator.not_,
        description="When the source of a document was looked at last.",
    )
    stale: bool = Field(
        validation_alias=read_from("stale", "is_stale"),
        description="It may have changed since, and is not given as current.",
    )


class TurnAnswer(Shape):
    """The answer of a turn, or how far it is."""

    turn: Turn
    text: Text = Field(description="The answer, a question back, or why there is none.")
    claims: tuple[TurnClaim, ...]
    sources: tuple[TurnSource, ...] = Field(validation_alias=read_from("sources", "evidence"))
    missing: tuple[str, ...] = Field(description="Goals for which nothing was found.")
    edited: tuple[Text, ...] = Field(
        description="Sections that people changed in `context.md` since."
    )
    limits: tuple[Limit, ...] = Field(
        default=(),
        exclude_if=operator.not_,
        description="What the words of the query limit it to; absent where to nothing.",
    )


class CitableSources(Shape):
    """Sources in an agent's appended work that can be cited."""

    sources: tuple[TurnSource, ...]


class TurnList(Shape):
    """A page of turns, newest first."""

    turns: tuple[Turn, ...]
    next_before: str | None = Field(description="Brings the next page; null on the last one.")


class TurnFiles(Shape):
    """The files of a turn, by their paths in its folder."""

    turn_id: str
    files: tuple[Text, ...]


class RemovedTurn(Shape):
    """A turn that is gone with its files."""

    removed: str


class IndexedTurns(Shape):
    """The number of turns that were found in the files and indexed again."""

    indexed: int


class TurnPhase(Shape):
    """A phase that begins, in the events of a turn."""

    phase: PhaseName
    attempt: int


class TurnSection(Shape):
    """A section of `context.md` that a phase wrote, in the events of a turn."""

    phase: PhaseName
    attempt: int
    number: int
    title: str
    text: Text


class ResearchDocument(Shape):
    """A turn's reading on the web, stored as `research.md` among its files."""

    id: str
    turn_number: int = Field(description="Of the turn that made it.")
    query: Text
    topic: Text = Field(description="Hierarchical, such as `hamster.syrian_hamster`.")
    intent: Literal["transactional", "navigation", "informational"]
    quality: float = Field(description="0 to 1: how much of the query it speaks of, and sources.")
    scope: Literal["new", "user", "global"]
    status: Literal["active", "stale", "expired", "superseded"]
    created_at: Time
    expires_at: Time | None = Field(description="When its prices and stock may have changed.")
    superseded_by: str | None = Field(description="Id of the document that replaced it.")
    uses: int = Field(description="How many later turns used it.")


class ResearchList(Shape):
    """Research documents, newest first."""

    documents: tuple[ResearchDocument, ...]


class DayOfTurns(Shape):
    """The turns that ended on a day, UTC."""

    day: str
    turns: int
    done: int
    clarify: int
    failed: int
    mean_duration_ms: float
    longest_duration_ms: float
    tool_calls: int
    evidence: int
    revisions: int
    retries: int


class VisitedSite(Shape):
    """The record of visits to a site."""

    site: Text
    visits: int
    failures: int = Field(description="Visits that read nothing.")
    cited: int = Field(description="Visits that an answer cites.")
    reliability: float = Field(description="0 to 1; one half where nothing is known.")
    last_visited_at: Time


class TurnStatistics(Shape):
    """Results of turns, by day, newest first, and by site."""

    days: tuple[DayOfTurns, ...]
    sites: tuple[VisitedSite, ...]
