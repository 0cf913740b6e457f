"""Turns what memory and knowledge give into evidence, numbered for its mention and citation.

Evidence is numbered when it is recorded, for readers of the files and prompts of the turn; an
answer counts what it cites from 1, in the order of its quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from wellworn.domain.knowledge import (
    Answer,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    call_value,
)
from wellworn.domain.memory import NO_LIMITS, Limits
from wellworn.domain.sources import Snippet
from wellworn.domain.thoughts import FoundThought
from wellworn.domain.thoughts.truth import ANY_TIME, read_scope
from wellworn.domain.turns.grounding import CITATION
from wellworn.domain.turns.models import Evidence, EvidenceKind, Response, ToolResult
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import split_goals
from wellworn.engines.retrieval.text import speaks_of_self, split_words
from wellworn.kit.clock import format_day
from wellworn.kit.text import show_name

_TITLED = frozenset((EvidenceKind.PAGE, EvidenceKind.RESEARCH, EvidenceKind.KNOWLEDGE))
_SURE_COSINE = 0.4
"""A thought as near as this is about the query; see `memory.relevance`."""
_SURE_WITH_WORDS = 0.33
"""So is one that shares words with it: of a long one, a passage says much else as well."""
_PAST = "of a document that holds no longer"


def number_evidence(items: Iterable[Evidence], before: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Give what answers its number, after what was numbered before; what is near it gets none."""
    numbers = count(1 + max((item.number for item in before), default=0))
    return tuple(replace(item, number=next(numbers) if item.answers else 0) for item in items)


def number_sources(cited: Iterable[int], evidence: Iterable[Evidence]) -> dict[int, int]:
    """Return by which number an answer cites evidence, by the number of the evidence.

    They count from 1, in the order of citing. A passage that was found twice has one of them.
    """
    by_number = {item.number: item for item in evidence}
    passages: list[list[Evidence]] = []
    for number in dict.fromkeys(cited):
        if item := by_number.get(number):
            same = (each for each in passages if all(_is_same(item, other) for other in each))
            if (passage := next(same, None)) is None:
                passages.append(passage := [])
            passage.append(item)
    return {item.number: place for place, each in enumerate(passages, 1) for item in each}


def _is_same(item: Evidence, other: Evidence) -> bool:
    """Tell whether evidence is the same passage of a source, or a stretch of it."""
    is_within = item.text in other.text or other.text in item.text
    return item.source == other.source and is_within


def number_answer(response: Response, evidence: Iterable[Evidence]) -> dict[int, int]:
    """Return by which number a written answer cites evidence, by the number of the evidence."""
    if response.cited is not None:
        return number_sources(response.cited, evidence)
    return {claim.evidence: claim.evidence for claim in response.claims if claim.evidence}


def cite_evidence(numbers: Mapping[int, int], evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return what an answer cites, in the order and by the numbers of the answer.

    Of a passage that was found twice it is the longer stretch.
    """
    cited = [item for item in evidence if item.number in numbers]
    by_number = {numbers[item.number]: item for item in sorted(cited, key=_measure_text)}
    return [replace(by_number[number], number=number) for number in sorted(by_number)]


def _measure_text(item: Evidence) -> int:
    return len(item.text)


def list_things(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Return the words, as search compares them, for what the sources of answers are about.

    A turn is called by its question, and a thought by who said it: they say nothing of it. A value
    is called by its thing and what it is of it, and is about the thing.
    """
    titles = (
        f"{_name_thing(item)} {item.source}"
        for item in evidence
        if item.number and item.kind in _TITLED
    )
    return frozenset(split_words(" ".join(titles)))


def _name_thing(item: Evidence) -> str:
    is_value = item.kind is EvidenceKind.KNOWLEDGE and item.is_certain
    return item.title.partition(": ")[0] if is_value else item.title


def renumber_citations(text: str, numbers: Mapping[int, int]) -> str:
    """Return a text with the numbers that it cites by replaced; others stay."""
    return CITATION.sub(lambda match: f"[{numbers.get(int(match[1]), match[1])}]", text)


def report_search(message: str, evidence: tuple[Evidence, ...]) -> ToolResult:
    """Return what a search gave; without anything that answers it is no success."""
    return ToolResult(message, evidence, is_empty=not any(item.answers for item in evidence))


def format_label(item: Evidence) -> str:
    """Return how files call evidence: `[E3]`, so that nobody takes it for what an answer cites."""
    return f"[E{item.number}]" if item.number else "[near]"


def format_block(item: Evidence) -> str:
    """Return the id of the block that says what evidence is; empty for what has no number."""
    return f"evidence-{item.number}" if item.number else ""


def format_caveat(item: Evidence) -> str:
    """Return what must be said beside evidence in one line; empty for what simply holds."""
    return format_line(item.note or ("may have changed" if item.is_stale else ""))


Speaker = tuple[str, str | None]
"""An agent's id, and the member whose credential it has; None at the open door."""


def cite_thoughts(
    thoughts: Iterable[FoundThought],
    query: str,
    now: float,
    *,
    asker: Speaker,
    limits: Limits = NO_LIMITS,
) -> Iterator[Evidence]:
    """Yield thoughts as evidence for a query, which may ask of the past, or of who asks.

    Of those within its limits their words decide what they are about.
    """
    asks_of_past = read_scope(query, now) != ANY_TIME
    asks_of_self = speaks_of_self(query, is_alone=True)
    for thought in thoughts:
        is_own = (thought.contributor_id, thought.owner) == asker
        cited = cite_thought(
            thought, asks_of_past=asks_of_past, is_own=is_own, is_limited=limits.is_kept
        )
        is_of_another = (
            not is_own
            and asks_of_self
            and speaks_of_self(thought.content, is_alone=True, asked=query)
        )
        # What others say of themselves says nothing of who asks.
        yield replace(cited, answers=False) if is_of_another else cited


def list_thoughts(thoughts: Iterable[FoundThought], *, asker: Speaker) -> Iterator[Evidence]:
    """Yield thoughts that were asked for by who said them when; that they were said still holds."""
    for thought in thoughts:
        is_own = (thought.contributor_id, thought.owner) == asker
        cited = cite_thought(thought, asks_of_past=True, is_own=is_own)
        yield replace(cited, answers=True, relevance=1.0)


def cite_thought(
    thought: FoundThought, *, asks_of_past: bool, is_own: bool = False, is_limited: bool = False
) -> Evidence:
    """Return a thought as evidence; one that is not true any more answers only who asks of then."""
    note, note_of = _describe_end(thought)
    if not note:
        note, note_of = _describe_rival(thought)
    author = show_name(thought.contributor_name)
    # What was perhaps replaced may still hold.
    is_over = thought.outdated_at is not None
    is_over = is_over or any(link.is_probable for link in thought.replaced_by)
    return Evidence(
        0,
        EvidenceKind.THOUGHT,
        f"you ({author}) said" if is_own else f"{author} said",
        thought.content,
        f"thought:{thought.thought_id}",
        thought_id=thought.thought_id,
        relevance=_clamp(thought.score),
        moment=thought.created_at,
        answers=(is_limited or _is_near(thought)) and (asks_of_past or not is_over),
        note=note,
        note_of=note_of,
        newer_than=tuple(link.thought_id for link in thought.replaces if not link.contested),
    )


def _is_near(thought: FoundThought) -> bool:
    return thought.score >= (_SURE_WITH_WORDS if thought.keyword > 0 else _SURE_COSINE)


def _describe_end(thought: FoundThought) -> tuple[str, str | None]:
    """Return what ended the truth of a thought and when, and by which thought, if by one."""
    for link in thought.replaced_by:
        if not link.contested:
            day = format_day(link.created_at)
            replaced = link.qualify(f"replaced by {show_name(link.contributor_name)}")
            return f"{replaced} on {day}: {link.opening}", link.thought_id
    if thought.outdated_at is not None:
        return f"outdated since {format_day(thought.outdated_at)}", None
    return "", None


def _describe_rival(thought: FoundThought) -> tuple[str, str | None]:
    """Return that a thought is contested, and by which thought, if by one; empty if it is not."""
    if not thought.contested:
        return "", None
    for link in (*thought.replaces, *thought.replaced_by):
        if link.contested:
            rival = f"{show_name(link.contributor_name)} says “{link.opening.strip()}”"
            return f"contested: {rival}", link.thought_id
    return "contested: another member says that it is not true", None


def cite_passage(passage: Snippet, *, is_near: bool = False) -> Evidence:
    """Return a passage as evidence; what only stands near what is asked answers nothing."""
    return Evidence(
        0,
        EvidenceKind.KNOWLEDGE,
        " > ".join(passage.headings) or passage.title or passage.path,
        _join_head(passage.table_head, passage.text),
        passage.citation,
        relevance=_clamp(passage.score),
        moment=passage.dated_at,
        seen_at=passage.fetched_at,
        is_stale=passage.is_stale,
        answers=not (is_near or passage.is_weak),
        note=_describe_document(passage),
    )


def cite_answer(answer: Answer, query: str) -> Iterator[Evidence]:
    """Yield what the resolver stands on; it answers where the name was resolved.

    A value that was asked for is called as the query calls it, whatever its document does. If the
    query asks for nothing else, it is certain; so is each that documents disagree about.
    """
    is_disputed = answer.outcome is ResolutionOutcome.AMBIGUOUS and bool(answer.values)
    is_resolved = answer.outcome is ResolutionOutcome.RESOLVED or is_disputed
    is_stating = answer.found_by is ResolverStep.FACTS and is_resolved
    is_certain = is_disputed or (is_stating and len(split_goals(query)) == 1)
    values = {value.evidence.citation: value for value in reversed(answer.values)}
    for quote in answer.evidence:
        value = values.get(quote.citation)
        is_stated = value is not None and value.value in quote.text
        title = call_value(value, query) if value and is_stated else ""
        yield Evidence(
            0,
            EvidenceKind.KNOWLEDGE,
            title or quote.title or quote.citation,
            _join_head(quote.table_head, quote.text),
            quote.citation,
            relevance=1.0 if is_certain else _clamp(answer.confidence),
            moment=quote.dated_at,
            seen_at=quote.fetched_at,
            is_stale=quote.is_stale,
            answers=is_resolved,
            note=_describe_document(quote),
            value=_find_value(answer, quote) if is_stating else "",
        )


def _find_value(answer: Answer, quote: QuotedSpan) -> str:
    """Return the one value of an answer that stands in a quote; empty where it is not one."""
    values = {
        value.value
        for value in answer.values
        if value.evidence.document_id == quote.document_id
        and quote.start <= value.start
        and value.end <= quote.end
    }
    return values.pop() if len(values) == 1 else ""


def _describe_document(quoted: Snippet | QuotedSpan) -> str:
    """Return what must be known of the document of a quote; empty for what simply holds."""
    return "; ".join(filter(None, [_PAST if quoted.is_past else "", quoted.encoding_note]))


def is_of_past(item: Evidence) -> bool:
    """Tell whether evidence is of a document that says that it holds no longer."""
    return item.note.startswith(_PAST)


def _join_head(table_head: str, text: str) -> str:
    """Return what is quoted, rows of a table below the head of it."""
    return f"{table_head}\n{text}" if table_head else text


def _clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)
