"""What the model reads of knowledge: quotes fenced as data, each with its place in a document.

Everything that documents say stands inside the fence, but for the one question to ask the user,
which stands in JSON quotes.

Source: issue 5, point 5; knowledge sync v1.0, section 7; shared-memory threat model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wellworn.engines.safety import Fence, Quote, fenced, new_nonce

if TYPE_CHECKING:
    from wellworn.interfaces.mcp.knowledge_results import (
        Choice,
        Fact,
        Found,
        Passage,
        Provenance,
        Quoted,
        Resolved,
        Searched,
    )

_ALTERED = ", not character for character"


def searched(found: Searched, nonce: str | None = None) -> str:
    """Return a search's passages as text; `nonce` marks the fence, a fresh one by default."""
    quotes = [_passage(one, each) for one in found.results for each in one.snippets]
    return _told([found.guidance or ""], found.note, quotes, nonce or new_nonce())


def resolved(answer: Resolved, nonce: str | None = None) -> str:
    """Return an answer of the resolver as text."""
    fence = Fence(nonce or new_nonce())
    quotes = [
        *map(_fact, answer.values),
        *map(_evidence, answer.evidence),
        *map(_choice, answer.candidates),
    ]
    term = _named(answer.term, fence)
    if answer.question is None:
        place = _named(answer.canonical or "", fence)
        lead = [f"{term} is {place} ({answer.found_by}, confidence {answer.confidence:.2f})."]
    else:
        question = _named(answer.question, fence)
        lead = [f"{term} is {answer.outcome}.", f"{answer.guidance} {question}"]
    return _told(lead, answer.note, quotes, fence.nonce)


def provenance(found: Provenance, nonce: str | None = None) -> str:
    """Return every value of a term as text."""
    quotes = [quote for one in found.values for quote in (_fact(one), _evidence(one.evidence))]
    return _told([found.guidance or ""], found.note, quotes, nonce or new_nonce())


def _told(lead: Sequence[str], note: str, quotes: Sequence[Quote], nonce: str) -> str:
    parts = [*lead, *([note, fenced(quotes, nonce)] if quotes else [])]
    return "\n\n".join(part for part in parts if part)


def _passage(document: Found, one: Passage) -> Quote:
    aged = f", stale: as of {document.fetched_at}" if document.stale else ""
    exact = ", to the letter" if one.exact else ""
    altered = _ALTERED if one.altered else ""
    place = _place(one.citation, document.document_id, one.start, one.end)
    return Quote(one.text, f"{place}{exact}{altered}{aged}")


def _fact(one: Fact) -> Quote:
    named = f" {json.dumps(one.attribute, ensure_ascii=False)}" if one.attribute else ""
    place = _place(one.evidence.citation, one.evidence.document_id, one.start, one.end)
    about = f"{one.fact_type}{named} of {json.dumps(one.term, ensure_ascii=False)}"
    value = one.value
    if value is None:
        value = "(not shown: it has characters that are not safe to show)"
    return Quote(value, f"{about}, {place}, confidence {one.confidence:.2f}")


def _evidence(one: Quoted) -> Quote:
    place = _place(one.citation, one.document_id, one.start, one.end)
    return Quote(one.text, f"{place}{_ALTERED if one.altered else ''}")


def _choice(one: Choice) -> Quote:
    lines: Iterator[str] = filter(None, [one.label, one.summary])
    return Quote("\n".join(lines), f"may be meant, {json.dumps(one.citation, ensure_ascii=False)}")


def _place(citation: str, document_id: int, start: int, end: int) -> str:
    cited = json.dumps(citation, ensure_ascii=False)
    return f"{cited}, characters {start} to {end} of document {document_id}"


def _named(text: str, fence: Fence) -> str:
    return json.dumps(fence.tamed(text), ensure_ascii=False)
