"""Words knowledge for the model: quotes fenced as data, each with its place in a document.

Everything that documents say stands inside the fence, but for the one question to ask the user,
which stands in JSON quotes.

Source: `docs/security.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wellworn.engines.safety import Fence, Quote, fence_quotes, new_nonce
from wellworn.kit.clock import drop_fraction
from wellworn.kit.text import show_cell

if TYPE_CHECKING:
    from wellworn.client.models import Candidate, Choice
    from wellworn.interfaces.mcp.knowledge_results import (
        CitedFact,
        DocumentPassage,
        Found,
        Quoted,
        Resolved,
        Searched,
        TermProvenance,
    )

_ALTERED = ", not character for character"


def format_search(result: Searched, nonce: str | None = None) -> str:
    """Return a search's passages as text; `nonce` marks the fence, a fresh one by default."""
    quotes = [
        _passage(document, passage) for document in result.results for passage in document.snippets
    ]
    return _join_parts([result.guidance or ""], result.note, quotes, nonce or new_nonce())


def format_answer(answer: Resolved, nonce: str | None = None) -> str:
    """Return an answer of the resolver as text."""
    fence = Fence(nonce or new_nonce())
    quotes = [
        *map(_fact, answer.values),
        *map(_evidence, answer.evidence),
        *map(_candidate, answer.candidates),
        *(_candidate(other, "passed over") for each in answer.chosen_by for other in each.others),
    ]
    term = _quote_name(answer.term, fence)
    if answer.question is None:
        place = _quote_name(answer.canonical or "", fence)
        lead = [f"{term} is {place} ({answer.found_by})."]
    else:
        question = _quote_name(answer.question, fence)
        lead = [f"{term} is {answer.outcome}.", f"{answer.guidance} {question}"]
    lead += [_format_choice(each, fence) for each in answer.chosen_by]
    return _join_parts(lead, answer.note, quotes, fence.nonce)


def format_provenance(result: TermProvenance, nonce: str | None = None) -> str:
    """Return every value of a term as text."""
    quotes = [quote for fact in result.values for quote in (_fact(fact), _evidence(fact.evidence))]
    return _join_parts([result.guidance or ""], result.note, quotes, nonce or new_nonce())


def _join_parts(lead: Sequence[str], note: str, quotes: Sequence[Quote], nonce: str) -> str:
    parts = [*lead, *([note, fence_quotes(quotes, nonce)] if quotes else [])]
    return "\n\n".join(part for part in parts if part)


def _passage(document: Found, passage: DocumentPassage) -> Quote:
    aged = f"{_dates(document)}{', stale' if document.stale else ''}"
    exact = ", to the letter" if passage.exact else ""
    altered = _ALTERED if passage.altered else ""
    place = _place(passage.citation, document.document_id, passage.start, passage.end)
    return Quote(passage.text, f"{place}{exact}{altered}{aged}{_head(passage.table_head)}")


def _head(table_head: str) -> str:
    """Return what heads the columns of the rows that a quote begins with."""
    columns = table_head.partition("\n")[0].strip()
    return f", columns {json.dumps(columns, ensure_ascii=False)}" if columns else ""


def _fact(fact: CitedFact) -> Quote:
    named = f" {json.dumps(fact.attribute, ensure_ascii=False)}" if fact.attribute else ""
    place = _place(fact.evidence.citation, fact.evidence.document_id, fact.start, fact.end)
    about = f"{fact.fact_type}{named} of {json.dumps(fact.term, ensure_ascii=False)}"
    value = None if fact.value is None else show_cell(fact.value, fact.evidence.text)
    if value is None:
        value = "(not shown: it has characters that are not safe to show)"
    return Quote(value, f"{about}, {place}{_age(fact.evidence)}")


def _age(quoted: Quoted) -> str:
    return f"{_dates(quoted)}{', stale' if quoted.stale else ''}"


def _dates(document: Found | Quoted) -> str:
    """Return the day of a document, when its source was looked at last, and what was guessed."""
    dated = f", of {document.dated_at[:10]}" if document.dated_at else ""
    seen = f", seen {drop_fraction(document.fetched_at)}" if document.fetched_at else ""
    guessed = f", {document.encoding_note}" if document.encoding_note else ""
    return f"{dated}{seen}{guessed}"


def _evidence(quoted: Quoted) -> Quote:
    place = _place(quoted.citation, quoted.document_id, quoted.start, quoted.end)
    altered = _ALTERED if quoted.altered else ""
    return Quote(quoted.text, f"{place}{altered}{_age(quoted)}{_head(quoted.table_head)}")


def _format_choice(choice: Choice, fence: Fence) -> str:
    by = f" of {_quote_name(choice.by, fence)}" if choice.by else ""
    count = len(choice.others) + choice.more
    words = _quote_name(choice.words, fence)
    return f"Chosen by {choice.kind}{by}: {words}; {count} passed over."


def _candidate(candidate: Candidate, role: str = "may be meant") -> Quote:
    lines: Iterator[str] = filter(None, [candidate.label, candidate.summary])
    return Quote("\n".join(lines), f"{role}, {json.dumps(candidate.citation, ensure_ascii=False)}")


def _place(citation: str, document_id: int, start: int, end: int) -> str:
    cited = json.dumps(citation, ensure_ascii=False)
    return f"{cited}, characters {start} to {end} of document {document_id}"


def _quote_name(text: str, fence: Fence) -> str:
    return json.dumps(fence.escape(text), ensure_ascii=False)
