"""The answer without a model: quotes, ordered and without doubles, each with its source. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from wellworn.domain.turns.briefs import Brief
from wellworn.domain.turns.citing import cite_evidence, format_caveat, number_sources
from wellworn.domain.turns.extractive.choosing import (
    PROFILE,
    READABLE,
    measure_score,
    select_evidence,
)
from wellworn.domain.turns.extractive.matching import PassageMatcher, read_body
from wellworn.domain.turns.listings import states_price
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    EvidenceKind,
    Goal,
    Intent,
    Response,
    ValidationDecision,
)
from wellworn.domain.turns.page_evidence import drop_superseded
from wellworn.domain.turns.profile import reply_without_sources
from wellworn.domain.turns.quoting import fits_in_marks, list_sentences, measure_overlap
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import (
    DOCUMENT_STEMS,
    classify_intent,
    complete_goals,
    list_content_words,
)
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.clock import format_day
from wellworn.kit.stretches import find_header

_MOST_QUOTES: Final = 3
_MOST_READ: Final = 2
"""Quotes of what was read: the answer, and at most one more."""
_LEAST_SECOND: Final = 0.5
"""The probability with which what is quoted beside the answer answers, too."""
_LONGEST_QUOTE: Final = 600
_LEAST_OVERLAP: Final = 0.5
_BLOCK: Final = re.compile(r"\n\s*\n|\n(?=#{1,6} )")
_LINE: Final = re.compile(r"^([ \t]*)\S", re.MULTILINE)
_ITEM: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
HOW = "_Made of quotes: no language model is configured._"


def write_response(brief: Brief, matcher: PassageMatcher) -> Response:
    goals = brief.goals
    if reply := reply_without_sources(brief.query):
        return Response(reply)
    claims = [
        claim
        for goal, wanted in zip(
            goals, complete_goals(goal.description for goal in goals), strict=True
        )
        for claim in _quote_for(brief, goal, brief.aim(wanted), matcher)
    ]
    served = {claim.goal for claim in claims}
    missing = tuple(goal.id for goal in goals if goal.id not in served)
    cited = tuple(dict.fromkeys(claim.evidence for claim in claims if claim.evidence))
    numbers = number_sources(cited, brief.evidence)
    answered = [_format_claims(brief, goal, claims, numbers) for goal in goals]
    parts = [
        answer or format_missing(brief, goal, matcher)
        for goal, answer in zip(goals, answered, strict=True)
    ]
    if len(goals) > 1:
        parts = [
            f"## {format_line(goal.description)}\n\n{part}"
            for goal, part in zip(goals, parts, strict=True)
        ]
    sources = format_sources(cite_evidence(numbers, brief.evidence))
    read_as = brief.analysis.read_as
    lead = f"Your question was read as “{format_line(read_as)}”." if read_as else ""
    text = "\n\n".join(filter(None, [lead, *parts, sources, HOW]))
    return Response(text, tuple(claims), missing, cited)


def _quote_for(brief: Brief, goal: Goal, wanted: str, matcher: PassageMatcher) -> list[Claim]:
    """Return the quotes that serve a goal in full words, best first; none is part of another."""
    refused = _list_refused(brief)
    spoken: list[str] = []
    claims: list[Claim] = []
    evidence = drop_superseded(brief.evidence)
    reads = matcher.read(wanted, evidence)
    places = {item.number: place for place, item in enumerate(evidence) if item.number}
    for item in select_evidence([wanted], evidence, matcher):
        # What was only near when it was gathered has no number to be cited by.
        if not (item.answers and item.number):
            continue
        read = (reads or {}).get(places[item.number]) if item.kind in READABLE else None
        quote = read.quote if read else _quote(item, wanted, matcher)
        key = " ".join(split_words(quote))
        if not key or quote in refused or any(key in other or other in key for other in spoken):
            continue
        spoken.append(key)
        if claims and read and read.answers < _LEAST_SECOND:
            continue
        sure, value = (read.answers, read.value) if read else (item.relevance or 1.0, "")
        claims.append(Claim(quote, item.number, sure, goal=goal.id, value=value))
    if brief.analysis.limits.lists_all:
        return claims
    return claims[: _MOST_QUOTES if reads is None else _MOST_READ]


def _list_refused(brief: Brief) -> set[str]:
    """Return the quotes that the last validation did not let pass."""
    if brief.validation is None or brief.response is None:
        return set()
    if brief.validation.decision is not ValidationDecision.REVISE:
        return set()
    return {
        claim.text
        for claim in brief.response.claims
        if any(claim.text in issue for issue in brief.validation.issues)
    }


def _quote(item: Evidence, wanted: str, matcher: PassageMatcher) -> str:
    match = matcher.find_best(wanted, item) if item.kind is EvidenceKind.KNOWLEDGE else None
    return match.quote if match else pick_quote(item, wanted)


def pick_quote(item: Evidence, query: str) -> str:
    """Return the stretch of a source that speaks of the query, unchanged.

    It is the paragraph that holds most of what is asked, besides what the title and the address
    say already, or of a list the one item that does; to who wants to buy it is one that states a
    price. A short text whose title says it all is quoted as a whole.
    """
    body = read_body(item)
    asked = set(list_content_words(query))
    named = {*split_words(f"{item.title} {item.source}"), *DOCUMENT_STEMS}
    unsaid = asked - named or asked
    blocks = [block.strip() for block in _BLOCK.split(body) if block.strip()]
    wants_price = classify_intent(query) is Intent.TRANSACTIONAL
    offers = [
        block
        for block in blocks
        if wants_price and states_price(block) and measure_overlap(block, asked) >= _LEAST_OVERLAP
    ]
    best = max(offers or blocks, key=lambda block: measure_overlap(block, unsaid), default="")
    if not offers and measure_overlap(best, unsaid) < _LEAST_OVERLAP:
        best = body
    best = _pick_item(best, unsaid)
    return best if len(best) <= _LONGEST_QUOTE else _cut(best, unsaid)


def _pick_item(block: str, asked: set[str]) -> str:
    """Return the one item of a list that speaks of all that the list does; else all of it."""
    overlap = measure_overlap(block, asked)
    items = [match[1] for match in _ITEM.finditer(block)]
    speaking = [item for item in items if measure_overlap(item, asked) == overlap]
    return speaking[0].strip() if len(speaking) == 1 else block


def _cut(text: str, asked: set[str]) -> str:
    """Return a stretch of a long text that begins with the sentence that fits best.

    Of settings, it begins with the key above the line and ends before the next one.
    """
    top = max(list_sentences(text), key=lambda each: measure_overlap(each, asked), default="")
    place = text.find(top)
    start, end = _find_entry(text, place)
    if end - start <= _LONGEST_QUOTE:
        return text[start:end].strip()
    stretch = text[place : place + _LONGEST_QUOTE]
    boundary = max(stretch.rfind("\n"), stretch.rfind(". ") + 1, len(top))
    return stretch[:boundary].strip()


def _find_entry(text: str, place: int) -> tuple[int, int]:
    """Return where the entry begins and ends to which an indented line belongs; else all of it."""
    lines = [(match.start(), len(match[1])) for match in _LINE.finditer(text)]
    depths = dict(lines)
    own = depths.get(text.rfind("\n", 0, place) + 1, 0)
    above = [(at, depth) for at, depth in lines if at <= place and depth < own]
    if not above:
        return 0, len(text)
    start, outer = above[-1]
    ends = (at for at, depth in lines if at > place and depth <= outer)
    return start, next(ends, len(text))


def _format_claims(
    brief: Brief, goal: Goal, claims: Sequence[Claim], numbers: Mapping[int, int]
) -> str:
    """Return the quotes that serve a goal, each with its source; empty where there is none."""
    by_number = {item.number: item for item in brief.evidence}
    return "\n\n".join(
        _format_quote(claim, by_number[number], numbers[number])
        for claim in claims
        if claim.goal == goal.id and (number := claim.evidence) is not None
    )


def _format_quote(claim: Claim, item: Evidence, number: int) -> str:
    """Return the words that answer, then the quote that they stand in, with its source."""
    caveat = format_caveat(item)
    note = f" ({caveat})" if caveat else ""
    text = _add_header(claim.text, item)
    lead = f"{format_line(claim.value)} — " if claim.value and claim.value != claim.text else ""
    if fits_in_marks(text):
        return f"{lead}“{text}” [{number}]{note}"
    quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    if lead:
        return f"{format_line(claim.value)} [{number}]{note}:\n\n{quoted}"
    return f"{quoted}\n\n[{number}]{note}"


def _add_header(quote: str, item: Evidence) -> str:
    """Return a quote below the header of the table that it is a row of."""
    header = find_header(item.text, item.text.find(quote)) if quote else None
    return f"{item.text[slice(*header)]}\n{quote}" if header else quote


def format_missing(brief: Brief, goal: Goal, matcher: PassageMatcher | None = None) -> str:
    """Return the words that say that nothing was found for a goal, and what stands near it."""
    near: dict[str, None] = {}
    for entry in _list_near(brief, goal, matcher or PassageMatcher()):
        near.setdefault(entry)
        if len(near) == _MOST_QUOTES:
            break
    failed = (call.result.message for call in brief.all_calls if not call.result.is_ok)
    lines = [f"I found nothing that answers “{format_line(goal.description)}”."]
    lines += [f"A tool failed: {format_line(message)}." for message in dict.fromkeys(failed)]
    if near:
        lines.append("What comes nearest, and may not answer it:")
        lines += near
    return "\n".join(lines)


def _list_near(brief: Brief, goal: Goal, matcher: PassageMatcher) -> Iterator[str]:
    """Yield where something near a goal stands, nearest first, with the words that are nearest."""
    near = select_evidence([brief.aim(goal.description)], drop_superseded(brief.evidence))
    for item in sorted(near, key=lambda item: item.kind is EvidenceKind.TURN):
        if item.answers or item.kind in PROFILE:
            continue
        note = f", {format_line(item.note)}" if item.note else ""
        place = f"- {format_line(item.title)} ({format_line(item.source)}{note})"
        if quote := _add_header(_quote_near(item, goal.description, matcher), item):
            yield "\n".join([f"{place}:", *(f"  > {line}".rstrip() for line in quote.split("\n"))])
        else:
            yield place


def _quote_near(item: Evidence, wanted: str, matcher: PassageMatcher) -> str:
    """Return the words of a source that are nearest to what is wanted; empty if it says little."""
    match = matcher.find_best(wanted, item) if item.kind is EvidenceKind.KNOWLEDGE else None
    if match:
        return match.quote
    is_source = item.kind is not EvidenceKind.TURN or bool(item.note)
    says_half = measure_score(wanted, item) >= _LEAST_OVERLAP
    return pick_quote(item, wanted) if is_source and says_half else ""


def format_sources(cited: Iterable[Evidence]) -> str:
    """Return the list of what is cited, as answers end with it; empty where nothing is."""
    lines = [f"[{item.number}] {_describe(item)}" for item in cited]
    return "Sources:\n" + "\n".join(lines) if lines else ""


def _describe(item: Evidence) -> str:
    day = f", {format_day(item.moment)}" if item.moment is not None else ""
    seen = f", seen {format_day(item.seen_at)}" if item.seen_at is not None else ""
    return f"{format_line(item.title)} ({format_line(item.source)}{day}{seen})"
