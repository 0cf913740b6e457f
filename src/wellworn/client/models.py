"""What the server answers, as frozen values; field names and meanings are those of the HTTP API.

Times are ISO 8601 texts in UTC. A field that only some answers have is None in the others.

Source: thought tracing v0.2.0, sections 3.7, 4.3 and 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wellworn.client.knowledge import (
    Answer,
    Artifact,
    Candidate,
    Claim,
    Compiled,
    Conflict,
    Document,
    DocumentPage,
    Documents,
    Evidence,
    Fact,
    FoundDocument,
    KnowledgeSource,
    Problem,
    Progress,
    Quality,
    SecretTaken,
    Snippet,
    SyncRun,
    Unknown,
)
from wellworn.client.outline_client import Node, Outline, Part, Passage
from wellworn.client.sharing import (
    AuditEntry,
    Credential,
    Invitation,
    Invited,
    Issued,
    Joined,
    Members,
    Membership,
    NewSpace,
    Revoked,
    RolledBack,
    Space,
    Verdict,
)

__all__ = [
    "Access",
    "Accessed",
    "Affirmation",
    "Answer",
    "Artifact",
    "AuditEntry",
    "Candidate",
    "Claim",
    "Cluster",
    "CoRetrieved",
    "Compiled",
    "Conflict",
    "Contributor",
    "Credential",
    "Disambiguation",
    "Document",
    "DocumentPage",
    "Documents",
    "Erased",
    "Evidence",
    "Fact",
    "Feedback",
    "Findings",
    "Found",
    "FoundDocument",
    "Health",
    "HeldThought",
    "Highway",
    "Imported",
    "Invitation",
    "Invited",
    "Issued",
    "Joined",
    "KnowledgeSource",
    "Link",
    "Members",
    "Membership",
    "NeededNext",
    "NewSpace",
    "Node",
    "Outline",
    "Part",
    "Passage",
    "Problem",
    "Progress",
    "Provenance",
    "Quality",
    "Reply",
    "Result",
    "Revoked",
    "RolledBack",
    "SecretTaken",
    "Settled",
    "Snippet",
    "Source",
    "Space",
    "SyncRun",
    "Thought",
    "Trace",
    "Unknown",
    "Verdict",
]


@dataclass(frozen=True, slots=True)
class Source:
    """One recalled thought; `score` is its cosine similarity. From `content` on needs explain."""

    thought_id: str
    contributor: str
    score: float
    content_preview: str
    content: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str | None = None
    rank_score: float | None = None
    why: dict[str, Any] | None = None
    kind: str | None = None
    citation: str | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """One of the areas that an ambiguous question touches."""

    tag: str
    count: int


@dataclass(frozen=True, slots=True)
class Disambiguation:
    """The areas to choose from; answer in the same session with a tag's name."""

    total_found: int
    clusters: tuple[Cluster, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What a call did; `thought_id` is the thought it stored or affirmed."""

    session_id: str
    operations: tuple[str, ...]
    thoughts_retrieved: int
    thoughts_contributed: int
    contribution_threshold_met: bool
    context_used: bool
    retrieval_method: str
    thought_id: str | None = None


@dataclass(frozen=True, slots=True)
class NeededNext:
    """A thought often used after those found, in the same session."""

    thought_id: str
    label: str
    strength: float


@dataclass(frozen=True, slots=True)
class Result:
    """The part of a reply that an agent reads."""

    response: str
    sources: tuple[Source, ...]
    highways_nearby: tuple[str, ...]
    disambiguation: Disambiguation | None = None
    guidance: str | None = None
    often_needed_next: tuple[NeededNext, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to remember, recall and converse."""

    result: Result
    trace: Trace

    @property
    def response(self) -> str:
        """What was found, in words."""
        return self.result.response

    @property
    def sources(self) -> tuple[Source, ...]:
        """What was found, best first."""
        return self.result.sources

    @property
    def session_id(self) -> str:
        """The session to continue, and to give feedback in."""
        return self.trace.session_id

    @property
    def thought_id(self) -> str | None:
        """The thought that this call stored or affirmed."""
        return self.trace.thought_id


@dataclass(frozen=True, slots=True)
class Feedback:
    """A signal that was taken, and the trail it left."""

    thought_id: str
    session_id: str
    signal: str
    pheromone_weight: float


@dataclass(frozen=True, slots=True)
class Access:
    """One retrieval of a thought."""

    user_id: str
    timestamp: str
    session_id: str


@dataclass(frozen=True, slots=True)
class CoRetrieved:
    """A thought that came up together with another, `count` times."""

    thought_id: str
    count: int
    content_preview: str | None = None


@dataclass(frozen=True, slots=True)
class Affirmation:
    """An agent that said the same as a thought that was there already."""

    contributor_id: str
    contributor_name: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class Thought:
    """The whole record of a thought: its newest 100 accesses, its 50 strongest companions."""

    thought_id: str
    contributor_id: str
    contributor_name: str
    content: str
    context_metadata: str | None
    created_at: str
    thought_type: str
    source_ids: tuple[str, ...]
    tags: tuple[str, ...]
    access_count: int
    last_accessed: str | None
    accessed_by: tuple[str, ...]
    access_log: tuple[Access, ...]
    co_retrieved_with: tuple[CoRetrieved, ...]
    pheromone_weight: float
    knowledge_space_id: str
    affirmed_by: tuple[Affirmation, ...] = ()
    erased_at: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A thought in a chain of provenance, with what lies beyond it in the same direction."""

    thought_id: str
    contributor: str
    thought_type: str
    content_preview: str
    created_at: str
    came_from: tuple[Link, ...] = ()
    built_into: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a thought came from and what was built on it."""

    thought_id: str
    came_from: tuple[Link, ...]
    built_into: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Highway:
    """A thought that several agents keep coming back to."""

    thought_id: str
    content_preview: str
    access_count: int
    unique_users: int
    traffic_score: int
    pheromone_weight: float
    tags: tuple[str, ...]
    last_accessed: str | None = None
    use_score: float = 0.0
    co_retrieved: tuple[CoRetrieved, ...] = ()


@dataclass(frozen=True, slots=True)
class Accessed:
    """One of a contributor's most accessed thoughts."""

    thought_id: str
    content_preview: str
    access_count: int


@dataclass(frozen=True, slots=True)
class Contributor:
    """What an agent gave and how much of it was asked for."""

    contributor_id: str
    contributor_name: str
    thoughts_contributed: int
    accesses: int
    most_accessed: tuple[Accessed, ...]


@dataclass(frozen=True, slots=True)
class Erased:
    """A thought whose content is gone; its trace stays."""

    thought_id: str
    erased_at: str


@dataclass(frozen=True, slots=True)
class HeldThought:
    """A thought that reads like an order; `owner` is the member who stored it."""

    thought_id: str
    content: str
    contributor_id: str
    contributor_name: str
    held_since: str
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A result of search, which leaves no trail."""

    thought_id: str
    title: str
    content_preview: str
    contributor: str
    score: float
    created_at: str | None = None
    rank_score: float | None = None
    why: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What search found, best first."""

    results: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """How the parts of the server are; `status` is "ok" or "degraded"."""

    status: str
    version: str
    qdrant: dict[str, Any]
    collections: dict[str, Any]
    database: dict[str, Any]
    embedding: dict[str, Any]
    unindexed: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """How many records were new and how many were there already."""

    imported: int
    known: int


@dataclass(frozen=True, slots=True)
class Settled:
    """How many stored weights were brought up to the present."""

    settled: int
