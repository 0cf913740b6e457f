"""Request bodies, as specified."""

from __future__ import annotations

from typing import Annotated, Any, Self

from fastapi import Header
from pydantic import ConfigDict, Field, model_validator

from wellworn.client.fields import (
    WHOLE,
    AgentId,
    Moment,
    Name,
    NewTags,
    Note,
    PromptText,
    RequestBody,
    Tags,
    Uuid,
)
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.thoughts import (
    FeedbackSignal,
    RetrievalMethod,
    ThoughtDraft,
    ThoughtType,
)
from wellworn.domain.thoughts.truth import parse_end, parse_scope

_Limit = Annotated[int, Field(ge=1, le=50), WHOLE]
_Score = Annotated[float, Field(ge=-1, le=1)]
# JSON has no enums: these are strict about the text, not about its Python type.
_Method = Annotated[RetrievalMethod, Field(strict=False)]
_Signal = Annotated[FeedbackSignal, Field(strict=False)]
_Contribute = Annotated[Contribute, Field(strict=False)]
Ids = Annotated[list[Uuid], Field(max_length=100)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern="^[!-~]+$",
        description="Any retry with the same key returns the first answer and counts once.",
    ),
]
_SCOPE = ("as_of", "since", "until", "by", "history")
"""The fields that say which time is asked about, and whose words."""
_ThoughtType = Annotated[ThoughtType, Field(strict=False)]


class MemoryRequest(RequestBody):
    """A prompt that an agent sends to memory."""

    # What replaces or builds on thoughts, or has an end, is stored, no matter who checks it.
    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"contribute": {"enum": ["auto", "always"]}}},
                {
                    "properties": {
                        "replaces": {"maxItems": 0},
                        "source_ids": {"maxItems": 0},
                        "expires_at": {"type": "null"},
                    }
                },
            ]
        }
    )

    prompt: PromptText = Field(description="A question, an insight, a reflection, anything.")
    agent_id: AgentId = Field(description="Who is talking, e.g. agent-dev-002.")
    agent_name: Name = Field(description="The same for people to read, e.g. DEV Agent.")
    context: Note | None = Field(
        default=None, description="What the agent is working on; gives the search its direction."
    )
    session_id: Uuid | None = Field(
        default=None, description="From an earlier answer's trace, to continue that conversation."
    )
    tags: NewTags = Field(
        default=[], description="Topics of what is said; #hashtags count as well."
    )
    filter_tags: Tags = Field(
        default=[], description="Search only thoughts with one of these tags."
    )
    match_all_tags: bool = Field(default=False, description="Require all of `filter_tags`.")
    exclude_self: bool = Field(default=False, description="Leave out the agent's own thoughts.")
    min_score: _Score | None = Field(default=None, description="Least cosine similarity.")
    limit: _Limit = Field(default=10, description="Most results.")
    retrieval_method: _Method | None = Field(
        default=None, description="`hybrid` (default) or `vector`, the specified cosine order."
    )
    explain: bool = Field(
        default=False, description="Add each source's content and the reasons for its rank."
    )
    contribute: _Contribute = Field(
        default=Contribute.AUTO,
        description="Whether to store the prompt: by the contribution rule, always, or never.",
    )
    include_unverified: bool = Field(default=False, description="Also find held thoughts.")
    include_knowledge: bool = Field(
        default=False,
        description="Show passages of the space's documents after the thoughts, with their kind "
        "and citation.",
    )
    replaces: Ids = Field(
        default=[], description="Thoughts that the prompt replaces; it is then stored."
    )
    source_ids: Ids = Field(
        default=[],
        description="Thoughts that the prompt refines (one) or consolidates (several); it is "
        "stored then.",
    )
    expires_at: Moment | None = Field(
        default=None,
        description="From when on what is stored is history; a day counts to its end. The prompt "
        "is then stored.",
    )
    as_of: Moment | None = Field(
        default=None, description="Answer as of this time: nothing said later counts."
    )
    since: Moment | None = Field(default=None, description="Only what was said since this time.")
    until: Moment | None = Field(
        default=None, description="Only what was said up to this time; a day counts to its end."
    )
    by: AgentId | None = Field(default=None, description="Only what this contributor said.")
    history: bool = Field(
        default=False, description="Add to each result what was true before, newest first."
    )
    min_relevance: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="Least probability that a result is relevant to the prompt; 0 shows all. By "
        "default the list ends where relevance ends.",
    )

    def to_prompt(self, idempotency_key: str | None) -> Prompt:
        values: dict[str, Any] = {**self.to_values(), "context": self.context or None}
        scope = parse_scope(**{name: values.pop(name) for name in _SCOPE})
        values["expires_at"] = parse_end(self.expires_at)
        return Prompt(**values, scope=scope, idempotency_key=idempotency_key)


class FeedbackRequest(RequestBody):
    """A judgement on one thought that a session was shown."""

    session_id: Uuid
    thought_id: Uuid
    signal: _Signal = Field(
        description="`useful`, `irrelevant`, `outdated` (not true any more) or `wrong` (never "
        "was); a second signal replaces the first, and `none` takes it back."
    )
    agent_id: AgentId | None = Field(
        default=None, description="Checked against the session's owner."
    )


class EraseRequest(RequestBody):
    """The agent that erases a thought, and why."""

    agent_id: AgentId
    reason: Note | None = None


class ThinkRequest(RequestBody):
    """A thought to be stored."""

    # The schema says what storing checks.
    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"thought_type": {"const": "original"}}},
                {"properties": {"source_ids": {"minItems": 1}}},
            ]
        }
    )

    content: PromptText
    contributor_id: AgentId
    contributor_name: Name
    thought_type: _ThoughtType
    source_ids: Ids
    tags: NewTags
    context_metadata: Note | None = None
    replaces: Ids = Field(default=[], description="Thoughts that this one replaces.")
    expires_at: Moment | None = Field(
        default=None, description="From when on it is history; a day counts to its end."
    )

    def to_draft(self) -> ThoughtDraft:
        values: dict[str, Any] = {**self.to_values(), "expires_at": parse_end(self.expires_at)}
        return ThoughtDraft(**values)


class RetrieveRequest(RequestBody):
    """A search that wears trails: by a vector of the caller's, or by words."""

    # The schema says what the validator below checks.
    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "required": ["query"],
                    "properties": {
                        "query": {"type": "string"},
                        "query_embedding": {"type": "null"},
                    },
                },
                {
                    "required": ["query_embedding"],
                    "properties": {
                        "query": {"type": "null"},
                        "query_embedding": {"type": "array", "contains": {"not": {"const": 0}}},
                    },
                },
            ]
        }
    )

    query_embedding: Annotated[list[float], Field(min_length=1, max_length=8192)] | None = None
    query: PromptText | None = None
    agent_id: AgentId
    session_id: Uuid
    limit: _Limit = 10
    filter_tags: Tags = Field(default=[])
    match_all_tags: bool = False
    exclude_self: bool = False
    min_score: _Score | None = None
    retrieval_method: _Method | None = None
    explain: bool = False
    include_unverified: bool = False

    @model_validator(mode="after")
    def _one_query(self) -> Self:
        if (self.query is None) == (self.query_embedding is None):
            message = "needs either query_embedding or query"
            raise ValueError(message)
        if self.query_embedding is not None and not any(self.query_embedding):
            message = "needs a query_embedding that is not all zero"
            raise ValueError(message)
        return self


class QueryRequest(RequestBody):
    """A look-up of best practices; `intent` and `language` are accepted and not used."""

    query: PromptText
    domain: Name | None = None
    intent: Name | None = None
    language: Name | None = None


class IngestMetadata(RequestBody):
    domain: Name | None = None
    source: Name | None = None


class IngestRequest(RequestBody):
    """A best practice to be stored."""

    content: PromptText
    metadata: IngestMetadata | None = None
