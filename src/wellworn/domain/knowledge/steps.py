"""How the resolver answers: each step from what it was given, without asking anything itself.

A step answers, or has no answer. Every word of an answer is cut from a document.

Source: knowledge sync v1.0, section 7; knowledge design, decision 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.knowledge.answers import (
    Answer,
    Candidate,
    ConflictFound,
    Evidence,
    FoundBy,
    Outcome,
    Value,
)
from wellworn.domain.knowledge.entities import file_stem, is_special, key
from wellworn.domain.knowledge.mentions import (
    Mention,
    explained,
    grounded,
    label_of,
    mentions,
    not_explained,
    spoken_of,
)
from wellworn.domain.knowledge.quoting import Shelf, seen
from wellworn.domain.knowledge.store.learning import Learned
from wellworn.domain.sources import Snippet, asked
from wellworn.engines.retrieval.text import is_same_name
from wellworn.kit.text import folded

MOST_CANDIDATES: Final = 4
_MOST_EVIDENCE: Final = 5
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_.]+")
_HOT_CONFIDENCE: Final = 0.9
NAMED_CONFIDENCE: Final = 0.7
MENTIONED_CONFIDENCE: Final = 0.5
_CALLED_CONFIDENCE: Final = 0.8


def by_alias(
    shelf: Shelf, term: str, alias: Learned | None, values: Sequence[Value], *, only_taught: bool
) -> Answer | None:
    """Answer with what the term was found to stand for, if the section still speaks of it."""
    if alias is None or (only_taught and not alias.is_taught):
        return None
    page = shelf.page(alias.document_id)
    part = page.part_called(alias.anchor) if page else None
    if page is None or part is None:
        return None
    is_as_it_was = page.section_hash(alias.anchor) == alias.section_hash
    if not is_as_it_was and not _says(page.text[part.start : part.end], term):
        return None
    evidence = page.evidence(*page.lead(part if alias.anchor else None))
    return resolved(
        term, FoundBy.ALIASES, evidence, values, confidence=alias.confidence, anchor=alias.anchor
    )


def by_hot_terms(
    shelf: Shelf,
    term: str,
    names: Sequence[str],
    values: Sequence[Value],
    hot: Mapping[str, Any],
) -> Answer | None:
    known = (hot["terms"].get(key(one)) for one in names)
    found = next((one for one in known if one and one["document"] is not None), None)
    if found is None:
        return None
    page = shelf.page(found["document"])
    if page is None:
        return None
    evidence = page.evidence(found["start"], found["end"])
    answer = resolved(
        term,
        FoundBy.HOT_TERMS,
        evidence,
        values,
        confidence=_HOT_CONFIDENCE,
        anchor=found["anchor"],
    )
    return replace(answer, summary=found["summary"] or answer.summary)


def by_name(shelf: Shelf, term: str, values: Sequence[Value]) -> Answer | None:
    """Answer with the document that is called so, or ask which one of several."""
    pages = shelf.called(term)
    if not pages:
        return None
    evidence = [page.evidence(*page.lead()) for page in pages]
    if len(pages) == 1:
        return resolved(
            term, FoundBy.SEARCH, evidence[0], values, confidence=_CALLED_CONFIDENCE, anchor=""
        )
    options = [
        Candidate(page.served.title or page.served.path, page.citation(""), seen(one.text))
        for page, one in zip(pages, evidence, strict=True)
    ]
    return ask(term, options[:MOST_CANDIDATES], evidence[:MOST_CANDIDATES])


def by_facts(term: str, values: Sequence[Value]) -> Answer | None:
    if not values:
        return None
    best = values[0]
    return resolved(
        term,
        FoundBy.SEARCH,
        best.evidence,
        values,
        confidence=best.confidence,
        anchor=best.evidence.anchor,
    )


def misspelt(shelf: Shelf, term: str, hot: Mapping[str, Any]) -> Answer | None:
    """Ask whether a known term is meant that differs by a typing error; never take it for it."""
    alike = [
        one
        for one in hot["terms"].values()
        if is_same_name(one["term"], term) and one["document"] in shelf.served
    ]
    pages = [(one, shelf.page(one["document"])) for one in alike[:MOST_CANDIDATES]]
    known = [(one, page) for one, page in pages if page is not None]
    if not known:
        return None
    return ask(
        term,
        [
            Candidate(one["term"], page.citation(one["anchor"]), seen(one["summary"]))
            for one, page in known
        ],
        [page.evidence(one["start"], one["end"]) for one, page in known],
    )


def by_search(shelf: Shelf, term: str, snippets: Sequence[Snippet]) -> Answer:
    """Answer with the one section that is called so or says what it is, or ask."""
    called = _distinct(one for one in snippets if _is_called(one, term) and _tells(shelf, one))
    spoken = _distinct(one for one in snippets if _speaks(one, term))
    if called:
        return _one_of(shelf, term, called, NAMED_CONFIDENCE)
    exact = [one for one in spoken if one.is_exact and asked(term)]
    if exact:
        return _answered(shelf, term, exact[0], NAMED_CONFIDENCE)
    told = mentions(shelf, term, spoken)
    if found := explained(told) or (told if _is_name(term) else []):
        return _told(shelf, term, found)
    alike = _distinct(one for one in snippets if _is_called_like(one, term))
    alike = alike or _distinct(one for one in snippets if _is_part_of_a_name(one, term))
    if alike:
        return _ask_about(term, alike[:MOST_CANDIDATES])
    if not told:
        return _unknown(term)
    # A plain word that is said somewhere may be nothing; a phrase stands for something.
    is_phrase = " " in term or any(map(str.isdigit, term))
    return (spoken_of if is_phrase else not_explained)(term, told[:MOST_CANDIDATES])


def _one_of(shelf: Shelf, term: str, found: Sequence[Snippet], confidence: float) -> Answer:
    if len(found) == 1:
        return _answered(shelf, term, found[0], confidence)
    return _ask_about(term, found[:MOST_CANDIDATES])


def _told(shelf: Shelf, term: str, found: Sequence[Mention]) -> Answer:
    """Answer with the one place that speaks of a term, not very sure, or ask about several."""
    if len(found) > 1:
        return spoken_of(term, found[:MOST_CANDIDATES])
    [one] = found
    answer = _answered(shelf, term, one.passage, MENTIONED_CONFIDENCE)
    evidence = tuple(dict.fromkeys((one.evidence, *answer.evidence)))
    return replace(answer, canonical=one.evidence.citation, summary=one.said, evidence=evidence)


def _answered(shelf: Shelf, term: str, one: Snippet, confidence: float) -> Answer:
    page = shelf.page(one.document_id)
    if page is None:
        return _unknown(term)
    # A passage may begin with the blank line above its heading.
    evidence = replace(page.evidence(one.start, one.end), anchor=one.anchor)
    return resolved(term, FoundBy.SEARCH, evidence, (), confidence=confidence, anchor=one.anchor)


def resolved(
    term: str,
    found_by: FoundBy,
    evidence: Evidence,
    values: Sequence[Value],
    *,
    confidence: float,
    anchor: str,
) -> Answer:
    told = dict.fromkeys([evidence, *(one.evidence for one in values)])
    return Answer(
        term=term,
        outcome=Outcome.RESOLVED,
        found_by=found_by,
        canonical=replace(evidence, anchor=anchor).citation,
        confidence=confidence,
        summary=seen(evidence.text),
        values=tuple(values),
        evidence=tuple(told)[:_MOST_EVIDENCE],
    )


def lost_values(conflict: ConflictFound) -> set[str]:
    """Return the values that somebody decided against."""
    if conflict.state != "resolved" or conflict.resolution == "both":
        return set()
    return {claim.value for claim in conflict.claims} - {conflict.resolution or ""}


def settled(
    values: Sequence[Value], disputed: Sequence[ConflictFound]
) -> tuple[list[Value], ConflictFound | None]:
    """Return the values that hold, and the first dispute that leaves several of them."""
    kept = list(values)
    for one in disputed:
        if lost := lost_values(one):
            kept = [
                value
                for value in kept
                if value.fact_type != one.fact_type or value.value not in lost
            ]
    undecided = (one for one in disputed if one.state == "open" or one.resolution == "both")
    return kept, next(undecided, None)


def undecided(term: str, values: Sequence[Value], conflict: ConflictFound) -> Answer:
    """Ask about what documents say differently, with every quote."""
    options = [
        Candidate(claim.value, claim.evidence.citation, seen(claim.evidence.text))
        for claim in conflict.claims
    ]
    what = conflict.attribute or conflict.fact_type
    said: dict[str, list[str]] = {}
    for one in options:
        said.setdefault(one.label, []).append(one.citation)
    choice = " or ".join(f"{value} ({', '.join(places)})" for value, places in said.items())
    if conflict.resolution == "both":
        question = f'"{term}" stands for several things. Which {what} is meant: {choice}?'
    else:
        question = f"The documents disagree about the {what} of {term}: {choice}. Which one holds?"
    return Answer(
        term=term,
        outcome=Outcome.AMBIGUOUS,
        found_by=FoundBy.SEARCH,
        values=tuple(values),
        evidence=tuple(claim.evidence for claim in conflict.claims),
        question=question,
        candidates=tuple(options),
    )


def ask(term: str, options: Sequence[Candidate], evidence: Sequence[Evidence]) -> Answer:
    """Ask which one is meant, with a quote of each."""
    options = grounded(options, evidence)
    choice = " or ".join(f"{one.label} ({one.citation})" for one in options)
    lead = f'"{term}" may mean several things. ' if len(options) > 1 else ""
    return Answer(
        term=term,
        outcome=Outcome.AMBIGUOUS,
        found_by=FoundBy.SEARCH,
        evidence=tuple(dict.fromkeys(evidence)),
        question=f"{lead}Did you mean {choice}?",
        candidates=options,
    )


def _unknown(term: str) -> Answer:
    return Answer(
        term=term,
        outcome=Outcome.UNKNOWN,
        found_by=FoundBy.NOTHING,
        question=f'"{term}" is not in the knowledge base. What is it, and where does it say so?',
    )


def option(value: Value) -> Candidate:
    return Candidate(value.term, value.evidence.citation, seen(value.evidence.text))


def _ask_about(term: str, snippets: Sequence[Snippet]) -> Answer:
    return ask(term, [_candidate(one) for one in snippets], [_evidence(one) for one in snippets])


def _evidence(one: Snippet) -> Evidence:
    place = (one.document_id, one.source, one.path, one.anchor)
    return Evidence(*place, one.text, one.start, one.end)


def _candidate(one: Snippet) -> Candidate:
    return Candidate(label_of(one), one.citation, seen(one.text))


def _distinct(snippets: Iterable[Snippet]) -> list[Snippet]:
    """Return the best snippet of each section."""
    return list({(one.document_id, one.anchor): one for one in reversed(list(snippets))}.values())[
        ::-1
    ]


def _tells(shelf: Shelf, one: Snippet) -> bool:
    """Tell whether a sentence is in the document; some have a title and nothing else."""
    page = shelf.page(one.document_id)
    return page is not None and page.tells


def _is_called(one: Snippet, term: str) -> bool:
    return any(key(name) == key(term) for name in _names(one))


def _is_called_like(one: Snippet, term: str) -> bool:
    return any(is_same_name(name, term) for name in _names(one))


def _is_part_of_a_name(one: Snippet, term: str) -> bool:
    """Tell whether a name has all words of a term, as `etcdSignerExpires` has "etcd signer"."""
    if " " not in term or not _is_name(term):
        return False
    return any(is_titled(_HUMP.sub(" ", name), term) for name in _names(one))


def _names(one: Snippet) -> list[str]:
    return [name for name in (*one.headings[-1:], one.title, file_stem(one.path)) if name]


def is_titled(title: str, words: str) -> bool:
    """Tell whether a heading has all of some words, in any form of them."""
    return set(key(words).split()) <= set(key(title).split())


def _speaks(one: Snippet, term: str) -> bool:
    """Tell whether a passage says a term, or stands below a heading or title that does."""
    return any(_says(text, term) for text in (one.text, one.title or "", *one.headings[-1:]))


def _says(text: str, term: str) -> bool:
    """Tell whether a text has a term, whole, in any case."""
    said = re.escape(folded(term).casefold())
    return re.search(rf"(?<!\w){said}(?!\w)", folded(text).casefold()) is not None


def _is_name(term: str) -> bool:
    return any(is_special(word) for word in term.split())
