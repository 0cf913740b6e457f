"""The answers of knowledge: values with the spans they stand in, a question, or "unknown"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from wellworn.domain.sources import format_citation

BOTH: Final = "both"
"""A decision that two values are of two things."""


class ResolutionOutcome(StrEnum):
    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"
    NOT_STATED = "not_stated"
    """The thing is known, the value that is asked for is not."""
    UNKNOWN = "unknown"


class ResolverStep(StrEnum):
    """The step of the resolver protocol that answered."""

    HOT_TERMS = "hot_terms"
    ALIASES = "learned_aliases"
    FACTS = "facts"
    SEARCH = "search"
    NOTHING = "nothing"


class ArtifactName(StrEnum):
    """The discovery layer, as agents read it: virtual files."""

    CATALOG = "catalog.md"
    HOT_TERMS = "hot_terms.md"
    TREE_SUMMARIES = "tree_summaries.md"
    UNKNOWNS = "unknowns.md"
    ALIASES = "aliases.learned.json"


@dataclass(frozen=True, slots=True)
class QuotedSpan:
    """A stretch of a document: `document_text[start:end] == text`.

    Attributes:
        title: the document's.
        is_past: whether the document says that it holds no longer, or has a later copy.
        committed_at: when a commit changed the document last, in epoch seconds, if that is known.
        table_head: the head of the table, with its rule, whose rows it begins with; else empty.
        dated_at: the document's own date, in epoch seconds; None where nothing says it.
        fetched_at: when its source was looked at last.
        encoding_note: why its characters may be others; empty where nothing was guessed.
        is_stale: whether its source has it no more.
    """

    document_id: int
    source: str
    path: str
    anchor: str
    text: str
    start: int
    end: int
    title: str = ""
    is_past: bool = False
    committed_at: float | None = None
    table_head: str = ""
    dated_at: float | None = None
    fetched_at: float | None = None
    encoding_note: str = ""
    is_stale: bool = False

    @property
    def is_old(self) -> bool:
        """Whether its document holds no longer, or its source has it no more."""
        return self.is_past or self.is_stale

    @property
    def citation(self) -> str:
        """Return `source/path#anchor`."""
        return format_citation(self.source, self.path, self.anchor)


@dataclass(frozen=True, slots=True)
class Value:
    """A derived fact: `evidence.text` has the value at `start - evidence.start`.

    Attributes:
        fact_type: hostname, ip, endpoint, …
        attribute: what the document calls it, such as `Endpoint`; may be empty.
        derived_by: the compiler that found it.
    """

    term: str
    fact_type: str
    attribute: str
    value: str
    start: int
    end: int
    confidence: float
    derived_by: str
    derived_at: float
    evidence: QuotedSpan


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """Something that an ambiguous term may mean."""

    label: str
    citation: str
    summary: str


class ChoiceKind(StrEnum):
    """A reason to choose among several things or values of one name."""

    CONTEXT = "context"
    """Words of the question or of its context."""
    PROJECT = "project"
    """The name of the project that is asked from."""
    DECISION = "decision"
    """A choice by what somebody taught or decided."""
    NEWEST = "newest"
    """The others are of the past."""
    STATED = "stated"
    """It alone has what is asked, or more than a heading."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The reason why one of several was chosen, and what else was possible.

    Attributes:
        words: those of the context, the project, the decision or the document that chose.
        by: the member who decided; None where nobody did or is known.
        others: what was passed over, `more` of it not among them.
    """

    kind: ChoiceKind
    words: str
    by: str | None
    others: tuple[AnswerCandidate, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The meaning of a term.

    Attributes:
        canonical: the citation that it resolved to.
        summary: a few words of the document, never of anything else.
        question: one question to ask the user, when it is not resolved.
        more_values: how many values are known besides those that are given.
        chosen_by: what chose, each time that there were several; empty where there was one.
        is_silent: whether no passage speaks of what is asked of the thing that is meant.
    """

    term: str
    outcome: ResolutionOutcome
    found_by: ResolverStep
    canonical: str | None = None
    confidence: float = 0.0
    summary: str = ""
    values: tuple[Value, ...] = ()
    evidence: tuple[QuotedSpan, ...] = ()
    question: str | None = None
    candidates: tuple[AnswerCandidate, ...] = ()
    more_values: int = 0
    chosen_by: tuple[Choice, ...] = ()
    is_silent: bool = False


@dataclass(frozen=True, slots=True)
class ConflictClaim:
    """One side of a conflict, with its quote."""

    value: str
    evidence: QuotedSpan


@dataclass(frozen=True, slots=True)
class StoredConflict:
    """A term with several values where one is expected.

    Attributes:
        place: the source or site whose term it is; empty for notes.
        attribute: what the documents call the value, folded; may be empty.
        state: open, resolved or closed; a closed one has gone from the documents.
        resolution: the chosen value, or `BOTH`.
        decided_on: what the places said when it was decided, white space folded.
    """

    id: int
    term: str
    attribute: str
    fact_type: str
    claims: tuple[ConflictClaim, ...]
    state: str
    resolution: str | None
    reason: str | None
    resolved_by: str | None
    resolved_at: float | None
    found_at: float
    decided_on: frozenset[str] = frozenset()
    place: str = ""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One virtual file of the discovery layer; its fingerprint is of all that it was made of."""

    name: ArtifactName
    content: str
    fingerprint: str
    compiled_at: float
    compiler_version: str


@dataclass(frozen=True, slots=True)
class CompileSummary:
    """The work and cost of a compile; `tokens` is 0 without a language model.

    Attributes:
        note: how many documents a configured model was not asked about, and why; else empty.
    """

    documents: int
    recompiled: int
    facts: int
    conflicts_open: int
    tokens: int
    seconds: float
    compiler_version: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class UnknownTerm:
    """A term that nothing explains: how often it was asked for in vain, and documents say it."""

    term: str
    times: int
    mentions: int
    note: str = "asked for in vain"


@dataclass(frozen=True, slots=True)
class Quality:
    """Measures of how well knowledge serves."""

    asked: int
    resolved: int
    ambiguous: int
    not_stated: int
    unknown: int
    by_step: Mapping[str, int] = field(default_factory=dict[str, int])
    documents: int = 0
    found_by_words_only: int = 0
    refused: int = 0
    stale_documents: int = 0
    stale_sources: int = 0
    failing_sources: int = 0
    facts: int = 0
    conflicts_open: int = 0
    secrets_taken_out: int = 0
    top_unknown: tuple[UnknownTerm, ...] = ()

    @property
    def success_rate(self) -> float | None:
        """Return the share of questions that were resolved; None when nothing was asked."""
        return self.resolved / self.asked if self.asked else None
