"""The answer without a model: quotes, ordered and without doubles, each with its source. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from wellworn.domain.reading import PassageReader
from wellworn.domain.turns.briefs import Brief
from wellworn.domain.turns.citing import cite_evidence, format_caveat, number_sources
from wellworn.domain.turns.extractive.matching import PassageMatcher, read_body, select_evidence
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    Goal,
    Response,
    ValidationDecision,
)
from wellworn.domain.turns.page_evidence import drop_superseded
from wellworn.domain.turns.profile import reply_without_sources
from wellworn.domain.turns.quoting import fits_in_marks
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import complete_goals, list_content_words
from wellworn.engines.retrieval.text import hash_words, split_words
from wellworn.kit.clock import format_day
from wellworn.kit.passages import find_stretch
from wellworn.kit.stretches import find_header, list_stretches
from wellworn.kit.text import show_cell

_MOST_QUOTES: Final = 2
"""The answer, and at most one more."""
_MOST_NEAR: Final = 3
_LEAST_SECOND: Final = 0.5
"""The probability with which what is quoted beside the answer answers, too."""
_LONGEST_QUOTE: Final = 450
_CLOSEST = "This comes closest; nothing has judged whether it answers, as no reader is in use."
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
    certain = {item.number for item in brief.evidence if item.is_certain}
    is_closest = not matcher.is_reading and not certain.issuperset(cited)
    text = "\n\n".join(filter(None, [lead, _CLOSEST if is_closest else "", *parts, sources, HOW]))
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
        read = reads.get(places[item.number])
        judged = None if item.is_certain else read
        quote = judged.quote if judged else _quote_all(item)
        key = " ".join(split_words(quote))
        if not key or quote in refused or any(key in other or other in key for other in spoken):
            continue
        spoken.append(key)
        sure = judged.confidence if judged else 1.0
        is_further = item.is_certain or (matcher.is_reading and sure >= _LEAST_SECOND)
        if claims and not is_further:
            continue
        # What a cell or a setting states was compiled; a reader may cut it, or take its neighbour.
        value = item.value or (read.value if read else "")
        value = value if value in quote else ""
        claims.append(Claim(quote, item.number, sure, goal=goal.id, value=value))
    if brief.analysis.limits.lists_all:
        return claims
    return claims[:_MOST_QUOTES]


def _quote_all(item: Evidence) -> str:
    """Return a source that is not read for its words, or as much of it as fits."""
    body = read_body(item)
    start, end = next(iter(list_stretches(body, _LONGEST_QUOTE)), (0, 0))
    return body[start:end]


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
    value = format_value(claim)
    lead = f"{value} — " if claim.value and claim.value != claim.text else ""
    if fits_in_marks(text):
        return f"{lead}“{text}” [{number}]{note}"
    quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    if lead:
        return f"{value} [{number}]{note}:\n\n{quoted}"
    return f"{quoted}\n\n[{number}]{note}"


def format_value(claim: Claim) -> str:
    """Return the words that answer on one line; in a row alone a pipe has a backslash before it."""
    return format_line(show_cell(claim.value, claim.text))


def _add_header(quote: str, item: Evidence) -> str:
    """Return a quote below the header of the table that it is a row of."""
    header = find_header(item.text, item.text.find(quote)) if quote else None
    return f"{item.text[slice(*header)]}\n{quote}" if header else quote


def format_missing(brief: Brief, goal: Goal, matcher: PassageMatcher | None = None) -> str:
    """Return the words that say that nothing was found for a goal, and what stands near it."""
    near: dict[str, None] = {}
    for entry in _list_near(brief, goal, matcher or PassageMatcher(PassageReader())):
        near.setdefault(entry)
        if len(near) == _MOST_NEAR:
            break
    failed = (call.result.message for call in brief.all_calls if not call.result.is_ok)
    lines = [f"I found nothing that answers “{format_line(goal.description)}”."]
    lines += [f"A tool failed: {format_line(message)}." for message in dict.fromkeys(failed)]
    if near:
        lines.append("What comes nearest, and may not answer it:")
        lines += near
    return "\n".join(lines)


def _list_near(brief: Brief, goal: Goal, matcher: PassageMatcher) -> Iterator[str]:
    """Yield where something near a goal stands, nearest first, with the words that are nearest.

    What has all words that the goal asks for is nearer than what only reads like an answer.
    """
    near = [item for item in drop_superseded(brief.evidence) if not item.is_of_user]
    wanted = brief.aim(goal.description)
    asked = frozenset(list_content_words(wanted))
    held = [asked.intersection(split_words(item.text)) for item in near]
    reads = matcher.read(wanted, near)
    rated = sorted(reads.items(), key=lambda each: (held[each[0]] != asked, -each[1].rating))
    for at, read in rated:
        item, quote = near[at], read.quote
        is_told = len(quote) <= _LONGEST_QUOTE and asked.issubset(split_words(quote))
        if held[at] == asked and not is_told:
            body = read_body(item)
            quote = body[slice(*find_stretch(body, wanted, _LONGEST_QUOTE, split=hash_words))]
        note = f", {format_line(item.note)}" if item.note else ""
        place = f"- {format_line(item.title)} ({format_line(item.source)}{note})"
        quote = _add_header(quote, item)
        yield "\n".join([f"{place}:", *(f"  > {line}".rstrip() for line in quote.split("\n"))])


def format_sources(cited: Iterable[Evidence]) -> str:
    """Return the list of what is cited, as answers end with it; empty where nothing is."""
    lines = [f"[{item.number}] {_describe(item)}" for item in cited]
    return "Sources:\n" + "\n".join(lines) if lines else ""


def _describe(item: Evidence) -> str:
    day = f", {format_day(item.moment)}" if item.moment is not None else ""
    seen = f", seen {format_day(item.seen_at)}" if item.seen_at is not None else ""
    return f"{format_line(item.title)} ({format_line(item.source)}{day}{seen})"
