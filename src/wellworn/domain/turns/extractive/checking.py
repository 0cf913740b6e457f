"""Checks an answer before it is given: each claim stands in its source, each goal is served. Pure.

It checks answers of models as well: a number, name or address of the answer that stands in no
cited source is an issue, whatever the model says of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from wellworn.domain.turns.briefs import Brief
from wellworn.domain.turns.extractive.writing import format_value
from wellworn.domain.turns.grounding import SourceText, is_backed, list_unknown
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    Goal,
    GoalValidation,
    Response,
    Validation,
    ValidationDecision,
)
from wellworn.domain.turns.profile import reply_without_sources
from wellworn.domain.turns.quoting import fits_in_marks
from wellworn.domain.turns.sections import strip_quote_marks
from wellworn.kit.neutralising import neutralise
from wellworn.kit.text import normalise_text

SUPPORTED, HALLUCINATED, ADDRESSED, FORMATTED = (
    "Claims Supported",
    "No Hallucinations",
    "Query Addressed",
    "Coherent Format",
)
_SOURCES: Final = re.compile(r"\n\nSources:\n.*", re.DOTALL)
_NEAR: Final = re.compile(r"^  > (.+)$", re.MULTILINE)
_MISSING: Final = "Nothing was found, and the answer says so"
_PASSED, _SPOILED = 0.92, 0.4
Sources = Mapping[int, SourceText]


def validate(brief: Brief) -> Validation:
    response, sources = brief.response or Response(""), read_sources(brief.evidence)
    issues = [*_list_unsupported(response, sources), *_list_unfounded(brief, response, sources)]
    goals = tuple(_judge_goal(brief, response, goal, sources) for goal in brief.goals)
    checks = {
        SUPPORTED: not any(issue.startswith("Claim") for issue in issues),
        HALLUCINATED: not any(issue.startswith("“") for issue in issues),
        ADDRESSED: all(goal.is_addressed for goal in goals),
        FORMATTED: bool(response.text.strip()),
    }
    decision = _decide(brief, issues, is_complete=checks[ADDRESSED])
    issues += [name_missing(goal.goal) for goal in goals if not goal.is_addressed]
    hints = tuple(_suggest(issue, decision) for issue in issues)
    return Validation(
        decision,
        _PASSED if decision is ValidationDecision.APPROVE else _SPOILED,
        checks,
        tuple(issues),
        hints if decision is not ValidationDecision.APPROVE else (),
        goals,
    )


def lacks_only(validation: Validation, response: Response) -> bool:
    """Tell whether all that is wrong with an answer is what it says itself: that it lacks goals."""
    lacking = {*map(name_missing, response.missing)}
    is_final = validation.decision is ValidationDecision.FAIL
    return is_final and bool(lacking) and {*validation.issues} == lacking


def name_missing(goal: str) -> str:
    """Return the issue that an answer says nothing for a goal."""
    return f"Nothing was found for {goal}"


def _suggest(issue: str, decision: ValidationDecision) -> str:
    """Return what to do about an issue: look further, or write it differently."""
    if decision is ValidationDecision.RETRY:
        return f"Use the tools to look further: {issue}"
    return f"Leave out or source: {issue}"


def _decide(brief: Brief, issues: list[str], *, is_complete: bool) -> ValidationDecision:
    if issues:
        return ValidationDecision.REVISE
    if is_complete:
        return ValidationDecision.APPROVE
    # What nobody knows stays unknown after a second look.
    return ValidationDecision.FAIL if brief.is_retried else ValidationDecision.RETRY


def _judge_goal(brief: Brief, response: Response, goal: Goal, sources: Sources) -> GoalValidation:
    if reply_without_sources(brief.query):
        notes = "It asks for nothing, and was answered"
        return GoalValidation(goal.id, is_addressed=True, quality=1.0, notes=notes)
    claims = [claim for claim in response.claims if claim.goal == goal.id]
    supported = [claim for claim in claims if is_supported(claim, sources)]
    notes = f"{len(supported)} of {len(claims)} claims are supported" if claims else _MISSING
    if not supported:
        return GoalValidation(goal.id, is_addressed=False, quality=0.0, notes=notes)
    quality = sum(claim.confidence for claim in supported) / len(claims)
    return GoalValidation(
        goal.id,
        is_addressed=True,
        quality=round(quality, 4),
        notes=notes,
    )


def _list_unsupported(response: Response, sources: Sources) -> Iterator[str]:
    for claim in response.claims:
        if not is_supported(claim, sources):
            yield f"Claim without support in its source: {claim.text}"


def read_sources(evidence: Iterable[Evidence]) -> Sources:
    """Return what evidence says by its numbers; those of what is only near are negative."""
    return {
        item.number or -place: SourceText.of(item) for place, item in enumerate(evidence, start=1)
    }


def is_supported(claim: Claim, sources: Sources) -> bool:
    """Tell whether a claim stands in its source.

    It does word for word; or else all that identifies or counts in it does, and most other words.
    """
    source = sources.get(claim.evidence or 0)
    return source is not None and (_is_quoted(claim, source) or is_backed(claim.text, source))


def _is_quoted(claim: Claim, source: SourceText) -> bool:
    return normalise_text(claim.text) in source.normalised


def _list_unfounded(brief: Brief, response: Response, sources: Sources) -> Iterator[str]:
    """Yield what identifies or counts in the answer and stands in no evidence and no question."""
    spoken = "\n".join(
        [
            brief.query,
            brief.analysis.resolved_query,
            reply_without_sources(brief.query),
            *(source.text for source in sources.values()),
            *(call.result.message for call in brief.all_calls),
        ]
    )
    # Titles and addresses of sources are shown without hidden characters, and so compared.
    for part in list_unknown(_leave_out_quotes(response, sources), neutralise(spoken)):
        yield f"“{part}” stands in no source"


def _leave_out_quotes(response: Response, sources: Sources) -> str:
    """Return the text of an answer without its sources and what it quotes word for word."""
    spoken = normalise_text("\n".join(source.text for source in sources.values()))
    text = _NEAR.sub(
        lambda line: "" if normalise_text(line[1]) in spoken else line[0],
        _SOURCES.sub("", response.text),
    )
    text = strip_quote_marks(text)
    for claim in response.claims:
        source = sources.get(claim.evidence or 0)
        if source is not None and _is_quoted(claim, source):
            text = text.replace(f"“{claim.text}”" if fits_in_marks(claim.text) else claim.text, " ")
            text = text.replace(format_value(claim), " ") if claim.value else text
    return text
