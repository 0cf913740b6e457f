"""Response bodies, for the OpenAPI document; what is sent is rendered by `rendering`.

Source: thought tracing v0.2.0, sections 3.1, 3.7, 4 and 5.1.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class ErrorBody(BaseModel):
    code: str
    message: str


class ErrorReply(BaseModel):
    """What every failure looks like."""

    error: ErrorBody


class SourceReply(BaseModel):
    """A retrieved thought or passage; the last five fields come with `explain` only."""

    thought_id: str = Field(description="Of a passage: `document:` and its document's number.")
    contributor: str
    score: float = Field(description="Cosine similarity to what was asked.")
    content_preview: str
    kind: str | None = Field(
        default=None, description="`thought` or `document`, with `include_knowledge` only."
    )
    citation: str | None = Field(default=None, description="Of a passage: source/path#anchor.")
    content: str | None = None
    tags: list[str] | None = None
    created_at: str | None = None
    rank_score: float | None = Field(default=None, description="What the order follows.")
    why: dict[str, float] | None = Field(default=None, description="Parts of rank_score.")


class ClusterReply(BaseModel):
    tag: str
    count: int


class DisambiguationReply(BaseModel):
    total_found: int
    clusters: list[ClusterReply]


class NeededNextReply(BaseModel):
    """A thought often used after those found, in the same session."""

    thought_id: str
    label: str
    strength: float


class ResultReply(BaseModel):
    response: str
    sources: list[SourceReply]
    highways_nearby: list[str]
    disambiguation: DisambiguationReply | None
    guidance: str | None
    often_needed_next: list[NeededNextReply] | None = Field(
        default=None, description="Strongest first, at most 5; only where co-use tells something."
    )


Operation = Literal[
    "retrieve",
    "reinforce",
    "contribute",
    "affirm",
    "feedback_implicit",
    "disambiguate",
    "onboard",
]


class TraceReply(BaseModel):
    session_id: str
    operations: list[Operation]
    thoughts_retrieved: int
    thoughts_contributed: int
    contribution_threshold_met: bool
    context_used: bool
    retrieval_method: Literal["vector", "hybrid", "highways", "outline"]
    thought_id: str | None = Field(description="The thought this call stored or affirmed.")


class MemoryReply(BaseModel):
    """What the agent needs, and what the system did."""

    result: ResultReply
    trace: TraceReply


class FeedbackReply(BaseModel):
    session_id: str
    thought_id: str
    signal: Literal["useful", "irrelevant"]
    pheromone_weight: float


class AccessLogReply(BaseModel):
    user_id: str
    timestamp: str
    session_id: str


class CompanionReply(BaseModel):
    thought_id: str
    count: int


class AffirmationReply(BaseModel):
    contributor_id: str
    contributor_name: str
    timestamp: str


class RecordReply(BaseModel):
    """A thought with its whole trace."""

    thought_id: str
    contributor_id: str
    contributor_name: str
    content: str
    context_metadata: str | None
    created_at: str
    thought_type: Literal["original", "refinement", "consolidation"]
    source_ids: list[str]
    tags: list[str]
    access_count: int
    last_accessed: str | None
    accessed_by: list[str]
    access_log: list[AccessLogReply]
    co_retrieved_with: list[CompanionReply]
    pheromone_weight: float
    knowledge_space_id: str
    affirmed_by: list[AffirmationReply]
    kind: Literal["thought", "turn"]
    session: str | None
    position: int | None
    erased_at: str | None


class OriginReply(BaseModel):
    """One step of provenance; the chain goes on in `came_from` or `built_into`."""

    thought_id: str
    contributor: str
    thought_type: Literal["original", "refinement", "consolidation"]
    content_preview: str
    created_at: str
    came_from: list[OriginReply] | None = None
    built_into: list[OriginReply] | None = None


class ProvenanceReply(BaseModel):
    thought_id: str
    came_from: list[OriginReply]
    built_into: list[OriginReply]


class ErasureReply(BaseModel):
    thought_id: str
    erased_at: str


class MostAccessedReply(BaseModel):
    thought_id: str
    content_preview: str
    access_count: int


class ContributorReply(BaseModel):
    contributor_id: str
    contributor_name: str
    thoughts_contributed: int
    accesses: int
    most_accessed: list[MostAccessedReply]


class LookedUpReply(BaseModel):
    thought_id: str
    title: str
    content_preview: str
    contributor: str
    created_at: str
    score: float
    rank_score: float
    why: dict[str, float]


class HeldThoughtReply(BaseModel):
    thought_id: str
    content: str
    contributor_id: str
    contributor_name: str
    owner: str | None = Field(description="The member who stored it.")
    held_since: str


class HeldReply(BaseModel):
    held: list[HeldThoughtReply]


class ReleasedReply(BaseModel):
    released: str


class SearchReply(BaseModel):
    results: list[LookedUpReply]


class ThinkReply(BaseModel):
    thought_id: str
    pheromone_weight: float


class FoundReply(BaseModel):
    thought_id: str
    content: str
    contributor_name: str
    score: float
    pheromone_weight: float
    tags: list[str]
    rank_score: float | None = None
    why: dict[str, float] | None = None


class NamedCompanionReply(CompanionReply):
    content_preview: str


class HighwayReply(BaseModel):
    thought_id: str
    content_preview: str
    access_count: int
    unique_users: int
    traffic_score: int
    pheromone_weight: float
    tags: list[str]
    last_accessed: str | None
    use_score: float
    co_retrieved: list[NamedCompanionReply]


class PracticeReply(BaseModel):
    id: str
    score: float
    content: str
    domain: str
    source: str
    file_path: str
    file_name: str
    chunk_index: int
    total_chunks: int
    timestamp: str


class QueryReply(BaseModel):
    query: str
    count: int
    results: list[PracticeReply]


class IngestReply(BaseModel):
    id: str
    status: Literal["ingested", "known"]


class ImportReply(BaseModel):
    imported: int
    known: int


class DecayReply(BaseModel):
    settled: int


class PointsReply(BaseModel):
    points: int


class CollectionsReply(BaseModel):
    thought_space: PointsReply
    best_practices: PointsReply


class PartReply(BaseModel):
    status: Literal["ok", "error"]


class ModelReply(PartReply):
    model: str


class HealthReply(BaseModel):
    status: Literal["ok", "degraded"]
    version: str
    qdrant: PartReply
    database: PartReply
    embedding: ModelReply
    collections: CollectionsReply
    unindexed: int = Field(description="Thoughts and chunks still to be indexed after a repair.")


class EndpointReply(BaseModel):
    method: str
    path: str
    description: str


class DiscoveryReply(BaseModel):
    name: str
    version: str
    endpoints: list[EndpointReply]


class AliveReply(BaseModel):
    status: Literal["ok"]
    name: Literal["wellworn"]
    version: str
