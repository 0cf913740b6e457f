"""Which values of a thing hold and are asked for, and what is answered where none is stated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from wellworn.domain.knowledge.answers import (
    Answer,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    Value,
)
from wellworn.domain.knowledge.attributes import Attribute, list_telling_words
from wellworn.domain.knowledge.conflicts import SEVERAL, normalize_value
from wellworn.domain.knowledge.entities import is_special
from wellworn.domain.knowledge.passages import Need
from wellworn.domain.knowledge.questions import ValueQuestion, select_conflicts
from wellworn.domain.knowledge.quoting import render_quote
from wellworn.domain.knowledge.steps import MOST_EVIDENCE, ask, offer

TELLING: Final = frozenset({"ip", "hostname", "url", "endpoint", "secret_ref"})
"""What a name that stands alone is asked for: where something is."""
_KINDS: Final = {"hostname": "host", "secret_ref": "env"}
"""What identifiers of some types of facts are called."""
_DEFAULT: Final = "default"
_MOST_VALUES: Final = 10
_MOST_QUOTED: Final = 2_000
"""Characters of what an answer quotes."""


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
        if (conflict.state == "open" or conflict.resolution == "both")
        and (asked is not None or conflict.fact_type in TELLING)
    )
    return remaining, next(undecided, None)


def answer_with_values(term: str, values: Sequence[Value]) -> Answer:
    """Answer with the values that were asked for, or ask which of those that differ is meant."""
    best = values[0]
    if _differ(values):
        options = {(value.value, value.evidence.citation): value for value in values}.values()
        return ask(term, [offer(each.value, each.evidence) for each in options], values=values)
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


def ask_which_value(term: str, values: Sequence[Value]) -> Answer:
    """Ask which of several values is meant, each with its thing and what the document calls it."""
    return ask(term, [offer(label_value(value), value.evidence) for value in values], values=values)


def label_value(value: Value) -> str:
    """Return a value with its thing and what the document calls it."""
    return f"{value.term} {value.attribute}: {value.value}"


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


def answer_not_stated(answer: Answer, asked: Attribute) -> Answer:
    """Say that a thing is known but not what was asked of it."""
    return replace(
        answer,
        outcome=ResolutionOutcome.NOT_STATED,
        candidates=(),
        question=f"{_say_not_stated(answer, asked)} What is it, and where does it say so?",
    )


def quote_first(answer: Answer, asked: Attribute, quotes: Sequence[QuotedSpan]) -> Answer:
    """Return what is known below lines that speak of thing and attribute, and may state it."""
    return replace(
        answer,
        outcome=ResolutionOutcome.NOT_STATED,
        candidates=(),
        evidence=tuple(dict.fromkeys((*quotes, *answer.evidence)))[:MOST_EVIDENCE],
        question=f"{_say_not_stated(answer, asked)} What is quoted first speaks of both: does it "
        "answer the question?",
    )


def _say_not_stated(answer: Answer, asked: Attribute) -> str:
    return f'Nothing states the "{asked.called}" of "{answer.term}" for sure.'


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


def list_needs(question: ValueQuestion) -> list[Need]:
    """Return what a passage must speak of to answer a question."""
    needs = [Need(frozenset({question.name}), is_name=True)]
    asked = question.asked
    if asked is not None and asked.is_free:
        needs += [Need(frozenset({word})) for word in asked.name.split()]
    elif asked is not None:
        needs.append(_build_need(asked))
    return [*needs, *(Need(frozenset({word})) for word in question.qualifiers)]


def list_word_needs(text: str, question: ValueQuestion) -> list[Need]:
    """Return what a passage must speak of where no name is known: each word, special ones exactly.

    Words for the attribute that is asked are one need, met by any other word for it.
    """
    asked = question.asked
    if asked is not None and asked.is_free and question.is_by_context:
        text = f"{text} {asked.name}"
    needs = [_build_need(asked)] if asked is not None and not asked.is_free else []
    names = {word for need in needs for name in need.phrases for word in name.split()}
    words = (word for word in list_telling_words(text) if word not in names)
    return [*needs, *(Need(frozenset({word}), is_name=is_special(word)) for word in words)]


def _build_need(asked: Attribute) -> Need:
    return Need(asked.names, kinds=frozenset(_KINDS.get(kind, kind) for kind in asked.types))


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
