"""Turns of a whole memory that a configured model answers: what is asked of it, and what holds."""

from __future__ import annotations

import json
from functools import partial

import pytest

from integration.knowledge_world import local, opened, synced
from integration.model_server import Reply, serving
from patience import LONG_S
from wellworn.application.settings import Settings
from wellworn.domain.turns import TurnQuery, TurnStatus
from wellworn.domain.turns.prompted.responses import QUOTED
from wellworn.engines.llm import LlmSettings

QUERY = "Who looks after Kopia?"
SENTENCE = "Kopia makes the copies, and Ben Ode looks after it."
DOCUMENTS = {"kopia.md": f"# Kopia\n\n{SENTENCE}\n"}
ANALYSIS = {
    "resolved_query": QUERY,
    "query_type": "general_question",
    "page": 0,
    "reasoning": "It refers to nothing",
}
REFLECTION = {
    "decision": "PROCEED",
    "confidence": 90,
    "intent": "informational",
    "is_followup": False,
    "question": "",
    "reasoning": "It is clear",
}
SELECTION = {"answering": [1], "near": []}
PLAN = {
    "goals": [{"description": QUERY, "depends_on": []}],
    "subtasks": ["Answer"],
    "route": "synthesis",
    "intent": "informational",
    "question": "",
    "reasoning": "The evidence states it",
}
SYNTHESIS = {
    "text": "Ben Ode looks after Kopia [1].",
    "claims": [{"text": "Ben Ode looks after Kopia", "evidence": 1, "goal": 1}],
}
VALIDATION = {
    "decision": "APPROVE",
    "confidence": 95,
    "issues": [],
    "hints": [],
    "unserved_goals": [],
}
WHOLE = (ANALYSIS, REFLECTION, SELECTION, PLAN, SYNTHESIS, VALIDATION)


@pytest.fixture
def ask(tmp_path):
    """Return a function that asks a memory whose model gives these replies."""

    def ask_model(replies):
        with serving(replies) as server:
            model = LlmSettings(model="stub", base_url=server.url, timeout_s=LONG_S)
            # Synced without the model, which the compiler would ask as well.
            with opened(tmp_path / "home") as app:
                synced(app, local(app), tmp_path / "docs", DOCUMENTS)
            with opened(tmp_path / "home", settings=Settings(llm=model)) as app:
                answer = app.turns.ask(local(app), TurnQuery(QUERY, "ada", "Ada"))
        return answer, server.requests

    return ask_model


def test_a_turn_is_decided_and_answered_by_the_model(ask):
    answer, requests = ask(map(Reply, WHOLE))
    assert answer.turn.status is TurnStatus.DONE
    assert answer.turn.engine == "stub"
    assert answer.text.startswith("Ben Ode looks after Kopia [1].\n\nSources:\n[1] Kopia")
    assert [claim.text for claim in answer.claims] == [SENTENCE]
    assert [item.source for item in answer.evidence] == ["mytech/kopia.md#kopia"]
    assert len(requests) == len(WHOLE)
    assert all(QUERY in json.dumps(request["messages"]) for request in requests)


@pytest.mark.parametrize(
    "reply",
    [
        partial(Reply, status=500),
        partial(Reply, body=b"{not json"),
        partial(Reply, {"unasked": "fields"}),
    ],
    ids=["down", "garbage", "another schema"],
)
def test_a_model_that_fails_leaves_an_answer_of_quotes(ask, reply):
    answer, requests = ask(iter(reply, None))
    assert answer.turn.status is TurnStatus.DONE
    assert SENTENCE in answer.text
    assert answer.text.endswith(QUOTED)
    assert requests


def test_what_the_model_makes_up_never_reaches_the_user(ask):
    made_up = SYNTHESIS | {"text": "Alice Moe looks after Kopia 9.9.9 [1]."}
    answer, _ = ask(map(Reply, (*WHOLE[:4], made_up, VALIDATION, made_up, VALIDATION, made_up)))
    assert answer.turn.status is TurnStatus.DONE
    assert "Alice" not in answer.text
    assert "9.9.9" not in answer.text
    assert SENTENCE in answer.text
