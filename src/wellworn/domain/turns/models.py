"""Models of a turn: what each phase decides, as values that the turn's journal stores.

Source: the specification of document IO, sections 3, 5, 6, 10 and 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from wellworn.domain.memory import NO_LIMITS, Limits
from wellworn.kit.clock import format_day

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Phase(StrEnum):
    """The phases of a turn, in their order; each appends one section, the last one saves."""

    ANALYSIS = "analysis"
    REFLECTION = "reflection"
    GATHERING = "gathering"
    PLANNING = "planning"
    COORDINATION = "coordination"
    SYNTHESIS = "synthesis"
    VALIDATION = "validation"
    SAVING = "saving"


class TurnStatus(StrEnum):
    """The state of a turn."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    """Its process died or was stopped; it goes on from its last finished phase."""
    OPEN = "open"
    """An agent of its own works on it: it appends what it does, and closes it."""
    CLARIFY = "clarify"
    """It ended with a question to the user."""
    DONE = "done"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        return self in {TurnStatus.CLARIFY, TurnStatus.DONE, TurnStatus.FAILED}


class QueryType(StrEnum):
    SPECIFIC_CONTENT = "specific_content"
    GENERAL_QUESTION = "general_question"
    FOLLOWUP = "followup"
    NEW_TOPIC = "new_topic"


class Intent(StrEnum):
    """The purpose the system routes by; never what the user prefers, which stays in the query."""

    TRANSACTIONAL = "transactional"
    NAVIGATION = "navigation"
    INFORMATIONAL = "informational"


class ReflectionDecision(StrEnum):
    PROCEED = "PROCEED"
    CLARIFY = "CLARIFY"


class Sufficiency(StrEnum):
    """Whether what was gathered answers the query; the planner routes by it."""

    SUFFICIENT = "SUFFICIENT"
    STALE_RESEARCH = "STALE_RESEARCH"
    NEEDS_RESEARCH = "NEEDS_RESEARCH"
    NEEDS_MORE = "NEEDS_MORE"


class Route(StrEnum):
    COORDINATOR = "coordinator"
    SYNTHESIS = "synthesis"
    CLARIFY = "clarify"


class GoalStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"


class ValidationDecision(StrEnum):
    APPROVE = "APPROVE"
    REVISE = "REVISE"
    RETRY = "RETRY"
    FAIL = "FAIL"


class EvidenceKind(StrEnum):
    """The origin of evidence, in the order in which it is gathered."""

    PREFERENCE = "preference"
    FACT = "fact"
    TURN = "turn"
    PAGE = "page"
    RESEARCH = "research"
    THOUGHT = "thought"
    KNOWLEDGE = "knowledge"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ContentReference:
    """The page or document of an earlier turn that the query speaks of.

    `content_type` is what people call it, such as thread or page; `webpage_cache_path` its folder
    among the user's turns, None where nothing was captured.
    """

    title: str
    content_type: str
    site: str
    source_turn: int
    prior_findings: str = ""
    source_url: str | None = None
    has_webpage_cache: bool = False
    webpage_cache_path: str | None = None


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """The query with its references made explicit (phase 0); `read_as` has a name put right."""

    original_query: str
    resolved_query: str
    was_resolved: bool
    query_type: QueryType
    content_reference: ContentReference | None = None
    reasoning: str = ""
    read_as: str = ""
    limits: Limits = NO_LIMITS

    @classmethod
    def of(cls, query: str) -> QueryAnalysis:
        """Return the analysis of a query that refers to nothing."""
        return cls(query, query, was_resolved=False, query_type=QueryType.GENERAL_QUESTION)


@dataclass(frozen=True, slots=True)
class Reflection:
    """Whether the query is clear enough to go on (phase 1); if not, `question` is asked."""

    decision: ReflectionDecision
    confidence: float
    intent: Intent
    is_followup: bool
    reasoning: str
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that a source says, with where it says it; what an answer may be made of.

    Attributes:
        number: what the turn knows it by, from 1; 0 for what does not answer, which none cites.
        text: the words of the source, never changed.
        source: how the source is cited, such as `notes/servers.md#cube`, a URL or a path.
        link: the file among the user's turns that holds it; None for what stands elsewhere.
        relevance: to the query, 0 to 1; `answers`, if it speaks of it, not of something near it.
        moment: when it was said, visited, or dated; `seen_at`, when its source was looked at last.
        note: what must be said beside its words, such as what replaced them, which is `note_of`.
        value: of its words those that it was asked for, where they were compiled.
        newer_than: ids of thoughts that answer the same, were said before, and may hold no longer.
    """

    number: int
    kind: EvidenceKind
    title: str
    text: str
    source: str
    link: str | None = None
    thought_id: str | None = None
    relevance: float = 0.0
    moment: float | None = None
    is_stale: bool = False
    answers: bool = True
    topic: str = ""
    note: str = ""
    note_of: str | None = None
    seen_at: float | None = None
    value: str = ""
    newer_than: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether it was not searched for, so that nobody has to judge what it is about."""
        return self.relevance >= 1 and self.kind is not EvidenceKind.TOOL

    @property
    def is_of_user(self) -> bool:
        """Whether it is what is known of the user."""
        return self.kind in {EvidenceKind.PREFERENCE, EvidenceKind.FACT}


@dataclass(frozen=True, slots=True)
class GatheredContext:
    """Evidence known before any tool is used (phase 2), but for `left_out` documents too many.

    `freshness_url` is the page to visit where what is cached of it may have changed.
    """

    evidence: tuple[Evidence, ...] = ()
    sufficiency: Sufficiency = Sufficiency.NEEDS_RESEARCH
    freshness_url: str | None = None
    left_out: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """One of the things that a query asks for; `dependencies` are ids of other goals."""

    id: str
    description: str
    status: GoalStatus = GoalStatus.IN_PROGRESS
    dependencies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The plan of what to do and where to go on (phase 3)."""

    goals: tuple[Goal, ...]
    intent: Intent
    subtasks: tuple[str, ...]
    route: Route
    reasoning: str = ""
    question: str | None = None
    previous_failure: str | None = None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call that the coordinator wants to make, for a goal."""

    tool: str
    arguments: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    goal: str = "GOAL_1"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result; a failure is one like any other.

    Attributes:
        message: one sentence; of a failure, why and what to do.
        evidence: numbered when it is recorded.
        expires_h: hours after which it may have changed; None for what does not expire.
        unread: addresses of pages that could not be read.
        is_empty: whether it worked, and found nothing that answers.
    """

    message: str
    evidence: tuple[Evidence, ...] = ()
    expires_h: float | None = None
    is_ok: bool = True
    unread: tuple[str, ...] = ()
    is_empty: bool = False

    @classmethod
    def fail(cls, message: str, *unread: str) -> ToolResult:
        return cls(message, is_ok=False, unread=unread)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that was made and recorded; it is never made again."""

    iteration: int
    request: ToolRequest
    result: ToolResult
    started_at: float
    duration_ms: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class CoordinatorAction:
    """The coordinator's next action: calls, or none when it is done."""

    reasoning: str
    requests: tuple[ToolRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the answer, or of a tool, and the number of the evidence that it stands on.

    Attributes:
        expires_h: hours after which it may have changed; None for what does not expire.
        value: those of its words that answer; empty where nobody names them.
    """

    text: str
    evidence: int | None
    confidence: float = 1.0
    expires_h: float | None = None
    goal: str = "GOAL_1"
    value: str = ""


@dataclass(frozen=True, slots=True)
class Execution:
    """The results of the tools (phase 4); `reasoning` says why no more of them were called."""

    iterations: int
    calls: int
    termination: str
    claims: tuple[Claim, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """The answer as the user reads it (phase 5), and the claims that it makes.

    Attributes:
        missing: ids of the goals for which nothing was found; the text says so.
        cited: numbers of evidence, in the order of the text; None where it cites by them itself.
    """

    text: str
    claims: tuple[Claim, ...] = ()
    missing: tuple[str, ...] = ()
    cited: tuple[int, ...] | None = None

    @property
    def has_answer(self) -> bool:
        """Tell whether it says more than that nothing was found."""
        return bool(self.claims) or not self.missing


@dataclass(frozen=True, slots=True)
class GoalValidation:
    """Whether the answer serves a goal; `quality` is how well its sources say so, 0 to 1."""

    goal: str
    is_addressed: bool
    quality: float
    notes: str


@dataclass(frozen=True, slots=True)
class Validation:
    """Whether the answer may be given (phase 6)."""

    decision: ValidationDecision
    confidence: float
    checks: Mapping[str, bool]
    issues: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    goals: tuple[GoalValidation, ...] = ()


Output = QueryAnalysis | Reflection | GatheredContext | TaskPlan | Execution | Response | Validation


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it is listed.

    Attributes:
        number: counts from 1 for each user.
        engine: what answered, a model's name or `extractive`.
        follows: number of the turn that it was asked to go on from, if any.
        archived_at: when it was moved into the archive, which later turns do not look through.
        has_answer: whether it says more than that nothing was found; None where nobody noted it.
        quality: how well the answer stands in its sources, 0 to 1; None before its validation.
        summary: the beginning of the answer, or the question asked back; if it was given up, why.
    """

    id: str
    user_id: str
    number: int
    status: TurnStatus
    query: str
    resolved_query: str
    topic: str
    intent: Intent
    engine: str
    summary: str
    quality: float | None
    created_at: float
    ended_at: float | None = None
    follows: int | None = None
    archived_at: float | None = None
    has_answer: bool | None = None

    @property
    def is_given_up(self) -> bool:
        """Tell whether it is no longer resumed by itself; its summary says why."""
        return self.status is TurnStatus.INTERRUPTED and bool(self.summary)

    @property
    def folder(self) -> str:
        """The folder of its files, below the user's."""
        if self.archived_at is None:
            return format_folder(self.number)
        return f"archive/{format_day(self.created_at)[:7]}/turn_{self.number:06d}"


def format_folder(number: int) -> str:
    """Return the folder of a turn's files, below the user's: `turns/turn_000815`."""
    return f"turns/turn_{number:06d}"
