"""What the server answers about sources, documents and what was compiled of them.

Source: knowledge sync v1.0, sections 3 to 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """How many documents of how many a sync has read."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class KnowledgeSource:
    """Where documents come from; `agents` None means everybody in the space may see it."""

    id: int
    source_type: str
    name: str
    config: dict[str, Any]
    has_secret: bool
    agents: tuple[str, ...] | None
    sync_schedule: str | None
    schedule_in_words: str | None
    time_zone: str
    is_paused: bool
    sync_status: str
    sync_error: str | None
    last_synced_at: str | None
    last_attempt_at: str | None
    next_attempt_at: str | None
    failures: int
    documents: int
    created_at: str
    updated_at: str
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A document that could not be read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One sync; `finished_at` is None while it goes on, `message` is one sentence for people."""

    id: int
    source_id: int
    trigger: str
    started_at: str
    finished_at: str | None
    status: str
    counts: dict[str, int]
    message: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """A source that is gone, and how many documents went with it."""

    deleted: int
    documents: int


@dataclass(frozen=True, slots=True)
class SecretTaken:
    """Where a secret was taken out of a document: never what it was."""

    path: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document; `reason` says why it is stale or refused."""

    id: int
    source_id: int
    source: str
    path: str
    title: str | None
    state: str
    reason: str | None
    characters: int
    content_hash: str
    metadata: dict[str, Any]
    fetched_at: str


@dataclass(frozen=True, slots=True)
class Documents:
    """A page of the list of documents; `next_offset` is where it goes on, None at the end."""

    documents: tuple[Document, ...]
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A page of a document; `text` begins at its character `offset`."""

    document: Document
    text: str
    offset: int
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class Snippet:
    """Characters `start` to `end` of a document."""

    text: str
    start: int
    end: int
    anchor: str
    headings: tuple[str, ...]
    page: int | None
    citation: str
    exact: bool
    score: float


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document with the best of its passages.

    Attributes:
        score: that of its best passage; no document has less than one behind it.
        weak: it has hardly to do with the question, and is only the nearest there is.
    """

    source: str
    source_id: int
    path: str
    title: str | None
    document_id: int
    score: float
    snippets: tuple[Snippet, ...]
    stale: bool
    fetched_at: str
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Characters `start` to `end` of a document, cited as `citation`."""

    document_id: int
    source: str
    path: str
    anchor: str
    citation: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a term; it stands at characters `start` to `end`, within its evidence."""

    term: str
    fact_type: str
    attribute: str
    value: str
    start: int
    end: int
    confidence: float
    derived_by: str
    derived_at: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that an ambiguous term may mean."""

    label: str
    citation: str
    summary: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a term stands for; `outcome` is "resolved", "ambiguous" or "unknown".

    When it is not resolved, `question` is what to ask the user.
    """

    term: str
    outcome: str
    found_by: str
    canonical: str | None
    confidence: float
    summary: str
    values: tuple[Fact, ...]
    evidence: tuple[Evidence, ...]
    question: str | None
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A virtual file of the discovery layer."""

    name: str
    compiled_at: str
    compiler_version: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compile did and cost."""

    documents: int
    recompiled: int
    facts: int
    conflicts_open: int
    tokens: int
    seconds: float
    compiler_version: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One side of a conflict, with its quote."""

    value: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Conflict:
    """A term with several values where one is expected; `resolution` is one of them, or "both"."""

    id: int
    term: str
    fact_type: str
    claims: tuple[Claim, ...]
    state: str
    resolution: str | None
    reason: str | None
    resolved_by: str | None
    resolved_at: str | None
    found_at: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A term that nothing explains."""

    term: str
    times: int
    note: str


@dataclass(frozen=True, slots=True)
class Quality:
    """How well knowledge serves; `success_rate` is None when nothing was asked."""

    asked: int
    resolved: int
    ambiguous: int
    unknown: int
    success_rate: float | None
    by_step: dict[str, int]
    documents: int
    refused: int
    stale_documents: int
    stale_sources: int
    failing_sources: int
    facts: int
    conflicts_open: int
    secrets_taken_out: int
    top_unknown: tuple[Unknown, ...]
