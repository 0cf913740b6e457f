"""Response bodies about sources and documents, for OpenAPI, and how values become them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, Field

from wellworn.domain.sources import Document, DocumentState, Run, SecretNote, Snippet, Source, Text
from wellworn.engines.jobs import schedule_in_words
from wellworn.kit.clock import iso


class ProgressReply(BaseModel):
    """How many documents of how many a sync has read."""

    done: int
    total: int


class SourceReply(BaseModel):
    """A source; its secret is never told."""

    id: int
    source_type: str
    name: str
    config: dict[str, Any]
    has_secret: bool
    agents: list[str] | None = Field(description="Members who may see it; null for everybody.")
    sync_schedule: str | None
    schedule_in_words: str | None
    time_zone: str
    is_paused: bool
    sync_status: str
    sync_error: str | None = Field(description="What went wrong, and what to do.")
    last_synced_at: str | None
    last_attempt_at: str | None
    next_attempt_at: str | None = Field(description="When a failing source is tried again.")
    failures: int
    documents: int
    created_at: str
    updated_at: str


class ShownReply(SourceReply):
    """A source, and how far a sync of it has come."""

    progress: ProgressReply | None


class SourcesReply(BaseModel):
    sources: list[SourceReply]


class RemovedReply(BaseModel):
    deleted: int
    documents: int = Field(description="How many went with it.")


class ProblemReply(BaseModel):
    """A document that could not be read, and why."""

    path: str
    reason: str


class RunReply(BaseModel):
    """One sync."""

    id: int
    source_id: int
    trigger: str
    started_at: str
    finished_at: str | None
    status: str
    counts: dict[str, int]
    message: str = Field(description="What it did, in one sentence.")
    problems: list[ProblemReply]


class RunsReply(BaseModel):
    runs: list[RunReply]


class SecretReply(BaseModel):
    """Where a secret was taken out: never what it was."""

    path: str
    kind: str
    line: int


class SecretsReply(BaseModel):
    secrets: list[SecretReply]


class DocumentReply(BaseModel):
    id: int
    source_id: int
    source: str
    path: str
    title: str | None
    state: DocumentState
    reason: str | None = Field(description="Why it is stale or refused.")
    characters: int
    content_hash: str
    metadata: dict[str, Any]
    fetched_at: str


class DocumentsReply(BaseModel):
    documents: list[DocumentReply]
    next_offset: int | None = Field(description="Where the list goes on.")


class TextReply(BaseModel):
    """A page of a document, as it is stored: `text` begins at character `offset`."""

    document: DocumentReply
    text: str
    offset: int
    next_offset: int | None = Field(description="Where to go on reading.")


class SnippetReply(BaseModel):
    """Characters `start` to `end` of a document."""

    text: str
    start: int
    end: int
    anchor: str
    headings: list[str]
    page: int | None
    citation: str
    exact: bool = Field(description="Whether it has an identifier of the question, to the letter.")
    score: float = Field(
        description="Best cosine similarity to the question, of it and of what is ranked behind it."
    )


class FoundReply(BaseModel):
    """A document with the best of its passages."""

    source: str
    source_id: int
    path: str
    title: str | None
    document_id: int
    score: float = Field(description="Of its best passage.")
    snippets: list[SnippetReply]
    stale: bool
    weak: bool = Field(
        description="Whether it has hardly to do with the question: only the nearest there is."
    )
    fetched_at: str


class SearchedReply(BaseModel):
    query: str
    results: list[FoundReply]


def source(value: Source) -> dict[str, Any]:
    return {
        "id": value.id,
        "source_type": value.source_type,
        "name": value.name,
        "config": dict(value.config),
        "has_secret": value.has_secret,
        "agents": None if value.agents is None else list(value.agents),
        "sync_schedule": value.sync_schedule,
        "schedule_in_words": value.sync_schedule and schedule_in_words(value.sync_schedule),
        "time_zone": value.time_zone,
        "is_paused": value.is_paused,
        "sync_status": value.sync_status,
        "sync_error": value.sync_error,
        "last_synced_at": time(value.last_synced_at),
        "last_attempt_at": time(value.last_attempt_at),
        "next_attempt_at": time(value.next_attempt_at),
        "failures": value.failures,
        "documents": value.documents,
        "created_at": iso(value.created_at),
        "updated_at": iso(value.updated_at),
    }


def progress(value: tuple[int, int] | None) -> dict[str, int] | None:
    return None if value is None else {"done": value[0], "total": value[1]}


def run(value: Run) -> dict[str, Any]:
    return {
        "id": value.id,
        "source_id": value.source_id,
        "trigger": value.trigger,
        "started_at": iso(value.started_at),
        "finished_at": time(value.finished_at),
        "status": value.status,
        "counts": dict(value.counts),
        "message": value.message,
        "problems": [asdict(one) for one in value.problems],
    }


def secret(value: SecretNote) -> dict[str, Any]:
    return asdict(value)


def document(value: Document) -> dict[str, Any]:
    return {
        "id": value.id,
        "source_id": value.source_id,
        "source": value.source,
        "path": value.path,
        "title": value.title,
        "state": value.state,
        "reason": value.reason,
        "characters": value.characters,
        "content_hash": value.content_hash,
        "metadata": dict(value.metadata),
        "fetched_at": iso(value.fetched_at),
    }


def page(value: Text, *, offset: int, limit: int) -> dict[str, Any]:
    end = offset + limit
    return {
        "document": document(value.document),
        "text": value.text[offset:end],
        "offset": offset,
        "next_offset": end if end < len(value.text) else None,
    }


def found(passages: Sequence[Snippet]) -> dict[str, Any]:
    """Render the passages of one document, best first."""
    best = passages[0]
    return {
        "source": best.source,
        "source_id": best.source_id,
        "path": best.path,
        "title": best.title,
        "document_id": best.document_id,
        "score": best.score,
        "snippets": [_snippet(one) for one in passages],
        "stale": best.is_stale,
        "weak": all(one.is_weak for one in passages),
        "fetched_at": iso(best.fetched_at),
    }


def _snippet(value: Snippet) -> dict[str, Any]:
    return {
        "text": value.text,
        "start": value.start,
        "end": value.end,
        "anchor": value.anchor,
        "headings": list(value.headings),
        "page": value.page,
        "citation": value.citation,
        "exact": value.is_exact,
        "score": value.score,
    }


def time(moment: float | None) -> str | None:
    return None if moment is None else iso(moment)
