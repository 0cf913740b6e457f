"""Decides which phase comes next: a pure function of what a turn's phases have decided so far.

Source: the specification of document IO, sections 3.11 and 3.12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from wellworn.domain.turns.journal import PhaseEntry
from wellworn.domain.turns.models import (
    Phase,
    Reflection,
    ReflectionDecision,
    Route,
    TaskPlan,
    Validation,
    ValidationDecision,
)

MOST_REVISIONS: Final = 2
MOST_RETRIES: Final = 1
_FOLLOWING: Final = {
    Phase.ANALYSIS: Phase.REFLECTION,
    Phase.GATHERING: Phase.PLANNING,
    Phase.COORDINATION: Phase.SYNTHESIS,
    Phase.SYNTHESIS: Phase.VALIDATION,
}


class PhaseStep(NamedTuple):
    """A phase to run, and for which time."""

    phase: Phase
    attempt: int = 1


def find_next(entries: Sequence[PhaseEntry]) -> PhaseStep:
    """Return the step that follows; `SAVING` ends a turn, however it went."""
    if not entries:
        return PhaseStep(Phase.ANALYSIS)
    last = entries[-1]
    if isinstance(last.output, Reflection):
        goes_on = last.output.decision is ReflectionDecision.PROCEED
        return PhaseStep(Phase.GATHERING if goes_on else Phase.SAVING)
    if isinstance(last.output, TaskPlan):
        return _follow_plan(entries, last.output, last.attempt)
    if isinstance(last.output, Validation):
        return _follow_validation(entries, last.output, last.attempt)
    following = _FOLLOWING[last.phase]
    if following in {Phase.SYNTHESIS, Phase.VALIDATION}:
        return PhaseStep(following, _count(entries, following) + 1)
    return PhaseStep(following)


def _follow_plan(entries: Sequence[PhaseEntry], plan: TaskPlan, attempt: int) -> PhaseStep:
    if plan.route is Route.CLARIFY:
        return PhaseStep(Phase.SAVING)
    if plan.route is Route.COORDINATOR:
        return PhaseStep(Phase.COORDINATION, attempt)
    return PhaseStep(Phase.SYNTHESIS, _count(entries, Phase.SYNTHESIS) + 1)


def _follow_validation(
    entries: Sequence[PhaseEntry], validation: Validation, attempt: int
) -> PhaseStep:
    if (
        validation.decision is ValidationDecision.REVISE
        and count_revisions(entries) <= MOST_REVISIONS
    ):
        return PhaseStep(Phase.SYNTHESIS, attempt + 1)
    if validation.decision is ValidationDecision.RETRY and count_retries(entries) <= MOST_RETRIES:
        return PhaseStep(Phase.PLANNING, _count(entries, Phase.PLANNING) + 1)
    return PhaseStep(Phase.SAVING)


def count_revisions(entries: Sequence[PhaseEntry]) -> int:
    """Return how often an answer was sent back to be written again."""
    return _count_decisions(entries, ValidationDecision.REVISE)


def count_retries(entries: Sequence[PhaseEntry]) -> int:
    """Return how often a turn was sent back to be planned again."""
    return _count_decisions(entries, ValidationDecision.RETRY)


def is_approved(entries: Sequence[PhaseEntry]) -> bool:
    """Tell whether the answer may be given."""
    output = entries[-1].output if entries else None
    return isinstance(output, Validation) and output.decision is ValidationDecision.APPROVE


def _count(entries: Sequence[PhaseEntry], phase: Phase) -> int:
    return sum(entry.phase is phase for entry in entries)


def _count_decisions(entries: Sequence[PhaseEntry], decision: ValidationDecision) -> int:
    return sum(
        isinstance(entry.output, Validation) and entry.output.decision is decision
        for entry in entries
    )
