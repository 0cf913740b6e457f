"""Turns at the limits that their fields document, whatever their texts look like."""

from __future__ import annotations

from typing import Any

import pytest

from api.routes import query
from api.walls import founded, served
from api.world import accepted
from wellworn.domain.turns.sections import count_words

BLOCK = " ^word"
QUERIES = {
    "words": "x " * 2_500,
    "questions": "Who lights the lamp? " * 240,
    "lines": "- a ^b\n" * 700,
    "block": "pier " * 900 + BLOCK.strip(),
    "longest": ("the lamp burns " * 700)[: 10_000 - len(BLOCK)] + BLOCK,
}
TEXTS = {
    "words": "pier hums " * 5_000,
    "one word": "p" * 50_000,
    "block": "pier " * 9_000 + BLOCK.strip(),
    "lines": "- pier 50 ^block\n" * 3_000,
    "sections": "## 2. Gathered Context\n\n" * 2_000,
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_of_any_form_is_worked_on(name):
    with served() as world:
        asker = founded(world).guest(name="a")
        turn = accepted(asker.post("turns", query(QUERIES[name])))["turn"]
        assert turn["query"] == QUERIES[name]
        assert accepted(asker.post(f"turns/{turn['id']}/resume"))["turn"] == turn


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("tool", ["search", "note"])
def test_a_turn_of_an_agents_own_is_closed_at_the_limits(name, tool):
    text = TEXTS[name][:50_000]
    with served() as world:
        agent = founded(world).guest(name="a")
        turn = accepted(agent.post("turns/open", query("Who lights the lamp?")))["id"]
        entry: Any = {"tool": tool, "result": text}
        for _ in range(2):
            accepted(agent.post(f"turns/{turn}/entries", {"entries": [entry] * 5}))
        claims = [{"text": text[:2_000], "evidence": 1 + place % 9} for place in range(200)]
        closed = accepted(agent.post(f"turns/{turn}/close", {"answer": text, "claims": claims}))
        assert closed["turn"]["status"] == "done"
        assert closed["edited"] == []
        document = agent.get(f"turns/{turn}/files/context.md").text
        tools = document.partition("## 4. Tool Execution")[2].partition("## 5. Synthesis")[0]
        assert count_words(tools) <= 3_000
        assert "### Claims Extracted" in tools
        assert "Iteration 1" in tools
        assert "### Termination" in tools
