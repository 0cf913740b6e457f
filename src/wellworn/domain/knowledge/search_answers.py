"""Answers of what search brings: the section that is called so, or the sentence that explains it.

Every word of an answer is cut from a document; what is only mentioned is quoted, and asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.knowledge.answers import (
    Answer,
    AnswerCandidate,
    ResolutionOutcome,
    ResolverStep,
)
from wellworn.domain.knowledge.entities import file_stem, is_special, name_key
from wellworn.domain.knowledge.mentions import (
    Mention,
    answer_mentioned,
    answer_unexplained,
    ask_about_mentions,
    build_label,
    find_mentions,
    select_explaining,
)
from wellworn.domain.knowledge.quoting import DocumentQuoter, quote_snippet, render_quote
from wellworn.domain.knowledge.steps import (
    MENTIONED_CONFIDENCE,
    MOST_CANDIDATES,
    MOST_EVIDENCE,
    NAMED_CONFIDENCE,
    ask,
    build_answer,
    contains_term,
    is_titled,
)
from wellworn.domain.sources import Snippet, extract_exact_terms
from wellworn.engines.retrieval.text import is_same_name

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_.]+")


def answer_by_search(
    quoter: DocumentQuoter, term: str, snippets: Sequence[Snippet], *, asks_value: bool = False
) -> Answer:
    """Answer with the one section that is called so or says what it is, or ask.

    Where a value is asked of what is only mentioned, nothing is asked back: it is not stated.
    """
    called = _deduplicate(
        snippet
        for snippet in snippets
        if _is_named(snippet, term) and _has_sentence(quoter, snippet)
    )
    if called:
        return _answer_or_ask(quoter, term, called, NAMED_CONFIDENCE)
    spoken = _deduplicate(snippet for snippet in snippets if _mentions_term(snippet, term))
    mentions = find_mentions(quoter, term, spoken)
    return (
        _answer_exactly(quoter, term, spoken, mentions)
        or _answer_with_mentions(quoter, term, mentions, asks_value=asks_value)
        or _ask_about_alike(term, snippets)
        or _answer_unexplained(term, mentions)
    )


def _answer_exactly(
    quoter: DocumentQuoter, term: str, spoken: Sequence[Snippet], mentions: Sequence[Mention]
) -> Answer | None:
    """Answer with the passage that has an identifier which no prose speaks of."""
    exact = [snippet for snippet in spoken if snippet.is_exact and extract_exact_terms(term)]
    if not exact or any(mention.rank for mention in mentions):
        return None
    return _answer_with_snippet(quoter, term, exact[0], NAMED_CONFIDENCE)


def _answer_with_mentions(
    quoter: DocumentQuoter, term: str, mentions: Sequence[Mention], *, asks_value: bool
) -> Answer | None:
    if explaining := select_explaining(mentions):
        return _answer_with_mention(quoter, term, explaining)
    if mentions and asks_value:
        return answer_mentioned(term, mentions[:MOST_CANDIDATES])
    if mentions and _is_name(term):
        return _answer_with_best_mention(quoter, term, mentions)
    return None


def _ask_about_alike(term: str, snippets: Sequence[Snippet]) -> Answer | None:
    alike = _deduplicate(snippet for snippet in snippets if _is_named_like(snippet, term))
    alike = alike or _deduplicate(
        snippet for snippet in snippets if _is_part_of_a_name(snippet, term)
    )
    return _ask_about(term, alike[:MOST_CANDIDATES]) if alike else None


def _answer_unexplained(term: str, mentions: Sequence[Mention]) -> Answer:
    """Say where words stand that nothing explains, or that they stand nowhere."""
    if not mentions:
        return _answer_unknown(term)
    # A plain word that is said somewhere may be nothing; a phrase stands for something.
    is_phrase = " " in term or any(map(str.isdigit, term))
    return (ask_about_mentions if is_phrase else answer_unexplained)(
        term, mentions[:MOST_CANDIDATES]
    )


def _answer_or_ask(
    quoter: DocumentQuoter, term: str, snippets: Sequence[Snippet], confidence: float
) -> Answer:
    if len(snippets) == 1:
        return _answer_with_snippet(quoter, term, snippets[0], confidence)
    return _ask_about(term, snippets[:MOST_CANDIDATES])


def _answer_with_mention(quoter: DocumentQuoter, term: str, places: Sequence[Mention]) -> Answer:
    """Answer with the one place that speaks of a term, not very sure, or ask about several."""
    if len(places) > 1:
        return ask_about_mentions(term, places[:MOST_CANDIDATES])
    [mention] = places
    answer = _answer_with_snippet(quoter, term, mention.passage, MENTIONED_CONFIDENCE)
    evidence = tuple(dict.fromkeys((mention.evidence, *answer.evidence)))
    return replace(
        answer, canonical=mention.evidence.citation, summary=mention.sentence, evidence=evidence
    )


def _answer_with_best_mention(
    quoter: DocumentQuoter, term: str, mentions: Sequence[Mention]
) -> Answer:
    """Answer with the one document that begins a sentence with a name; else ask about all."""
    telling = {mention.passage.document_id for mention in mentions if mention.is_telling}
    if len(mentions) > 1 and not (mentions[0].is_telling and len(telling) == 1):
        return ask_about_mentions(term, mentions[:MOST_CANDIDATES])
    answer = _answer_with_mention(quoter, term, mentions[:1])
    others = (mention.evidence for mention in mentions[1:])
    evidence = tuple(dict.fromkeys((*answer.evidence, *others)))
    return replace(answer, evidence=evidence[:MOST_EVIDENCE])


def _answer_with_snippet(
    quoter: DocumentQuoter, term: str, snippet: Snippet, confidence: float
) -> Answer:
    page = quoter.open_page(snippet.document_id)
    if page is None:
        return _answer_unknown(term)
    # A passage may begin with the blank line above its heading.
    evidence = replace(page.quote(snippet.start, snippet.end), anchor=snippet.anchor)
    return build_answer(
        term, ResolverStep.SEARCH, evidence, (), confidence=confidence, anchor=snippet.anchor
    )


def _answer_unknown(term: str) -> Answer:
    return Answer(
        term=term,
        outcome=ResolutionOutcome.UNKNOWN,
        found_by=ResolverStep.NOTHING,
        question=f'"{term}" is not in the knowledge base. What is it, and where does it say so?',
    )


def _ask_about(term: str, snippets: Sequence[Snippet]) -> Answer:
    quotes = [quote_snippet(each, each.text, each.start) for each in snippets]
    return ask(term, [*map(_to_candidate, snippets)], quotes)


def _to_candidate(snippet: Snippet) -> AnswerCandidate:
    return AnswerCandidate(build_label(snippet), snippet.citation, render_quote(snippet.text))


def _deduplicate(snippets: Iterable[Snippet]) -> list[Snippet]:
    """Return the best snippet of each section."""
    return list(
        {
            (snippet.document_id, snippet.anchor): snippet for snippet in reversed(list(snippets))
        }.values()
    )[::-1]


def _has_sentence(quoter: DocumentQuoter, snippet: Snippet) -> bool:
    """Tell whether a sentence is in the document; some have a title and nothing else."""
    page = quoter.open_page(snippet.document_id)
    return page is not None and page.has_sentence


def _is_named(snippet: Snippet, term: str) -> bool:
    return any(name_key(name) == name_key(term) for name in _names(snippet))


def _is_named_like(snippet: Snippet, term: str) -> bool:
    return any(is_same_name(name, term) for name in _names(snippet))


def _is_part_of_a_name(snippet: Snippet, term: str) -> bool:
    """Tell whether a name has all words of a term, as `etcdSignerExpires` has "etcd signer"."""
    if " " not in term or not _is_name(term):
        return False
    return any(is_titled(_HUMP.sub(" ", name), term) for name in _names(snippet))


def _names(snippet: Snippet) -> list[str]:
    return [
        name for name in (*snippet.headings[-1:], snippet.title, file_stem(snippet.path)) if name
    ]


def _mentions_term(snippet: Snippet, term: str) -> bool:
    """Tell whether a passage says a term, or stands below a heading or title that does."""
    return any(
        contains_term(text, term)
        for text in (snippet.text, snippet.title or "", *snippet.headings[-1:])
    )


def _is_name(term: str) -> bool:
    return any(map(is_special, term.split()))
