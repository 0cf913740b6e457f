"""The engine that asks a model: which of its answers are taken, and which never are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unit.turns.prompted_world import (
    GOOD,
    OWNER,
    QUERY,
    TWO,
    ScriptedTool,
    ask_engine,
    brief,
    cite,
    judge,
    relabel,
    requests_for,
    write_answer,
    write_plan,
    written,
)
from wellworn.domain.turns.extractive import ExtractiveEngine
from wellworn.domain.turns.models import (
    Claim,
    Goal,
    ValidationDecision,
)
from wellworn.domain.turns.prompted.prompts import PromptInput, load_recipes
from wellworn.domain.turns.prompted.responses import QUOTED
from wellworn.engines.llm import ModelRole

RULES = ExtractiveEngine()
TOOLS = [ScriptedTool().description, ScriptedTool("web.visit", argument="url").description]


# ---- phase 5


def test_the_answer_is_the_models_and_ends_with_its_sources():
    engine, model = ask_engine({"synthesis": GOOD})
    response = engine.synthesize(brief())
    assert response.text == (
        "Ben Ode looks after Kopia [1].\n\nSources:\n[1] Kopia (notes/kopia.md)"
    )
    assert response.claims == (Claim(OWNER, 1, 0.9),)
    assert response.missing == ()
    assert model.requests[0].role is ModelRole.VOICE


def test_sources_that_the_model_lists_itself_hide_nothing():
    text = "Ben Ode looks after Kopia [1].\n\n**Sources:**\nAlice said so in 1999."
    engine, _ = ask_engine({"synthesis": write_answer(text, ("Ben Ode looks after Kopia", 1, 1))})
    assert "Alice" not in engine.synthesize(brief()).text


def test_what_may_have_changed_is_told_so():
    engine, model = ask_engine({"synthesis": GOOD, "validation": judge()})
    asked = brief(evidence=[cite(is_stale=True)])
    response = engine.synthesize(asked)
    assert "Kopia [1] (may have changed)." in response.text
    assert "(notes/kopia.md, may have changed)\n" in model.requests[0].prompt
    answered = replace(asked, response=response)
    assert engine.validate(answered).decision is ValidationDecision.APPROVE


PAIR = [cite(1, "cube has 64 GB of memory.", "cube"), cite(2)]
BACKWARDS = "Ben Ode looks after Kopia [2], and cube has 64 GB of memory [1]. Ben Ode it is [2]."


def test_what_the_model_cites_is_counted_as_it_is_read():
    answered = written(BACKWARDS, ("Ben Ode looks after Kopia", 2, 1), evidence=PAIR)
    assert answered.response.text == (
        "Ben Ode looks after Kopia [1], and cube has 64 GB of memory [2]. Ben Ode it is [1].\n\n"
        "Sources:\n[1] Kopia (notes/kopia.md)\n[2] cube (notes/cube.md)"
    )
    engine, _ = ask_engine({"validation": judge()})
    assert engine.validate(answered).issues == ()


def test_sources_that_the_model_cites_together_are_counted_too():
    text = "Ben Ode looks after Kopia, and cube has 64 GB of memory [2, 1]."
    answered = written(text, ("Ben Ode looks after Kopia", 2, 1), evidence=PAIR)
    assert answered.response.text.startswith(text.replace("[2, 1]", "[1][2]"))


def test_the_model_reads_its_answer_and_is_read_by_the_numbers_that_each_knows():
    answered = written(BACKWARDS, ("Ben Ode looks after Kopia", 2, 1), evidence=PAIR)
    engine, model = ask_engine({"validation": judge("REVISE", "[2] is too short")})
    judged = engine.validate(answered)
    assert judged.issues == ("[1] is too short",)
    engine.synthesize(replace(answered, validation=judged, revisions=1))
    for request in model.requests:
        assert BACKWARDS in request.prompt
        assert "[2] Kopia (notes/kopia.md)" in request.prompt
    assert "[2] is too short" in model.requests[1].prompt


@pytest.mark.parametrize(
    "answer",
    [
        write_answer("", ("Ben Ode looks after Kopia", 1, 1)),
        write_answer("Ben Ode looks after Kopia."),
        write_answer("Ben Ode [9].", ("Ben Ode", 9, 1)),
        write_answer("Ben Ode [1].", ("Ben Ode", 1, 2)),
    ],
    ids=["empty", "no claims", "no such evidence", "no such goal"],
)
def test_an_answer_that_cannot_be_used_is_made_of_quotes(answer):
    engine, _ = ask_engine({"synthesis": answer})
    response = engine.synthesize(brief())
    assert response == relabel(RULES.synthesize(brief()))
    assert response.text.endswith(QUOTED)


def test_without_evidence_that_answers_the_model_is_not_asked():
    for evidence in ([], [cite(answers=False)]):
        engine, model = ask_engine({"synthesis": GOOD})
        response = engine.synthesize(brief(evidence=evidence))
        assert "I found nothing that answers" in response.text
        assert model.requests == []


def test_a_goal_without_a_claim_is_told_to_be_missing():
    asked = brief(TWO)
    goals = (Goal("GOAL_1", QUERY), Goal("GOAL_2", "Where does cube stand?"))
    asked = replace(asked, plan=replace(asked.plan, goals=goals))
    engine, _ = ask_engine({"synthesis": GOOD})
    response = engine.synthesize(asked)
    assert response.missing == ("GOAL_2",)
    assert "I found nothing that answers “Where does cube stand?”." in response.text
    issues = engine.validate(replace(asked, response=response)).issues
    assert issues == ("Nothing was found for GOAL_2",)


# ---- phase 6

UNFOUNDED = [
    ("Ben Ode looks after Kopia 0.22.0 [1].", "0.22.0"),
    ("Ben Ode looks after Kopia 1 [1].", "“1”"),
    ("Ben Ode and Alice look after Kopia [1].", "Alice"),
    ("Ben Ode looks after Kopia at https://evil.example/kopia [1].", "evil.example"),
    ("Ben Ode looks after Kopia [1]. It runs every night on the big server.", "No source says"),
    ("Ben Ode looks after Kopia [1][9].", "“[9]” cites nothing"),
    ("Ben Ode looks after Kopia [1].\n- 42", "“42”"),
    ("Ben Ode looks after Kopia [1]. ![x](https://evil.example/0.21.1)", "evil.example"),
]


@pytest.mark.parametrize(("text", "issue"), UNFOUNDED, ids=[text for text, _ in UNFOUNDED])
def test_what_stands_in_no_source_is_sent_back_whatever_the_model_thinks(text, issue):
    answered = written(text, ("Ben Ode looks after Kopia", 1, 1))
    engine, _ = ask_engine({"validation": judge()})
    result = engine.validate(answered)
    assert result.decision is ValidationDecision.REVISE
    assert any(issue in each for each in result.issues), result.issues


def test_a_claim_must_stand_in_the_evidence_that_it_names():
    evidence = [cite(), cite(2, "cube has 64 GB of memory.", "cube")]
    answered = written(
        "Ben Ode looks after Kopia [1].", ("Ben Ode looks after Kopia", 2, 1), evidence=evidence
    )
    engine, _ = ask_engine({"validation": judge()})
    result = engine.validate(answered)
    assert result.decision is ValidationDecision.REVISE
    assert "Claim without support in its source: Ben Ode looks after Kopia" in result.issues


def test_an_answer_does_not_agree_with_its_question_for_want_of_a_source():
    query = "Is Kopia 0.30 written in Rust by Alice?"
    answered = written(
        "Yes, Kopia 0.30 is written in Rust by Alice [1].",
        ("Kopia makes the copies", 1, 1),
        query=query,
    )
    engine, _ = ask_engine({"validation": judge()})
    issues = " ".join(engine.validate(answered).issues)
    assert "“0.30” stands in no source that is cited" in issues
    assert "Alice" in issues


def test_a_number_of_a_source_that_is_not_cited_does_not_count():
    evidence = [cite(), cite(2, "cube has 64 GB of memory.", "cube")]
    answered = written(
        "Ben Ode looks after 64 Kopia copies [1].",
        ("Ben Ode looks after Kopia", 1, 1),
        evidence=evidence,
    )
    engine, _ = ask_engine({"validation": judge()})
    assert "“64” stands in no source that is cited" in engine.validate(answered).issues


@pytest.mark.parametrize(
    "text",
    [
        "Ben Ode looks after Kopia [1].",
        "Ben Ode looks after Kopia. [1]",
        "1. Ben Ode looks after Kopia [1].\n2. Kopia 0.21.1 makes the copies [1].",
        "The owner:\n\n- **Ben Ode** looks after it [1]",
        "*Kopia* makes the copies; Ben Ode looks after it [1].",
    ],
)
def test_what_stands_in_its_source_passes(text):
    answered = written(text, ("Ben Ode looks after Kopia", 1, 1))
    engine, _ = ask_engine({"validation": judge()})
    result = engine.validate(answered)
    assert result.issues == ()
    assert result.decision is ValidationDecision.APPROVE


@pytest.mark.parametrize("decision", ["REVISE", "RETRY", "FAIL"])
def test_the_model_can_be_stricter_if_it_says_why(decision):
    answered = written("Ben Ode looks after Kopia [1].", ("Ben Ode looks after Kopia", 1, 1))
    engine, _ = ask_engine({"validation": judge(decision, "Too short")})
    result = engine.validate(answered)
    assert (result.decision.value, result.issues) == (decision, ("Too short",))
    silent, _ = ask_engine({"validation": judge(decision)})
    assert silent.validate(answered).decision is ValidationDecision.APPROVE


def test_a_goal_that_the_model_finds_unserved_is_looked_for_once_more_and_only_once():
    answered = written("Ben Ode looks after Kopia [1].", ("Ben Ode looks after Kopia", 1, 1))
    engine, _ = ask_engine({"validation": judge("APPROVE", unserved=[1])})
    result = engine.validate(answered)
    assert result.decision is ValidationDecision.RETRY
    assert [goal.is_addressed for goal in result.goals] == [False]
    retried = replace(answered, plan=replace(answered.plan, previous_failure="nothing"))
    assert engine.validate(retried).decision is ValidationDecision.REVISE


def test_quotes_are_judged_by_the_rules_alone():
    engine, model = ask_engine({"validation": judge("FAIL", "I do not like it")})
    asked = brief()
    answered = replace(asked, response=relabel(RULES.synthesize(asked)))
    assert engine.validate(answered) == RULES.validate(answered)
    assert model.requests == []


# ---- compression


def test_a_compression_that_adds_nothing_is_taken():
    text = "> Kopia 0.21.1 makes all of the copies there are [1]"
    engine, model = ask_engine({"compression": {"text": "> Kopia 0.21.1 makes copies [1]"}})
    assert engine.compress(text, 6) == "> Kopia 0.21.1 makes copies [1]"
    assert model.requests[0].role is ModelRole.NERVES
    assert PromptInput.QUERY not in load_recipes()["compress"].inputs


@pytest.mark.parametrize(
    "shorter", ["> Kopia 0.22 [1]", "> Kopia [1]\n## 6. Validation", "**Decision:** APPROVE"]
)
def test_a_compression_that_adds_something_is_not(shorter):
    engine, _ = ask_engine({"compression": {"text": shorter}})
    assert engine.compress("> Kopia 0.21.1 makes all of the copies [1]", 6) is None


# ---- what users tell of themselves


def test_what_a_user_tells_is_noted_without_the_model():
    engine, model = ask_engine({"plan": write_plan("x"), "synthesis": GOOD, "validation": judge()})
    asked = brief("My budget is 800 dollars.")
    assert engine.plan(asked) == RULES.plan(asked)
    noted = engine.synthesize(asked)
    assert noted.text.startswith("Noted:")
    assert engine.validate(replace(asked, response=noted)).decision is ValidationDecision.APPROVE
    assert requests_for(model, "synthesis") == requests_for(model, "validation") == []
