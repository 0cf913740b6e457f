"""The conversation's request and reply, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wellworn.domain.memory.limits import Limit
from wellworn.domain.thoughts import Overview, RetrievalMethod
from wellworn.domain.thoughts.truth import ANY_TIME, Alike, LinkedThought, TimeScope


class Contribute(StrEnum):
    """Whether a prompt is stored: by the specified rule, or as the interface says."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that an agent sends to memory.

    Attributes:
        include_unverified: find what is held in quarantine as well.
        include_knowledge: show passages of documents after the thoughts.
        replaces, source_ids: ids of thoughts that a stored prompt replaces, or builds on.
        min_relevance: probability, 0 to 1, below which a result is not shown; None for the
            calibrated one.
        scope: which time is asked about; by default what the words say.
        expires_at: from when on what is stored is history, in epoch seconds; None for no end.
    """

    prompt: str
    agent_id: str
    agent_name: str
    context: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    filter_tags: tuple[str, ...] = ()
    match_all_tags: bool = False
    exclude_self: bool = False
    min_score: float | None = None
    limit: int = 10
    retrieval_method: RetrievalMethod | None = None
    explain: bool = False
    contribute: Contribute = Contribute.AUTO
    idempotency_key: str | None = None
    include_unverified: bool = False
    include_knowledge: bool = False
    replaces: tuple[str, ...] = ()
    source_ids: tuple[str, ...] = ()
    scope: TimeScope = ANY_TIME
    min_relevance: float | None = None
    expires_at: float | None = None

    @property
    def names_thoughts(self) -> bool:
        """Whether it replaces thoughts or builds on them."""
        return bool(self.replaces or self.source_ids)

    @property
    def is_to_be_stored(self) -> bool:
        """Whether it says what only a thought has: what it replaces or builds on, or an end."""
        return self.names_thoughts or self.expires_at is not None


@dataclass(frozen=True, slots=True)
class ReplySource:
    """One retrieved thought, or one passage of a document.

    Attributes:
        score: cosine similarity, -1 to 1.
        rank_score: what the order follows, the sum of `why`; only with `explain`, like the rest.
        why: what each reason added.
        thought_id: of a passage `document:` and the number of its document.
        contributor: of a passage the name of its source.
        kind: `thought` or `document`; only where passages were asked for, like `citation`.
        citation: of a passage, such as `mytech/AGENTS.md#servers`.
        replaces, replaced_by: the surest first; None where there are none.
        outdated_at: since when it is not true any more; None while it is.
        expires_at: from when on it is history, due or not; None without an end.
        contested: another member says otherwise, and nobody has confirmed it; None if it is not.
        unconfirmed_until: until when it waits for confirmation; None if it does not.
        rediscovered: how many others found it by themselves; None where nobody is known to have.
        space: the shared space, where it was found there from a project; None otherwise.
        alike: results that say the same in the same words, folded into it; None where none do.
        answers: the probability that it answers, 0 to 1; None where nobody read it.
        span: its words that answer likeliest, if it answers; None where none are named.
    """

    thought_id: str
    contributor: str
    score: float
    content_preview: str
    kind: str | None = None
    citation: str | None = None
    content: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str | None = None
    rank_score: float | None = None
    why: Mapping[str, float] | None = None
    replaces: tuple[LinkedThought, ...] | None = None
    replaced_by: tuple[LinkedThought, ...] | None = None
    outdated_at: str | None = None
    expires_at: str | None = None
    contested: bool | None = None
    unconfirmed_until: str | None = None
    rediscovered: int | None = None
    space: str | None = None
    alike: Alike | None = None
    answers: float | None = None
    span: str | None = None

    @property
    def is_thought(self) -> bool:
        """Tell a thought from a passage of a document."""
        return self.kind != "document"


@dataclass(frozen=True, slots=True)
class Cluster:
    tag: str
    count: int


@dataclass(frozen=True, slots=True)
class Disambiguation:
    total_found: int
    clusters: tuple[Cluster, ...]


@dataclass(frozen=True, slots=True)
class NeededNext:
    """A thought often used after those found; `label` as in `highways_nearby`."""

    thought_id: str
    label: str
    strength: float


@dataclass(frozen=True, slots=True)
class ReplyResult:
    """The answer that the agent needs."""

    response: str
    sources: tuple[ReplySource, ...]
    highways_nearby: tuple[str, ...]
    disambiguation: Disambiguation | None
    guidance: str | None
    limits: tuple[Limit, ...] = ()
    often_needed_next: tuple[NeededNext, ...] = ()
    overview: Overview | None = None


@dataclass(frozen=True, slots=True)
class ReplyTrace:
    """The actions of the system; `contribution` says why the prompt was stored, or why not."""

    session_id: str
    operations: tuple[str, ...]
    thoughts_retrieved: int
    thoughts_contributed: int
    contribution_threshold_met: bool
    context_used: bool
    retrieval_method: str
    thought_id: str | None = None
    contribution: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a prompt; `held_id` is the thought it stored, if that is in quarantine."""

    result: ReplyResult
    trace: ReplyTrace
    held_id: str | None = None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A search by words or by a vector of the caller's, outside the conversation.

    Attributes:
        query_embedding: as many numbers as the encoder makes, not all zero; used instead of
            `query`.
        include_unverified: find what is held in quarantine as well.
        query_id: UUID of the search; repeated under it, it counts once.
    """

    agent_id: str
    session_id: str
    query: str | None = None
    query_embedding: Sequence[float] | None = None
    limit: int = 10
    filter_tags: Sequence[str] = ()
    match_all_tags: bool = False
    exclude_self: bool = False
    min_score: float | None = None
    retrieval_method: RetrievalMethod | None = None
    include_unverified: bool = False
    query_id: str | None = None
    scope: TimeScope = ANY_TIME
