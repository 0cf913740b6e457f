"""Whole turns that a model decides, from the query to the last section of `context.md`."""

from __future__ import annotations

import re

from unit.turns.prompted_world import (
    GOOD,
    OWNER,
    QUERY,
    ScriptedTool,
    ask_engine,
    begin_run,
    cite,
    judge,
    requests_for,
    write_answer,
)
from wellworn.domain.turns.models import TurnStatus
from wellworn.domain.turns.phases import saving
from wellworn.domain.turns.pipeline import run_phases
from wellworn.domain.turns.prompted.responses import QUOTED

WRONG = write_answer("Alice looks after Kopia 9.9.9 [1].", ("Alice looks after Kopia 9.9.9", 1, 1))


def work(folder, answers, **options):
    """Work on a turn to its end; return its status, what the user reads, and the model."""
    engine, model = ask_engine(answers)
    run = begin_run(folder, engine, **options)
    run_phases(run)
    turn = saving.save(run, [])
    return turn, saving.find_answer(run), run.document.text, model


def list_headings(document):
    return re.findall(r"^## (.+)$", document, re.MULTILINE)


BEGINNING = ["0. User Query", "1. Reflection Decision", "2. Gathered Context", "3. Task Plan"]


def test_a_turn_ends_with_the_models_answer(tmp_path):
    turn, answer, document, model = work(
        tmp_path, {"synthesis": GOOD, "validation": judge()}, candidates=[cite(0)]
    )
    assert (turn.status, turn.engine) == (TurnStatus.DONE, "scripted")
    assert answer.startswith("Ben Ode looks after Kopia [1].\n\nSources:\n[1]")
    assert list_headings(document) == [*BEGINNING, "5. Synthesis", "6. Validation"]
    assert requests_for(model, "analysis")


def test_an_unfounded_answer_is_written_again(tmp_path):
    turn, answer, document, model = work(
        tmp_path,
        {"synthesis": [WRONG, GOOD], "validation": judge()},
        candidates=[cite(0)],
    )
    assert turn.status is TurnStatus.DONE
    assert "Alice" not in answer
    assert list_headings(document)[4:] == [
        "5. Synthesis",
        "6. Validation (Attempt 1)",
        "5. Synthesis (Attempt 2)",
        "6. Validation",
    ] or list_headings(document)[4:] == [
        "5. Synthesis",
        "6. Validation (Attempt 1)",
        "5. Synthesis (Attempt 2)",
        "6. Validation (Attempt 2)",
    ]
    assert "**Decision:** REVISE" in document
    again = requests_for(model, "synthesis")[1].prompt
    assert "9.9.9” stands in no source" in again
    assert "Alice looks after Kopia 9.9.9" in again


def test_a_model_that_never_learns_is_replaced_by_quotes(tmp_path):
    turn, answer, document, model = work(
        tmp_path, {"synthesis": WRONG, "validation": judge()}, candidates=[cite(0)]
    )
    assert turn.status is TurnStatus.DONE
    assert answer.endswith(QUOTED)
    assert OWNER in answer
    assert "9.9.9" not in answer
    assert len(requests_for(model, "synthesis")) == 2
    assert list_headings(document)[-2:] == ["5. Synthesis (Attempt 3)", "6. Validation (Attempt 3)"]


def test_a_goal_that_is_missing_is_planned_again_with_tools(tmp_path):
    tool = ScriptedTool(evidence=[cite(0)])
    search = {
        "reasoning": "so",
        "calls": [
            {
                "tool": "knowledge.search",
                "arguments": [{"name": "query", "value": "Kopia"}],
                "goal": 1,
            }
        ],
    }
    turn, answer, document, _ = work(
        tmp_path,
        {
            "plan": {
                "goals": [{"description": QUERY, "depends_on": []}],
                "subtasks": [],
                "route": "synthesis",
                "intent": "informational",
                "question": "",
                "reasoning": "Look further",
            },
            "action": [search, {"reasoning": "enough", "calls": []}],
            "synthesis": [
                write_answer("Kopia is a tool [1].", ("Kopia is a tool", 1, 1)),
                write_answer("Ben Ode looks after Kopia [2].", ("Ben Ode looks after Kopia", 2, 1)),
            ],
            "validation": [judge("RETRY", "It does not say who"), judge()],
        },
        candidates=[cite(0, "Kopia is a tool that somebody looks after.", "Tools")],
        tools=[tool],
    )
    assert turn.status is TurnStatus.DONE
    assert answer.startswith("Ben Ode looks after Kopia [1].")
    assert tool.calls == [{"query": "Kopia"}]
    assert list_headings(document)[4:] == [
        "5. Synthesis",
        "6. Validation (Attempt 1)",
        "3. Task Plan (Attempt 2)",
        "4. Tool Execution (Attempt 2)",
        "5. Synthesis (Attempt 2)",
        "6. Validation (Attempt 2)",
    ]
    assert "**Previous Attempt Failed:** It does not say who" in document
    assert "**New Approach:** Look further" in document


def test_a_turn_that_the_model_fails_gives_no_answer(tmp_path):
    turn, answer, document, _ = work(
        tmp_path,
        {"synthesis": GOOD, "validation": judge("FAIL", "It harms the user")},
        candidates=[cite(0)],
    )
    assert turn.status is TurnStatus.FAILED
    assert "Ben Ode" not in answer
    assert "**Decision:** FAIL" in document


def test_several_goals_are_answered_and_judged_each(tmp_path):
    query = "Who looks after Kopia and where does cube stand?"
    goals = ["Who looks after Kopia", "Where does cube stand"]
    turn, answer, document, _ = work(
        tmp_path,
        {
            "selection": {"answering": [1, 2], "near": []},
            "plan": {
                "goals": [{"description": goal, "depends_on": []} for goal in goals],
                "subtasks": ["Read"],
                "route": "synthesis",
                "intent": "informational",
                "question": "",
                "reasoning": "Both are there",
            },
            "synthesis": write_answer(
                "Ben Ode looks after Kopia [1]. cube stands in the cellar [2].",
                ("Ben Ode looks after Kopia", 1, 1),
                ("cube stands in the cellar", 2, 2),
            ),
            "validation": judge(),
        },
        query=query,
        candidates=[cite(0), cite(0, "cube stands in the cellar.", "cube", relevance=0.5)],
    )
    assert turn.status is TurnStatus.DONE
    assert "[2] cube (notes/cube.md)" in answer
    assert "| GOAL_1 | Who looks after Kopia | in_progress | - |" in document
    assert "| GOAL_2 | Where does cube stand | pending | - |" in document
    assert re.search(r"\| GOAL_1 \| ✓ \| [\d.]+ \|", document)
    assert re.search(r"\| GOAL_2 \| ✓ \| [\d.]+ \|", document)
    assert "**Overall Quality:**" in document


def test_without_a_model_that_answers_the_turn_is_that_of_the_rules(tmp_path):
    turn, answer, _, model = work(tmp_path, {}, candidates=[cite(0)])
    assert turn.status is TurnStatus.DONE
    assert answer.endswith(QUOTED)
    assert len(model.requests) == 5
