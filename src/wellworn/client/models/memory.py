"""The conversation: what `POST /api/v1/memory` answers."""

from __future__ import annotations

import operator
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from wellworn.client.models.shape import Shape, Text, Time, Weight, omit_if_none
from wellworn.client.models.sleep import Overview
from wellworn.client.models.thoughts import Alike, Replacement

_EXPLAINED = ("content", "tags", "created_at", "rank_score", "why")


Signal = Literal["useful", "irrelevant", "outdated", "wrong", "none"]
ContributionReason = Literal[
    "always",
    "never",
    "statement",
    "question",
    "follow_up",
    "order",
    "small_talk",
    "log",
    "says_little",
]


class Source(Shape):
    """A retrieved thought or passage; the last five fields come with `explain` only."""

    thought_id: str = Field(description="Of a passage: `document:` and its document's number.")
    contributor: Text
    score: float = Field(description="Cosine similarity to what was asked.")
    content_preview: Text
    kind: str | None = Field(
        default=None, description="`thought` or `document`, with `include_knowledge` only."
    )
    citation: Text | None = Field(
        default=None, description="Of a passage: source/path#anchor; with `kind` only."
    )
    content: Text | None = None
    tags: tuple[Text, ...] | None = None
    created_at: Time | None = None
    rank_score: float | None = Field(default=None, description="What the order follows.")
    why: dict[str, float] | None = Field(default=None, description="Parts of rank_score.")
    replaces: tuple[Replacement, ...] | None = omit_if_none(
        description="What it replaces, the surest first."
    )
    replaced_by: tuple[Replacement, ...] | None = omit_if_none(
        description="What replaces it, the surest first."
    )
    outdated_at: Time | None = omit_if_none(description="Since when it is not true any more.")
    expires_at: Time | None = omit_if_none(
        description="From when on it is history, as it was said."
    )
    contested: bool | None = omit_if_none(
        description="Another member says otherwise, and nobody has confirmed it."
    )
    unconfirmed_until: Time | None = omit_if_none(
        description="Until when it waits for another member to confirm it."
    )
    rediscovered: int | None = omit_if_none(
        description="How many others said the same whom no door of the memory had shown it to."
    )
    space: str | None = omit_if_none(
        description="`ks-default`, where a project's question found it there."
    )
    alike: Alike | None = omit_if_none(description="What was folded into it.")
    answers: float | None = omit_if_none(
        description="The probability that it answers, as a reader says; for the first five."
    )
    span: Text | None = omit_if_none(
        description="Its words that answer likeliest, if it answers at all."
    )

    @model_serializer(mode="wrap")
    def _leave_out(self, serialise: SerializerFunctionWrapHandler):  # noqa: ANN202 - keeps the schema
        fields: dict[str, Any] = serialise(self)
        unexplained = _EXPLAINED if self.why is None else ()
        left_out = unexplained + (() if self.kind else ("kind", "citation"))
        return {name: value for name, value in fields.items() if name not in left_out}


class Cluster(Shape):
    """One of the areas that an ambiguous question touches."""

    tag: Text
    count: int


class Limit(Shape):
    """A limit of a question, to whose words or which time, and whether the answer keeps to it."""

    kind: Literal["person", "time"]
    words: Text = Field(description="Of the question.")
    state: Literal["kept", "preferred", "missed", "nobody", "unknown"] = Field(
        description="`kept`: nothing is shown beyond it. `preferred`: what is within it comes "
        "first. `missed`: nothing close is within it, so what is shown is beyond it. `nobody`: "
        "nobody of that name has said anything. `unknown`: not understood, so it leaves nothing "
        "out."
    )
    since: Time | None = Field(default=None, exclude_if=operator.not_, description="Its time.")
    until: Time | None = Field(default=None, exclude_if=operator.not_)


class Disambiguation(Shape):
    """The areas to choose from; answer in the same session with a tag's name."""

    total_found: int
    clusters: tuple[Cluster, ...]


class NeededNext(Shape):
    """A thought often used after those found, in the same session."""

    thought_id: str
    label: Text
    strength: float


class Result(Shape):
    """The part of a reply that an agent reads."""

    response: Text
    sources: tuple[Source, ...]
    highways_nearby: tuple[Text, ...]
    disambiguation: Disambiguation | None
    guidance: Text | None
    limits: tuple[Limit, ...] = Field(
        default=(),
        exclude_if=operator.not_,
        description="What the words of the question limit it to; absent where to nothing.",
    )
    often_needed_next: tuple[NeededNext, ...] = Field(
        default=(),
        exclude_if=lambda needed: not needed,
        description="Strongest first, at most 5; only where co-use proved to help.",
    )
    overview: Overview | None = omit_if_none(
        description="What several of the results say with others that say it, as quotes."
    )


Operation = Literal[
    "retrieve",
    "reinforce",
    "contribute",
    "affirm",
    "quarantine",
    "feedback_implicit",
    "disambiguate",
    "onboard",
    "create_project",
]


class Trace(Shape):
    """The actions of a call."""

    session_id: str
    operations: tuple[Operation, ...]
    thoughts_retrieved: int
    thoughts_contributed: int
    contribution_threshold_met: bool
    context_used: bool
    retrieval_method: Literal["vector", "hybrid", "highways", "outline", "timeline", "courtesy"]
    thought_id: str | None = Field(description="The thought that this call stored or affirmed.")
    contribution: ContributionReason | None = omit_if_none(
        description="Why the prompt was stored, as `statement`, or why not."
    )


class Reply(Shape):
    """The answer to an agent, and what the system did."""

    result: Result
    trace: Trace

    @property
    def response(self) -> str:
        """The answer in words."""
        return self.result.response

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources of the answer, best first."""
        return self.result.sources

    @property
    def session_id(self) -> str:
        """The session to continue, and to give feedback in."""
        return self.trace.session_id

    @property
    def thought_id(self) -> str | None:
        """The thought that this call stored or affirmed."""
        return self.trace.thought_id


class Feedback(Shape):
    """A signal that was stored, and the trail it left."""

    session_id: str
    thought_id: str
    signal: Signal
    pheromone_weight: Weight
