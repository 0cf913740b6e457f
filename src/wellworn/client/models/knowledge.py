"""The shapes of documents and of what was compiled of them: facts, answers, conflicts, names."""

from __future__ import annotations

import operator
from typing import Any, Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time, read_from


class Document(Shape):
    """A document; `reason` says why it is stale or refused."""

    id: int
    source_id: int
    source: str
    path: str
    title: str | None
    state: Literal["current", "stale", "refused", "gone"]
    reason: str | None = Field(description="Why it is stale or refused.")
    characters: int
    content_hash: str
    metadata: dict[str, Any]
    fetched_at: Time


class Documents(Shape):
    """A page of the list of documents; `next_offset` is where it goes on, None at the end."""

    documents: tuple[Document, ...]
    next_offset: int | None = Field(description="Where the list goes on.")


class DocumentPage(Shape):
    """A page of a document; `text` begins at its character `offset`."""

    document: Document
    text: str
    offset: int
    next_offset: int | None = Field(description="Where to go on reading.")


class Snippet(Shape):
    """Characters `start` to `end` of a document."""

    text: str
    start: int
    end: int
    anchor: str
    headings: tuple[str, ...]
    page: int | None
    citation: str
    exact: bool = Field(
        validation_alias=read_from("exact", "is_exact"),
        description="Whether it has an identifier of the question, to the letter.",
    )
    score: float = Field(
        description="Best cosine similarity to the question, of it and of what is ranked behind it."
    )
    table_head: str = Field(
        default="",
        exclude_if=operator.not_,
        description="Head and rule of the table whose rows the text begins with.",
    )


class FoundDocument(Shape):
    """A document with the best of its passages."""

    source: str
    source_id: int
    path: str
    title: str | None
    document_id: int
    score: float = Field(
        description="Of its best passage; never less than that of a document behind it."
    )
    snippets: tuple[Snippet, ...]
    stale: bool = Field(validation_alias=read_from("stale", "is_stale"))
    weak: bool = Field(
        description="Whether it has hardly to do with the question: only the nearest there is."
    )
    fetched_at: Time = Field(description="When its source was looked at last.")
    dated_at: Time | None = Field(
        default=None,
        exclude_if=operator.not_,
        description="The document's own date: of its front matter, last commit, file or page.",
    )
    encoding_note: str = Field(
        default="",
        exclude_if=operator.not_,
        description="What of its encoding was guessed or replaced, so that letters may be wrong.",
    )


class FoundDocuments(Shape):
    """The documents that a search found, best first."""

    query: str
    results: tuple[FoundDocument, ...]


class Evidence(Shape):
    """Characters `start` to `end` of a document, cited as `citation`."""

    document_id: int
    source: str
    path: str
    anchor: str
    citation: str
    text: str
    start: int
    end: int
    stale: bool = Field(
        default=False,
        validation_alias=read_from("stale", "is_old"),
        exclude_if=operator.not_,
        description="Whether its document holds no longer, or its source has it no more.",
    )
    committed_at: Time | None = Field(
        default=None,
        exclude_if=operator.not_,
        description="When a commit changed the document last, of a git source.",
    )
    dated_at: Time | None = Field(
        default=None,
        exclude_if=operator.not_,
        description="The document's own date: of its front matter, last commit, file or page.",
    )
    fetched_at: Time | None = Field(
        default=None,
        exclude_if=operator.not_,
        description="When its source was looked at last.",
    )
    encoding_note: str = Field(
        default="",
        exclude_if=operator.not_,
        description="What of its encoding was guessed or replaced, so that letters may be wrong.",
    )
    table_head: str = Field(
        default="",
        exclude_if=operator.not_,
        description="Head and rule of the table whose rows the text begins with.",
    )


class Fact(Shape):
    """A value of a term; it stands at characters `start` to `end`, within its evidence."""

    term: str
    fact_type: str
    attribute: str = Field(description="What the document calls it; may be empty.")
    value: str
    start: int
    end: int
    confidence: float
    derived_by: str
    derived_at: Time
    evidence: Evidence


class Facts(Shape):
    """Every value known of a term."""

    term: str
    values: tuple[Fact, ...]


class Candidate(Shape):
    """Something that an ambiguous term may mean."""

    label: Text
    citation: Text
    summary: Text


class Choice(Shape):
    """The reason to choose one of several; `others` are what else it could have been."""

    kind: str = Field(description="context, project, decision, newest or stated.")
    words: Text = Field(description="What chose: words, a name, a decision or a citation.")
    by: Text | None = Field(description="Who decided, where somebody did and is known.")
    others: tuple[Candidate, ...]
    more: int = Field(description="How many others there are besides those given.")


class Answer(Shape):
    """The meaning of a term; `outcome` is "resolved", "ambiguous", "not_stated" or "unknown".

    When it is not resolved, `question` is what to ask the user.
    """

    term: str
    outcome: str
    found_by: str
    canonical: str | None = Field(description="The citation that it resolved to.")
    confidence: float
    summary: str
    values: tuple[Fact, ...]
    evidence: tuple[Evidence, ...]
    question: str | None
    candidates: tuple[Candidate, ...]
    more_values: int = Field(description="How many values are known besides those given.")
    chosen_by: tuple[Choice, ...] = Field(
        default=(), description="What chose where there were several; else empty."
    )


class Artifact(Shape):
    """A virtual file of the discovery layer."""

    name: str
    compiled_at: Time
    compiler_version: str


class Artifacts(Shape):
    """The virtual files that agents read first."""

    artifacts: tuple[Artifact, ...]


class Compiled(Shape):
    """The work and cost of a compile."""

    documents: int
    recompiled: int
    facts: int
    conflicts_open: int
    tokens: int = Field(description="Of a language model; 0 without one.")
    seconds: float
    compiler_version: str
    note: str = Field(description="What was left to rules although a model is set, and why.")


class Claim(Shape):
    """One side of a conflict, with its quote."""

    value: str
    evidence: Evidence


class Conflict(Shape):
    """A term with several values where one is expected; `resolution` is one of them, or "both"."""

    id: int
    term: str
    fact_type: str
    claims: tuple[Claim, ...]
    state: str
    resolution: str | None
    reason: str | None
    resolved_by: str | None
    resolved_at: Time | None
    found_at: Time


class Conflicts(Shape):
    """Disagreements of documents, the open ones first."""

    conflicts: tuple[Conflict, ...]


class NameRuling(Shape):
    """A ruling on two names, or, of one twice, on its namesakes."""

    id: int
    term: str
    other: str
    verdict: Literal["one", "several"]
    reason: str | None
    said_by: str | None
    said_at: Time


class NameRulings(Shape):
    """All that was said of names, oldest first."""

    rulings: tuple[NameRuling, ...]


class RulingUndone(Shape):
    """A ruling that was undone."""

    undone: int


class Pins(Shape):
    """The terms that are always hot."""

    pins: tuple[str, ...]


class Unknown(Shape):
    """A term that nothing explains."""

    term: str
    times: int
    note: str


class Unknowns(Shape):
    """Terms that nothing explains, the most wanted first."""

    unknowns: tuple[Unknown, ...]


class Quality(Shape):
    """Measures of knowledge; `success_rate` is None when nothing was asked."""

    asked: int
    resolved: int
    ambiguous: int
    not_stated: int = 0
    unknown: int
    success_rate: float | None
    by_step: dict[str, int]
    documents: int
    found_by_words_only: int
    refused: int
    stale_documents: int
    stale_sources: int
    failing_sources: int
    facts: int
    conflicts_open: int
    secrets_taken_out: int
    top_unknown: tuple[Unknown, ...]
