"""Answers of what search brings: the section that is called so, or has what is asked exactly.

Every word of an answer is cut from a document; what is only mentioned answers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wellworn.domain.knowledge.answers import (
    Answer,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
)
from wellworn.domain.knowledge.entities import file_stem, name_key
from wellworn.domain.knowledge.quoting import DocumentQuoter, quote_snippet
from wellworn.domain.knowledge.rivals import build_label, choose_called
from wellworn.domain.knowledge.steps import (
    NAMED_CONFIDENCE,
    ask,
    build_answer,
    contains_term,
    offer,
)
from wellworn.domain.sources import Snippet, extract_exact_terms


def answer_by_search(
    quoter: DocumentQuoter, term: str, snippets: Sequence[Snippet], wording: str
) -> Answer:
    """Answer with the one section that is called so, or has an identifier, or ask which one."""
    called = _deduplicate(
        snippet
        for snippet in snippets
        if _is_named(snippet, term) and _has_sentence(quoter, snippet)
    )
    called = choose_called(called, term, wording)
    if len(called) > 1:
        quotes = [(each, quote_snippet(each, each.text, each.start)) for each in called]
        return ask(term, [offer(build_label(each), quote) for each, quote in quotes])
    exact = [snippet for snippet in snippets if snippet.is_exact and extract_exact_terms(term)]
    having = called or _deduplicate(each for each in exact if contains_term(each.text, term))
    if len(having) == 1:
        return _answer_with_snippet(quoter, term, having[0])
    return _answer_unknown(term)


def answer_mentioned(term: str, quotes: Sequence[QuotedSpan]) -> Answer:
    """Say where a plain word stands, and that nothing there says what it is."""
    places = ", ".join(dict.fromkeys(quote.citation for quote in quotes))
    return replace(
        _answer_unknown(term),
        found_by=ResolverStep.SEARCH,
        evidence=tuple(quotes),
        question=f'"{term}" is mentioned in {places}, and not explained. What is it, and where '
        "does it say so?",
    )


def _answer_with_snippet(quoter: DocumentQuoter, term: str, snippet: Snippet) -> Answer:
    page = quoter.open_page(snippet.document_id)
    if page is None:
        return _answer_unknown(term)
    # A passage may begin with the blank line above its heading.
    evidence = replace(page.quote(snippet.start, snippet.end), anchor=snippet.anchor)
    return build_answer(
        term,
        ResolverStep.SEARCH,
        evidence,
        (),
        confidence=NAMED_CONFIDENCE,
        anchor=snippet.anchor,
    )


def _answer_unknown(term: str) -> Answer:
    return Answer(
        term=term,
        outcome=ResolutionOutcome.UNKNOWN,
        found_by=ResolverStep.NOTHING,
        question=f'"{term}" is not in the knowledge base. What is it, and where does it say so?',
    )


def _deduplicate(snippets: Iterable[Snippet]) -> list[Snippet]:
    """Return the best snippet of each section."""
    best: dict[tuple[int, str], Snippet] = {}
    for snippet in snippets:
        best.setdefault((snippet.document_id, snippet.anchor), snippet)
    return list(best.values())


def _has_sentence(quoter: DocumentQuoter, snippet: Snippet) -> bool:
    """Tell whether a sentence is in the document; some have a title and nothing else."""
    page = quoter.open_page(snippet.document_id)
    return page is not None and page.has_sentence


def _is_named(snippet: Snippet, term: str) -> bool:
    names = (*snippet.headings[-1:], snippet.title, file_stem(snippet.path))
    return any(name_key(name) == name_key(term) for name in names if name)
