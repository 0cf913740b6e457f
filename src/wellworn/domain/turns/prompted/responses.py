"""The answer that a model wrote, with its claims as their sources state them. Pure.

Each claim is tied to the sentence of the source that it stands on; a claim that no source states
keeps no number, so that the validation sends the answer back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.turns.briefs import Brief
from wellworn.domain.turns.citing import (
    cite_evidence,
    format_caveat,
    number_answer,
    number_sources,
    renumber_citations,
)
from wellworn.domain.turns.extractive.checking import HALLUCINATED
from wellworn.domain.turns.extractive.writing import HOW, format_missing, format_sources
from wellworn.domain.turns.grounding import CITATION, SourceText, is_backed
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    Goal,
    GoalValidation,
    Response,
    Validation,
    ValidationDecision,
)
from wellworn.domain.turns.prompted.outputs import ClaimOutput, SynthesisOutput, ValidationOutput
from wellworn.domain.turns.quoting import pick_sentence
from wellworn.domain.turns.sections import format_line
from wellworn.kit.neutralising import neutralise

QUOTED: Final = "_Made of quotes: the language model gave no answer that its sources state._"
_OWN_SOURCES: Final = re.compile(
    r"(?im)^(?:[^\w\n]{0,20}+\n){0,3}+[^\w\n]*+(?:sources|references)[^\w\n]*+$.*", re.DOTALL
)
_GROUP: Final = re.compile(r"\[\d+(?:\s*[,;]\s*\d+)+\]")
_SOURCES: Final = re.compile(r"\n\n(?=Sources:\n)")


def read_response(brief: Brief, output: SynthesisOutput) -> Response | None:
    """Return the answer with the list of its sources; None if it says or cites nothing."""
    goals = brief.goals
    body = _split_groups(_OWN_SOURCES.sub("", neutralise(output.text)).strip(), brief.evidence)
    if not body or not output.claims or any(claim.goal > len(goals) for claim in output.claims):
        return None
    claims = tuple(_tie(claim, brief.evidence, goals) for claim in output.claims)
    served = {claim.goal for claim in claims}
    missing = [goal for goal in goals if goal.id not in served]
    stated = (claim.evidence for claim in claims if claim.evidence)
    cited = tuple(dict.fromkeys([*map(int, CITATION.findall(body)), *stated]))
    numbers = number_sources(cited, brief.evidence)
    if not numbers:
        return None
    sources = cite_evidence(numbers, brief.evidence)
    answer = _add_caveats(renumber_citations(body, numbers), sources)
    parts = [answer, *(format_missing(brief, goal) for goal in missing), format_sources(sources)]
    return Response("\n\n".join(parts), claims, tuple(goal.id for goal in missing), cited)


def _split_groups(body: str, evidence: Sequence[Evidence]) -> str:
    """Return a text in which `[1, 3]` is `[1][3]`, where those are numbers of evidence."""
    known = {str(item.number) for item in evidence}

    def split(match: re.Match[str]) -> str:
        numbers = re.findall(r"\d+", match[0])
        return "".join(f"[{each}]" for each in numbers) if known.issuperset(numbers) else match[0]

    return _GROUP.sub(split, body)


def _tie(claim: ClaimOutput, evidence: Sequence[Evidence], goals: Sequence[Goal]) -> Claim:
    """Return a claim as its source states it, or as the model does if none states it."""
    goal = goals[claim.goal - 1].id
    item = next((each for each in evidence if each.number == claim.evidence), None)
    if item is None or not is_backed(claim.text, SourceText.of(item)):
        return Claim(CITATION.sub("", neutralise(claim.text)).strip(), None, 0.0, goal=goal)
    quote = pick_sentence(item.text, claim.text) or item.title
    return Claim(quote, item.number, item.relevance or 1.0, goal=goal)


def _add_caveats(body: str, sources: Sequence[Evidence]) -> str:
    """Say after each citation what must be said beside its source, unless the model says it."""
    caveats = {item.number: _format_caveat(item) for item in sources}

    def add(match: re.Match[str]) -> str:
        caveat = caveats.get(int(match[1]), "")
        return match[0] if body.startswith(caveat, match.end()) else f"{match[0]}{caveat}"

    return CITATION.sub(add, body)


def _format_caveat(item: Evidence) -> str:
    caveat = format_caveat(item)
    return f" ({caveat})" if caveat else ""


def is_by_model(response: Response) -> bool:
    """Tell whether a model wrote an answer: only then does it end with its sources."""
    return bool(list(_SOURCES.finditer(response.text))) and not response.text.endswith(
        (QUOTED, HOW)
    )


def strip_own_words(brief: Brief, response: Response) -> str:
    """Return what the model wrote, without the sources and sentences that rules added."""
    body = _SOURCES.split(response.text)[0]
    for addition in _list_additions(brief, response):
        body = body.replace(addition, "")
    return body.strip()


def _list_additions(brief: Brief, response: Response) -> Iterator[str]:
    for goal in brief.goals:
        if goal.id in response.missing:
            yield format_missing(brief, goal)
    yield from map(_format_caveat, brief.evidence)


def relabel_quotes(response: Response) -> Response:
    """Return an answer of quotes that says why it is one although there is a model."""
    if not response.text.endswith(HOW):
        return response
    text = f"{response.text.removesuffix(HOW)}{QUOTED}"
    return replace(response, text=text)


_SEVERITY: Final = tuple(ValidationDecision)
"""From what lets an answer pass to what ends the turn."""
_PERCENT: Final = 100
_UNSURE: Final = 0.4


def add_faults(validation: Validation, faults: Sequence[str]) -> Validation:
    """Return a validation that sends the answer back for further faults as well."""
    if not faults:
        return validation
    hints = [f"Leave out or source: {fault}" for fault in faults]
    return replace(
        validation,
        decision=ValidationDecision.REVISE,
        confidence=min(validation.confidence, _UNSURE),
        checks={**validation.checks, HALLUCINATED: False},
        issues=tuple(dict.fromkeys([*validation.issues, *faults])),
        hints=tuple(dict.fromkeys([*validation.hints, *hints])),
    )


def add_opinion(brief: Brief, validation: Validation, output: ValidationOutput) -> Validation:
    """Return the stricter decision of both; an objection counts only with its reason."""
    numbers = number_answer(brief.response, brief.evidence) if brief.response else {}
    issues = _read_lines(output.issues, numbers)
    goals = tuple(
        _object(goal) if number in output.unserved_goals else goal
        for number, goal in enumerate(validation.goals, 1)
    )
    unserved = [goal.goal for goal in goals if not goal.is_addressed]
    newly = {goal.goal for goal in validation.goals if goal.is_addressed} & set(unserved)
    issues += [f"The answer does not serve {goal}" for goal in unserved if goal in newly]
    if not issues:
        return validation
    wanted = output.decision
    if newly and wanted is ValidationDecision.APPROVE:
        wanted = ValidationDecision.RETRY
    decision = max(validation.decision, _limit(brief, wanted), key=_SEVERITY.index)
    if decision is ValidationDecision.APPROVE:
        return validation
    return replace(
        validation,
        decision=decision,
        confidence=min(validation.confidence, output.confidence / _PERCENT, _UNSURE),
        issues=tuple(dict.fromkeys([*validation.issues, *issues])),
        hints=(*validation.hints, *_read_lines(output.hints, numbers)),
        goals=goals,
    )


def _read_lines(lines: Sequence[str], numbers: Mapping[int, int]) -> list[str]:
    """Return what a model says of an answer, which it knows by the numbers of its prompt."""
    return [renumber_citations(format_line(line), numbers) for line in lines if line.strip()]


def _object(goal: GoalValidation) -> GoalValidation:
    if not goal.is_addressed:
        return goal
    return replace(goal, is_addressed=False, quality=0.0, notes="the model does not find it served")


def _limit(brief: Brief, wanted: ValidationDecision) -> ValidationDecision:
    """Return what can still be done: a turn is planned twice at most."""
    if wanted is ValidationDecision.RETRY and brief.is_retried:
        return ValidationDecision.REVISE
    return wanted
