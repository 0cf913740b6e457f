"""Builds an answer: values, a question with those it may mean, quotes, or nothing known.

Every word of an answer is cut from a document.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from wellworn.domain.knowledge.answers import (
    BOTH,
    Answer,
    AnswerCandidate,
    Choice,
    ChoiceKind,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    Value,
)
from wellworn.domain.knowledge.attributes import drop_aside
from wellworn.domain.knowledge.conflicts import SEVERAL, normalize_value
from wellworn.domain.knowledge.quoting import render_quote
from wellworn.domain.sources import find_identifiers, normalize_identifier
from wellworn.kit.clock import format_day

_DEFAULT: Final = "default"
_MOST_VALUES: Final = 10
_MOST_QUOTED: Final = 2_000
"""Characters of what an answer quotes."""

MOST_CANDIDATES: Final = 4
MOST_EVIDENCE: Final = 5
Option = tuple[AnswerCandidate, QuotedSpan]
"""A candidate that may be meant, and the quote that tells of it."""


def build_answer(
    term: str,
    found_by: ResolverStep,
    evidence: QuotedSpan,
    values: Sequence[Value],
    *,
    confidence: float,
    anchor: str | None = None,
) -> Answer:
    """Answer with what a quote says; `anchor` is of the section that it stands for, if another."""
    cited = evidence if anchor is None else replace(evidence, anchor=anchor)
    quotes = dict.fromkeys([evidence, *(value.evidence for value in values)])
    return Answer(
        term=term,
        outcome=ResolutionOutcome.RESOLVED,
        found_by=found_by,
        canonical=cited.citation,
        confidence=confidence,
        summary=render_quote(evidence.text),
        values=tuple(values),
        evidence=tuple(quotes)[:MOST_EVIDENCE],
    )


def ask_about_conflict(term: str, values: Sequence[Value], conflict: StoredConflict) -> Answer:
    """Ask about what documents say differently, with every quote."""
    what = conflict.attribute or conflict.fact_type
    places_by_value: dict[str, list[str]] = {}
    for claim in conflict.claims:
        places_by_value.setdefault(claim.value, []).append(_place(claim.evidence))
    choice = " or ".join(
        f"{value} ({', '.join(places)})" for value, places in places_by_value.items()
    )
    if conflict.resolution == BOTH:
        question = f'"{term}" stands for several things. Which {what} is meant: {choice}?'
    else:
        question = f"The documents disagree about the {what} of {term}: {choice}. Which one holds?"
    options = [offer(claim.value, claim.evidence) for claim in conflict.claims]
    return replace(ask(term, options, values=values, most=len(options)), question=question)


def _place(quote: QuotedSpan) -> str:
    """Return where a quote stands, and the day of the last commit of its document."""
    changed = quote.committed_at
    return quote.citation if changed is None else f"{quote.citation}, {format_day(changed)}"


def offer(label: str, quote: QuotedSpan, citation: str = "", summary: str = "") -> Option:
    """Return one that may be meant, with the quote that tells of it."""
    summary = render_quote(summary or quote.text)
    return AnswerCandidate(label, citation or quote.citation, summary), quote


def ask(
    term: str,
    offered: Sequence[Option],
    *,
    values: Sequence[Value] = (),
    most: int = MOST_CANDIDATES,
) -> Answer:
    """Ask which one is meant, with a quote of each, and say how many are not shown."""
    evidence = [quote for _, quote in offered[:most]]
    options = _remove_ungrounded([option for option, _ in offered[:most]], evidence)
    more = len(offered) - len(options)
    labels = Counter(option.label for option in options)
    choice = " or ".join(
        f"{option.label if labels[option.label] == 1 else option.summary} ({option.citation})"
        for option in options
    )
    lead = f'"{term}" may mean several things. ' if len(options) > 1 else ""
    return Answer(
        term=term,
        outcome=ResolutionOutcome.AMBIGUOUS,
        found_by=ResolverStep.SEARCH,
        values=tuple(values),
        evidence=tuple(dict.fromkeys(evidence)),
        question=f"{lead}Did you mean {choice}{f', or one of {more} more' if more else ''}?",
        candidates=options,
    )


def add_choice(
    answer: Answer,
    kind: ChoiceKind,
    words: str,
    others: Iterable[AnswerCandidate],
    *,
    by: str | None = None,
) -> Answer:
    """Return an answer that says what chose it, if there was anything else to choose."""
    passed = list(dict.fromkeys(others))
    if not passed:
        return answer
    shown = tuple(passed[:MOST_CANDIDATES])
    choice = Choice(kind, words, by, shown, len(passed) - len(shown))
    return replace(answer, chosen_by=(*answer.chosen_by, choice)[:MOST_CANDIDATES])


def offer_values(values: Iterable[Value]) -> list[AnswerCandidate]:
    """Return values as what may be meant."""
    return [offer(value.value, value.evidence)[0] for value in values]


def _remove_ungrounded(
    options: Iterable[AnswerCandidate], evidence: Sequence[QuotedSpan]
) -> tuple[AnswerCandidate, ...]:
    """Return candidates without a word that names what no quote has: such a one is left out."""
    there = {
        normalize_identifier(identifier.value)
        for quote in evidence
        for identifier in find_identifiers(quote.text)
    }

    def is_known(text: str) -> bool:
        return all(
            normalize_identifier(identifier.value) in there for identifier in find_identifiers(text)
        )

    def find_label(candidate: AnswerCandidate) -> str:
        names = (candidate.label, candidate.label.partition(": ")[0])
        return next(filter(is_known, names), candidate.citation)

    return tuple(
        replace(
            option,
            label=find_label(option),
            summary=option.summary if is_known(option.summary) else "",
        )
        for option in options
    )


def answer_with_values(term: str, values: Sequence[Value]) -> Answer:
    """Answer with the values that were asked for, or ask which of those that differ is meant."""
    best = values[0]
    if _differ(values):
        options = {(value.value, value.evidence.citation): value for value in values}.values()
        return ask(term, [offer(_call(each), each.evidence) for each in options], values=values)
    step = ResolverStep.FACTS
    return build_answer(term, step, best.evidence, values, confidence=best.confidence)


def ask_which_value(term: str, values: Sequence[Value]) -> Answer:
    """Ask which of several values is meant, each with its thing and what the document calls it."""
    labels = (f"{value.term} {value.attribute}: {value.value}" for value in values)
    offered = [offer(label, value.evidence) for label, value in zip(labels, values, strict=True)]
    return ask(term, offered, values=values)


def _call(value: Value) -> str:
    """Return a value, with what stands in brackets where the document says what it is."""
    is_qualified = drop_aside(value.attribute) != value.attribute
    return f"{value.attribute}: {value.value}" if is_qualified else value.value


def _differ(values: Sequence[Value]) -> bool:
    """Tell whether two places state other values; one place may list several.

    A default and what is set instead of it are no difference.
    """
    lines: dict[tuple[bool, int, int], set[str]] = defaultdict(set)
    for value in values:
        is_list, quote = value.fact_type in SEVERAL, value.evidence
        place = (value.attribute == _DEFAULT, quote.document_id, 0 if is_list else quote.start)
        lines[place].add(normalize_value(value.value, value.fact_type))
    return any(
        first[0] == second[0] and not lines[first] & lines[second]
        for first, second in combinations(lines, 2)
    )


def answer_not_stated(answer: Answer, asked: str, quotes: Sequence[QuotedSpan] = ()) -> Answer:
    """Say that a thing is known but not what was asked of it; `quotes` speak of both."""
    doubt = "What is quoted first speaks of both: does it answer the question?"
    what = doubt if quotes else "What is it, and where does it say so?"
    return replace(
        answer,
        outcome=ResolutionOutcome.NOT_STATED,
        candidates=(),
        evidence=tuple(dict.fromkeys((*quotes, *answer.evidence)))[:MOST_EVIDENCE],
        question=f'Nothing states the "{asked}" of "{answer.term}" for sure. {what}',
        is_silent=not quotes,
    )


def answer_with_passages(term: str, quotes: Sequence[QuotedSpan]) -> Answer:
    """Quote the lines that speak of all that is asked; nothing is claimed."""
    best = quotes[0]
    return Answer(
        term=term,
        outcome=ResolutionOutcome.NOT_STATED,
        found_by=ResolverStep.SEARCH,
        canonical=best.citation,
        summary=render_quote(best.text),
        evidence=tuple(quotes),
        question="Nothing states for sure what is asked. What is quoted speaks of it: does it "
        "answer the question?",
    )


def answer_likely(known: Answer, quotes: Sequence[QuotedSpan]) -> Answer:
    """Return an answer that quotes first what answers likeliest, though nothing is sure."""
    if not quotes:
        return known
    if known.outcome is ResolutionOutcome.UNKNOWN:
        return answer_with_passages(known.term, [*quotes, *known.evidence][:MOST_EVIDENCE])
    evidence = tuple(dict.fromkeys((*quotes, *known.evidence)))[:MOST_EVIDENCE]
    return replace(known, evidence=evidence)


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


def answer_mentioned(term: str, quotes: Sequence[QuotedSpan]) -> Answer:
    """Say where a plain word stands, and that nothing there says what it is."""
    places = ", ".join(dict.fromkeys(quote.citation for quote in quotes))
    return replace(
        answer_unknown(term),
        found_by=ResolverStep.SEARCH,
        evidence=tuple(quotes),
        question=f'"{term}" is mentioned in {places}, and not explained. What is it, and where '
        "does it say so?",
    )


def answer_unknown(term: str) -> Answer:
    return Answer(
        term=term,
        outcome=ResolutionOutcome.UNKNOWN,
        found_by=ResolverStep.NOTHING,
        question=f'"{term}" is not in the knowledge base. What is it, and where does it say so?',
    )
