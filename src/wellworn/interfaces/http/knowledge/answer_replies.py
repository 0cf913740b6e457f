"""Response bodies about what was compiled, for OpenAPI, and how values become them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, Field

from wellworn.domain.knowledge import (
    Answer,
    Artifact,
    ArtifactName,
    Candidate,
    Compiled,
    ConflictFound,
    Evidence,
    FoundBy,
    Outcome,
    Quality,
    Unknown,
    Value,
)
from wellworn.interfaces.http.knowledge.source_replies import time
from wellworn.kit.clock import iso


class EvidenceReply(BaseModel):
    """Characters `start` to `end` of a document."""

    document_id: int
    source: str
    path: str
    anchor: str
    citation: str
    text: str
    start: int
    end: int


class ValueReply(BaseModel):
    """A fact; its value stands at characters `start` to `end`, within its evidence."""

    term: str
    fact_type: str
    attribute: str = Field(description="What the document calls it; may be empty.")
    value: str
    start: int
    end: int
    confidence: float
    derived_by: str
    derived_at: str
    evidence: EvidenceReply


class CandidateReply(BaseModel):
    """Something that an ambiguous term may mean."""

    label: str
    citation: str
    summary: str


class AnswerReply(BaseModel):
    """What a term stands for; or the one question to ask."""

    term: str
    outcome: Outcome
    found_by: FoundBy
    canonical: str | None = Field(description="The citation that it resolved to.")
    confidence: float
    summary: str
    values: list[ValueReply]
    evidence: list[EvidenceReply]
    question: str | None
    candidates: list[CandidateReply]


class ProvenanceReply(BaseModel):
    term: str
    values: list[ValueReply]


class ArtifactReply(BaseModel):
    name: ArtifactName
    compiled_at: str
    compiler_version: str


class ArtifactsReply(BaseModel):
    artifacts: list[ArtifactReply]


class CompiledReply(BaseModel):
    """What a compile did and cost."""

    documents: int
    recompiled: int
    facts: int
    conflicts_open: int
    tokens: int = Field(description="Of a language model; 0 without one.")
    seconds: float
    compiler_version: str
    note: str = Field(description="What was left to rules although a model is set, and why.")


class ClaimReply(BaseModel):
    value: str
    evidence: EvidenceReply


class ConflictReply(BaseModel):
    """A term with several values where one is expected."""

    id: int
    term: str
    fact_type: str
    claims: list[ClaimReply]
    state: Literal["open", "resolved", "closed"]
    resolution: str | None
    reason: str | None
    resolved_by: str | None
    resolved_at: str | None
    found_at: str


class ConflictsReply(BaseModel):
    conflicts: list[ConflictReply]


class PinsReply(BaseModel):
    pins: list[str]


class UnknownReply(BaseModel):
    term: str
    times: int
    note: str


class UnknownsReply(BaseModel):
    unknowns: list[UnknownReply]


class QualityReply(BaseModel):
    """How well knowledge serves; `success_rate` is null when nothing was asked."""

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
    top_unknown: list[UnknownReply]


def answer(value: Answer) -> dict[str, Any]:
    return {
        "term": value.term,
        "outcome": value.outcome,
        "found_by": value.found_by,
        "canonical": value.canonical,
        "confidence": value.confidence,
        "summary": value.summary,
        "values": [fact(one) for one in value.values],
        "evidence": [_evidence(one) for one in value.evidence],
        "question": value.question,
        "candidates": [_candidate(one) for one in value.candidates],
    }


def fact(value: Value) -> dict[str, Any]:
    return {
        "term": value.term,
        "fact_type": value.fact_type,
        "attribute": value.attribute,
        "value": value.value,
        "start": value.start,
        "end": value.end,
        "confidence": value.confidence,
        "derived_by": value.derived_by,
        "derived_at": iso(value.derived_at),
        "evidence": _evidence(value.evidence),
    }


def artifact(value: Artifact) -> dict[str, Any]:
    return {
        "name": value.name,
        "compiled_at": iso(value.compiled_at),
        "compiler_version": value.compiler_version,
    }


def compiled(value: Compiled) -> dict[str, Any]:
    return asdict(value)


def conflict(value: ConflictFound) -> dict[str, Any]:
    return {
        "id": value.id,
        "term": value.term,
        "fact_type": value.fact_type,
        "claims": [
            {"value": one.value, "evidence": _evidence(one.evidence)} for one in value.claims
        ],
        "state": value.state,
        "resolution": value.resolution,
        "reason": value.reason,
        "resolved_by": value.resolved_by,
        "resolved_at": time(value.resolved_at),
        "found_at": iso(value.found_at),
    }


def unknown(value: Unknown) -> dict[str, Any]:
    return asdict(value)


def quality(value: Quality) -> dict[str, Any]:
    rendered = asdict(value)
    rendered["success_rate"] = value.success_rate
    return rendered


def _evidence(value: Evidence) -> dict[str, Any]:
    return {**asdict(value), "citation": value.citation}


def _candidate(value: Candidate) -> dict[str, Any]:
    return asdict(value)
