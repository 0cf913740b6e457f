"""Explains a name by documents: with the section that tells of it, or the question which one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final

from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import Answer, ChoiceKind, QuotedSpan, ResolverStep, Value
from wellworn.domain.knowledge.asked_values import select_values
from wellworn.domain.knowledge.candidates import NAMED_HEADING
from wellworn.domain.knowledge.entities import is_special
from wellworn.domain.knowledge.glossary import GlossaryEntry
from wellworn.domain.knowledge.lookup import MOST_HEADED, KnownTerm
from wellworn.domain.knowledge.places import are_counterparts, choose_place, list_branches
from wellworn.domain.knowledge.questions import ValueQuestion
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter
from wellworn.domain.knowledge.steps import (
    MOST_EVIDENCE,
    Option,
    add_choice,
    ask,
    build_answer,
    offer,
)
from wellworn.kit.words import fold

_MOST_CALLED: Final = 8
_HOT_CONFIDENCE: Final = 0.9
_CALLED_CONFIDENCE: Final = 0.8


def answer_by_alias(
    quoter: DocumentQuoter,
    term: str,
    alias: Alias | None,
    values: Sequence[Value],
) -> Answer | None:
    """Answer with what the term was found to stand for, if the section still speaks of it."""
    page = quoter.open_page(alias.document_id) if alias else None
    part = page.find_part(alias.anchor) if page and alias else None
    if alias is None or page is None or part is None:
        return None
    is_as_it_was = page.hash_section(alias.anchor) == alias.section_hash
    if not is_as_it_was and not contains_term(page.text[part.start : part.end], term):
        return None
    evidence = page.quote(*page.find_lead(part if alias.anchor else None))
    return build_answer(
        term,
        ResolverStep.ALIASES,
        evidence,
        values,
        confidence=alias.confidence,
        anchor=alias.anchor,
    )


def answer_by_glossary(
    quoter: DocumentQuoter,
    term: str,
    entries: Sequence[GlossaryEntry],
    values: Sequence[Value],
    wording: str,
) -> Answer | None:
    """Answer with the document or section that explains a name, or ask which one of several.

    Of headings of plain words one alone explains anything; several sections about one name tell
    of one thing, and are quoted together. Of documents of one name in folders beside each other
    those are meant whose folder the question names.
    """
    best = [entry for entry in entries if entry.weight == entries[0].weight]
    is_headed = bool(best) and best[0].weight <= NAMED_HEADING
    if is_headed and (values or len(best) >= MOST_HEADED):
        return None
    quoted = [
        (entry, page, quote)
        for entry in best[:_MOST_CALLED]
        if (page := quoter.open_page(entry.document)) is not None
        and (quote := _quote_entry(page, entry)) is not None
    ]
    if not quoted:
        return None
    is_plain = not any(map(is_special, term.split()))
    quotes = [quote for _, _, quote in quoted]
    branches, is_parted = list_branches(quotes), are_counterparts(quotes)
    options = [
        offer(page.served.title or page.served.path, quote, page.cite(entry.anchor))
        for entry, page, quote in quoted
    ]
    folder, words = choose_place({branch for branch, _ in branches}, wording)
    are_meant = [folder in {None, branch} for branch, _ in branches]
    passed = [
        option for (option, _), is_meant in zip(options, are_meant, strict=True) if not is_meant
    ]
    quoted, options = [*compress(quoted, are_meant)], [*compress(options, are_meant)]
    # Namesakes of two sources are two things, even if both are told in the same words.
    is_one = len({(page.served.source, *quote.text.split()) for _, page, quote in quoted}) == 1
    if (
        len(quoted) > 1
        and not is_one
        and (best[0].is_title or is_parted or (is_headed and is_plain))
    ):
        return ask(term, options)
    entry, _, evidence = quoted[0]
    answer = build_answer(
        term,
        ResolverStep.HOT_TERMS,
        evidence,
        values,
        confidence=_HOT_CONFIDENCE if entry.summary else _CALLED_CONFIDENCE,
        anchor=entry.anchor,
    )
    more = dict.fromkeys([*answer.evidence, *(quote for _, _, quote in quoted)])
    answer = replace(
        answer, summary=entry.summary or answer.summary, evidence=tuple(more)[:MOST_EVIDENCE]
    )
    return add_choice(answer, ChoiceKind.CONTEXT, words, passed)


def _quote_entry(page: DocumentPage, entry: GlossaryEntry) -> QuotedSpan | None:
    """Return what a document says of a name of its own; None where it is a title and no more."""
    if entry.start < entry.end:
        return page.quote(entry.start, entry.end)
    if not entry.anchor:
        return page.quote(*page.find_lead()) if page.has_sentence else None
    part = page.find_part(entry.anchor)
    return page.quote(*page.find_lead(part)) if part is not None else None


def explain(quoter: DocumentQuoter, term: str, known: KnownTerm) -> list[Option]:
    """Return a thing as one of several that may be meant; nothing where nothing tells of it."""
    for value in known.values:
        return [offer(value.term, value.evidence)]
    for entry in known.entries:
        page = quoter.open_page(entry.document)
        quote = _quote_entry(page, entry) if page else None
        if page is not None and quote is not None:
            return [offer(term, quote, page.cite(entry.anchor), entry.summary)]
    return []


def offer_title(quoter: DocumentQuoter, term: str, known: KnownTerm) -> list[Option]:
    """Return a thing of which its pages say nothing but its name, with how one of them begins."""
    pages = (page for entry in known.entries if (page := quoter.open_page(entry.document)))
    return [offer(term, page.quote(*page.find_lead())) for page in [*pages][:1]]


def ask_about_places(
    quoter: DocumentQuoter, term: str, places: Mapping[str, KnownTerm], question: ValueQuestion
) -> Answer | None:
    """Ask which of several namesakes is meant, each of another source or site."""
    named = [known for known in places.values() if known.is_named] or [*places.values()]
    options = [
        option
        for known in named
        for values in [select_values(known.values, question) or known.values]
        for option in explain(quoter, term, replace(known, values=values))
    ]
    return ask(term, options) if options else None


def contains_term(text: str, term: str) -> bool:
    """Tell whether a text has a term, in full and in any case."""
    pattern = re.escape(fold(term))
    return re.search(rf"(?<!\w){pattern}(?!\w)", fold(text)) is not None
