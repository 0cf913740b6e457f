"""Every section of `context.md` keeps to its limit of words, whatever the phases decide."""

from __future__ import annotations

import re

import pytest

from unit.turns.prompted_world import QUERY, ask_engine, begin_run
from wellworn.domain.turns.context_document import MOST_WORDS, read_sections
from wellworn.domain.turns.flow import PhaseStep
from wellworn.domain.turns.models import (
    Goal,
    GoalValidation,
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
from wellworn.domain.turns.phases.synthesis import read_response
from wellworn.domain.turns.phases.validation import is_approved
from wellworn.domain.turns.pipeline import record_phase
from wellworn.domain.turns.sections import count_words


def write_words(number, word="pump"):
    return " ".join(f"{word}{place}" for place in range(number))


LONG = write_words(700)
MANY = tuple(write_words(6, f"issue{place}x") for place in range(300))
GOAL = Goal("GOAL_1", LONG)
OUTPUTS = [
    (Phase.ANALYSIS, QueryAnalysis.of(LONG)),
    (
        Phase.REFLECTION,
        Reflection(
            ReflectionDecision.CLARIFY,
            0.4,
            Intent.INFORMATIONAL,
            is_followup=False,
            reasoning=LONG,
            question=LONG,
        ),
    ),
    (
        Phase.PLANNING,
        TaskPlan(
            (GOAL, Goal("GOAL_2", LONG)),
            Intent.INFORMATIONAL,
            MANY,
            Route.COORDINATOR,
            LONG,
            previous_failure=LONG,
        ),
    ),
    (Phase.SYNTHESIS, Response("\n".join([*MANY, *MANY]))),
    (Phase.SYNTHESIS, Response(write_words(5_000))),
    (
        Phase.VALIDATION,
        Validation(
            ValidationDecision.REVISE,
            0.4,
            {"Claims Supported": False},
            MANY,
            MANY,
            (GoalValidation("GOAL_1", is_addressed=False, quality=0.0, notes=LONG),),
        ),
    ),
]
FIELDS = {
    Phase.ANALYSIS: ["**Original:** pump0 pump1", "**Query Type:** general_question"],
    Phase.REFLECTION: ["**Decision:** CLARIFY #decision ^decision-reflection"],
    Phase.PLANNING: ["| GOAL_2 | pump0", "**Route To:** coordinator #decision ^decision-route-1"],
    Phase.SYNTHESIS: ["**Response Preview:**", "- [x] Claims match evidence"],
    Phase.VALIDATION: ["**Decision:** REVISE #decision ^decision-validation-1"],
}


@pytest.mark.parametrize(("phase", "output"), OUTPUTS)
def test_a_section_keeps_to_its_limit_and_to_what_it_decides(tmp_path, phase, output):
    run = begin_run(tmp_path, ask_engine({})[0], QUERY)
    record_phase(run, PhaseStep(phase), output)
    [section] = read_sections(run.document.text)
    assert MOST_WORDS[phase] * 0.4 < count_words(section.text) <= MOST_WORDS[phase]
    assert all(field in section.text for field in FIELDS[phase])
    assert re.search(r"\d+ (?:words more|lines were left out|of \d+ lines were)", section.text)


def test_what_is_within_the_limit_is_written_as_it_is(tmp_path):
    run = begin_run(tmp_path, ask_engine({})[0])
    section = record_phase(run, PhaseStep(Phase.ANALYSIS), QueryAnalysis.of(write_words(90)))
    assert section.count(write_words(90)) == 2


def test_a_long_query_that_resolves_to_itself_is_written_once_and_whole(tmp_path):
    run = begin_run(tmp_path, ask_engine({})[0])
    section = record_phase(run, PhaseStep(Phase.ANALYSIS), QueryAnalysis.of(write_words(450)))
    assert f"**Original:** {write_words(450)}\n" in section
    assert "**Resolved:** as the original" in section


def test_words_of_a_query_are_never_put_in_others(tmp_path):
    run = begin_run(tmp_path, ask_engine({"compression": {"text": LONG[:100]}})[0])
    section = record_phase(run, PhaseStep(Phase.ANALYSIS), QueryAnalysis.of(LONG))
    assert "**Original:** pump0 pump1 pump2" in section
    assert "words more" in section


def test_a_model_shortens_what_is_too_long_and_loses_no_number(tmp_path):
    said = f"{'the pump hums ' * 150}at 50 Hz"
    reflection = Reflection(
        ReflectionDecision.PROCEED, 0.9, Intent.INFORMATIONAL, is_followup=False, reasoning=said
    )
    for shorter, is_taken in (("the pump hums at 50 Hz", True), ("the pump hums", False)):
        run = begin_run(tmp_path / shorter[-2:], ask_engine({"compression": {"text": shorter}})[0])
        section = record_phase(run, PhaseStep(Phase.REFLECTION), reflection)
        assert (f"**Reasoning:** {shorter}\n" in f"{section}\n") is is_taken
        assert count_words(section) <= MOST_WORDS[Phase.REFLECTION]


def test_a_decision_and_an_answer_are_read_from_what_was_cut(tmp_path):
    run = begin_run(tmp_path, ask_engine({})[0])
    record_phase(run, PhaseStep(Phase.SYNTHESIS), Response("\n".join([*MANY, *MANY])))
    approved = Validation(ValidationDecision.APPROVE, 0.9, {}, issues=MANY)
    record_phase(run, PhaseStep(Phase.VALIDATION), approved)
    assert read_response(run.document.text).startswith(MANY[0])
    assert is_approved(run.document.text)
