"""Which values of a thing hold and are asked for, and what is answered where none is stated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.knowledge.answers import (
    Answer,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    Value,
)
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.questions import Attribute, is_asked_in, select_conflicts
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter, render_quote
from wellworn.domain.knowledge.steps import MOST_EVIDENCE

_MOST_VALUES: Final = 10
_MOST_QUOTED: Final = 2_000
"""Characters of what an answer quotes."""
_MOST_PASSAGES: Final = 3
_MOST_READ: Final = 8
"""Documents in which it is looked for where name and attribute stand together."""
_LONGEST_PASSAGE: Final = 600


def find_rejected_values(conflict: StoredConflict) -> set[str]:
    """Return the values that somebody decided against."""
    if conflict.state != "resolved" or conflict.resolution == "both":
        return set()
    return {claim.value for claim in conflict.claims} - {conflict.resolution or ""}


def apply_decisions(
    values: Sequence[Value], disputed: Sequence[StoredConflict], asked: Attribute | None
) -> tuple[list[Value], StoredConflict | None]:
    """Return the values that hold, and the first dispute about what is asked."""
    remaining = list(values)
    for conflict in disputed:
        if lost := find_rejected_values(conflict):
            remaining = [
                value
                for value in remaining
                if value.fact_type != conflict.fact_type or value.value not in lost
            ]
    undecided = (
        conflict
        for conflict in select_conflicts(disputed, asked)
        if conflict.state == "open" or conflict.resolution == "both"
    )
    return remaining, next(undecided, None)


def answer_with_values(term: str, values: Sequence[Value]) -> Answer:
    """Answer with the values that were asked for, and the lines that say them."""
    best = values[0]
    return Answer(
        term=term,
        outcome=ResolutionOutcome.RESOLVED,
        found_by=ResolverStep.FACTS,
        canonical=best.evidence.citation,
        confidence=best.confidence,
        summary=render_quote(best.evidence.text),
        values=tuple(values),
        evidence=tuple(dict.fromkeys(value.evidence for value in values))[:MOST_EVIDENCE],
    )


def answer_not_stated(
    quoter: DocumentQuoter, answer: Answer, asked: Attribute, documents: Iterable[int]
) -> Answer:
    """Say that a thing is known but not what was asked; quote where both are spoken of.

    Args:
        quoter: what opens documents.
        answer: what is known.
        asked: what is not stated.
        documents: where the thing is spoken of, the most telling first.
    """
    name = answer.term
    opened = (quoter.open_page(number) for number in list(documents)[:_MOST_READ])
    pages = [page for page in opened if page is not None]
    quotes = [quote for page in pages for quote in _quote_passages(page, name, asked)]
    spoken = " What is quoted first speaks of both." if quotes else ""
    return replace(
        answer,
        outcome=ResolutionOutcome.NOT_STATED,
        evidence=(*quotes, *answer.evidence)[:MOST_EVIDENCE],
        question=f'"{name}" is known, and no document states its {asked.name} as such.{spoken} '
        "What is it, and where does it say so?",
    )


def _quote_passages(page: DocumentPage, name: str, asked: Attribute) -> list[QuotedSpan]:
    """Return the lines that speak of an attribute, with the name or in a section called so."""
    wanted = name_key(name)
    quotes: list[QuotedSpan] = []
    for part in page.parts:
        is_own = wanted in name_key(part.title)
        at = part.start
        for line in page.text[part.start : part.end].splitlines(keepends=True):
            line_text, start = line.strip(), at + len(line) - len(line.lstrip())
            at += len(line)
            is_passage = 0 < len(line_text) <= _LONGEST_PASSAGE and is_asked_in(asked, line_text)
            if is_passage and (is_own or wanted in name_key(line_text)):
                quotes.append(page.quote(start, start + len(line_text)))
    return quotes[:_MOST_PASSAGES]


def limit_answer(answer: Answer) -> Answer:
    """Return an answer of at most ten values and 2,000 characters of quotes, the best first."""
    values: list[Value] = []
    length = 0
    quoted: set[QuotedSpan] = set()
    for value in answer.values[:_MOST_VALUES]:
        length += len(value.evidence.text) if value.evidence not in quoted else 0
        if values and length > _MOST_QUOTED:
            break
        quoted.add(value.evidence)
        values.append(value)
    evidence: list[QuotedSpan] = []
    for quote in answer.evidence:
        length += len(quote.text) if quote not in quoted else 0
        if evidence and length > _MOST_QUOTED:
            break
        quoted.add(quote)
        evidence.append(quote)
    return replace(
        answer,
        values=tuple(values),
        evidence=tuple(evidence),
        more_values=answer.more_values + len(answer.values) - len(values),
    )
