"""Structured results of the tools of knowledge: quotes with the spans they are cut from.

A span counts characters of the document as it is stored. What is shown is made harmless first;
where that changed a quote it says so, and a value that it would change is not shown at all: a
wrong identifier is worse than none.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from wellworn.client.models import Candidate, Choice, Evidence, Shape, Snippet, Text, Time
from wellworn.domain import sources
from wellworn.domain.knowledge import Answer, QuotedSpan, ResolutionOutcome, Value
from wellworn.engines.safety import neutralise
from wellworn.interfaces.mcp.introductions import WHAT_DOCUMENTS_SAY
from wellworn.interfaces.mcp.results import Quotation

NOTHING_NEAR = (
    "Nothing in the knowledge base is close to this; what follows is only the nearest there is. "
    "Ask the user; never guess."
)
NOTHING_FOUND = "Nothing in the knowledge base says this. Ask the user; never guess."
ASK = "Ask the user this one question and wait for the answer; never guess."


Mark = Annotated[bool, Field(exclude_if=operator.not_)]
"""A flag that is sent only where it is true."""


class DocumentPassage(Snippet):
    """A passage with its place; `altered` where it is not safe to show to the letter."""

    anchor: str = Field(exclude=True)
    headings: tuple[str, ...] = Field(exclude=True)
    page: int | None = Field(exclude=True)
    score: float = Field(exclude=True)
    citation: Text
    text: Quotation
    exact: Mark
    altered: Mark
    table_head: Annotated[Quotation, Field(exclude_if=operator.not_)] = ""


class Found(Shape):
    """A document with the best of its passages.

    Attributes:
        stale: its source gives it no more.
        weak: it has hardly to do with the question, and is only the nearest there is.
    """

    document_id: int
    source: Text
    path: Text
    title: Text | None
    score: float
    fetched_at: Time
    dated_at: Annotated[Time | None, Field(exclude_if=operator.not_)] = None
    encoding_note: Annotated[str, Field(exclude_if=operator.not_)] = ""
    stale: Mark
    weak: Mark
    snippets: tuple[DocumentPassage, ...]


class Searched(BaseModel):
    """Documents, the best first."""

    note: str = WHAT_DOCUMENTS_SAY
    results: list[Found]
    guidance: str | None = None


class Quoted(Evidence):
    """A quote that an answer rests on; `altered` where it is not safe to show to the letter."""

    source: str = Field(exclude=True)
    path: str = Field(exclude=True)
    anchor: str = Field(exclude=True)
    citation: Text
    text: Quotation
    altered: Mark
    table_head: Annotated[Quotation, Field(exclude_if=operator.not_)] = ""


class CitedFact(Shape):
    """A value, which stands at characters `start` to `end` of the document of its evidence.

    Attributes:
        value: exactly as it stands there; None when it cannot be shown so, and `withheld` is set.
    """

    term: Text
    fact_type: str
    attribute: Text | None = None
    value: str | None
    withheld: bool | None = None
    start: int
    end: int
    confidence: float
    evidence: Quoted


class Resolved(Shape):
    """The meaning of a term, or the one question to ask."""

    note: str = WHAT_DOCUMENTS_SAY
    term: Text
    outcome: str
    found_by: str
    canonical: Text | None
    confidence: float
    summary: Text
    values: list[CitedFact]
    evidence: list[Quoted]
    question: Text | None
    candidates: list[Candidate]
    more_values: Annotated[int, Field(exclude_if=operator.not_)] = 0
    chosen_by: Annotated[tuple[Choice, ...], Field(exclude_if=operator.not_)] = ()
    guidance: str | None = None


class TermProvenance(BaseModel):
    """Every value of a term, the surest first."""

    note: str = WHAT_DOCUMENTS_SAY
    term: str
    values: list[CitedFact]
    guidance: str | None = None


def describe_search(documents: Sequence[Sequence[sources.Snippet]]) -> Searched:
    """Return a search's passages, grouped by document."""
    hits = [_describe_document(passages) for passages in documents]
    guidance = NOTHING_NEAR if all(document.weak for document in hits) else None
    return Searched(results=hits, guidance=guidance if hits else NOTHING_FOUND)


def describe_answer(answer: Answer) -> Resolved:
    """Return an answer of the resolver."""
    return Resolved.of(
        answer,
        note=WHAT_DOCUMENTS_SAY,
        values=[_fact(value) for value in answer.values],
        evidence=[_quote(span) for span in answer.evidence],
        guidance=None if answer.outcome is ResolutionOutcome.RESOLVED else ASK,
    )


def describe_provenance(term: str, values: Sequence[Value]) -> TermProvenance:
    """Return the facts that are known of a term."""
    facts = [_fact(value) for value in values]
    return TermProvenance(
        term=neutralise(term), values=facts, guidance=None if facts else NOTHING_FOUND
    )


def _describe_document(passages: Sequence[sources.Snippet]) -> Found:
    best = passages[0]
    return Found.of(
        best,
        snippets=tuple(map(_passage, passages)),
        stale=best.is_stale or best.is_past,
        weak=all(passage.is_weak for passage in passages),
    )


def _passage(snippet: sources.Snippet) -> DocumentPassage:
    altered = _is_altered(snippet.text, snippet.citation)
    return DocumentPassage.of(snippet, exact=snippet.is_exact, altered=altered)


def _fact(value: Value) -> CitedFact:
    is_safe = neutralise(value.value) == value.value
    return CitedFact.of(
        value,
        attribute=neutralise(value.attribute) or None,
        value=value.value if is_safe else None,
        withheld=None if is_safe else True,
        evidence=_quote(value.evidence),
    )


def _quote(span: QuotedSpan) -> Quoted:
    return Quoted.of(span, altered=_is_altered(span.text, span.citation), stale=span.is_old)


def _is_altered(*texts: str) -> bool:
    return any(neutralise(text) != text for text in texts)
