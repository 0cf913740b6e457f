"""One document, and quotes of it as knowledge gives them."""

from __future__ import annotations

from wellworn.domain.knowledge import (
    Answer,
    AnswerCandidate,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    Value,
)
from wellworn.domain.sources import Snippet, Source, SyncStatus

NOON = 1_771_858_800.0
TEXT = "# Servers\n\n- **cube** (100.70.237.79) - Home GPU server.\n"
LINE = TEXT[11:-1]


def snippet(text: str = LINE, document_id: int = 1, start: int = 11, **changes: object) -> Snippet:
    given = {
        "document_id": document_id,
        "source_id": 7,
        "source": "mytech",
        "path": "AGENTS.md",
        "title": "Servers",
        "anchor": "servers",
        "headings": ("Servers",),
        "page": None,
        "text": text,
        "start": start,
        "end": start + len(text),
        "score": 0.8,
        "fetched_at": NOON,
    }
    return Snippet(**(given | changes))


def evidence(text: str = LINE) -> QuotedSpan:
    return QuotedSpan(1, "mytech", "AGENTS.md", "servers", text, 11, 11 + len(text))


def value(said: str = "100.70.237.79", text: str = LINE) -> Value:
    start = 11 + text.index(said)
    return Value(
        "cube", "ip", "ip", said, start, start + len(said), 0.95, "patterns-1", NOON, evidence(text)
    )


def resolved(said: str = "100.70.237.79", text: str = LINE) -> Answer:
    return Answer(
        "cube",
        ResolutionOutcome.RESOLVED,
        ResolverStep.HOT_TERMS,
        canonical="mytech/AGENTS.md#servers",
        confidence=0.9,
        summary="Home GPU server",
        values=(value(said, text),),
        evidence=(evidence(text),),
    )


def ambiguous(question: str = "Did you mean cube or clifford?") -> Answer:
    options = (
        AnswerCandidate("cube", "mytech/AGENTS.md#servers", "Home GPU server"),
        AnswerCandidate("clifford", "mytech/AGENTS.md#servers", "Production VPS"),
    )
    return Answer(
        "server",
        ResolutionOutcome.AMBIGUOUS,
        ResolverStep.SEARCH,
        question=question,
        candidates=options,
    )


def unknown() -> Answer:
    return Answer(
        "zephyr", ResolutionOutcome.UNKNOWN, ResolverStep.NOTHING, question="What is zephyr?"
    )


def source(number: int, name: str) -> Source:
    return Source(
        id=number,
        source_type="folder",
        name=name,
        config={},
        has_secret=False,
        agents=None,
        sync_schedule=None,
        time_zone="UTC",
        is_paused=False,
        sync_status=SyncStatus.SUCCESS,
        sync_error=None,
        last_synced_at=NOON,
        last_attempt_at=NOON,
        next_attempt_at=None,
        failures=0,
        documents=1,
        created_at=NOON,
        updated_at=NOON,
    )
