"""Which phase follows which, whatever the phases decide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.turns.flow import MOST_RETRIES, MOST_REVISIONS, find_next, is_approved
from wellworn.domain.turns.journal import PhaseEntry
from wellworn.domain.turns.models import (
    Execution,
    GatheredContext,
    Goal,
    Intent,
    Phase,
    QueryAnalysis,
    Reflection,
    ReflectionDecision,
    Response,
    Route,
    TaskPlan,
    Validation,
    ValidationDecision,
)


def decide(phase, decisions):
    """Return what a phase decides, where that matters by the next of the decisions."""
    if phase is Phase.VALIDATION:
        left = decisions["validations"]
        return Validation(left.pop(0) if left else ValidationDecision.APPROVE, 1.0, {})
    return {
        Phase.ANALYSIS: QueryAnalysis.of("a"),
        Phase.REFLECTION: Reflection(
            decisions["reflection"], 1.0, Intent.INFORMATIONAL, is_followup=False, reasoning=""
        ),
        Phase.GATHERING: GatheredContext(),
        Phase.PLANNING: TaskPlan(
            (Goal("GOAL_1", "a"),), Intent.INFORMATIONAL, (), decisions["route"]
        ),
        Phase.COORDINATION: Execution(0, 0, "DONE"),
        Phase.SYNTHESIS: Response("a"),
    }[phase]


def play(reflection, route, validations):
    decisions = {"reflection": reflection, "route": route, "validations": list(validations)}
    entries = []
    while (step := find_next(entries)).phase is not Phase.SAVING:
        entries.append(PhaseEntry(step.phase, step.attempt, decide(step.phase, decisions), "", 0.0))
        assert len(entries) < 40, "the turn never ends"
    return entries


@given(
    st.sampled_from(ReflectionDecision),
    st.sampled_from(Route),
    st.lists(st.sampled_from(ValidationDecision), max_size=8),
)
def test_every_turn_ends_within_its_revisions_and_retries(reflection, route, validations):
    entries = play(reflection, route, validations)
    steps = [(entry.phase, entry.attempt) for entry in entries]
    assert len(set(steps)) == len(steps), "a phase was counted twice"
    planned = sum(entry.phase is Phase.PLANNING for entry in entries)
    assert planned <= 1 + MOST_RETRIES
    written = sum(entry.phase is Phase.SYNTHESIS for entry in entries)
    assert written <= 1 + MOST_REVISIONS + MOST_RETRIES
    assert (Phase.COORDINATION in {entry.phase for entry in entries}) == (
        reflection is ReflectionDecision.PROCEED and route is Route.COORDINATOR
    )


def test_a_question_to_the_user_ends_the_turn():
    entries = play(ReflectionDecision.CLARIFY, Route.SYNTHESIS, [])
    assert [entry.phase for entry in entries] == [Phase.ANALYSIS, Phase.REFLECTION]
    assert not is_approved(entries)


def test_a_revision_is_written_and_validated_again():
    decisions = [ValidationDecision.REVISE, ValidationDecision.APPROVE]
    entries = play(ReflectionDecision.PROCEED, Route.SYNTHESIS, decisions)
    assert [(entry.phase, entry.attempt) for entry in entries[-4:]] == [
        (Phase.SYNTHESIS, 1),
        (Phase.VALIDATION, 1),
        (Phase.SYNTHESIS, 2),
        (Phase.VALIDATION, 2),
    ]
    assert is_approved(entries)


def test_a_retry_is_planned_and_executed_again():
    decisions = [ValidationDecision.RETRY, ValidationDecision.APPROVE]
    entries = play(ReflectionDecision.PROCEED, Route.COORDINATOR, decisions)
    assert [(entry.phase, entry.attempt) for entry in entries[-4:]] == [
        (Phase.PLANNING, 2),
        (Phase.COORDINATION, 2),
        (Phase.SYNTHESIS, 2),
        (Phase.VALIDATION, 2),
    ]
