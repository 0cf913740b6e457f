"""Whether an answer may be given: what rules find wrong with it, and what the model thinks. Pure.

The model can be stricter than the rules, never more lenient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.turns.briefs import Brief
from wellworn.domain.turns.citing import number_answer, renumber_citations
from wellworn.domain.turns.extractive.checking import HALLUCINATED
from wellworn.domain.turns.models import GoalValidation, Validation, ValidationDecision
from wellworn.domain.turns.prompted.outputs import ValidationOutput
from wellworn.domain.turns.sections import format_line

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
