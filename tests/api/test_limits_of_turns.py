"""Turns keep to who and when their query names, as the memory does, or say that they do not."""

from __future__ import annotations

import pytest

from api.test_limits_in_words import DAY_S, SAID
from api.walls import founded
from api.world import accepted


@pytest.fixture
def said(meaning):
    now = 201
    for days, agent, text in SAID:
        meaning.clock.advance((now - days) * DAY_S)
        now = days
        meaning.know(text, agent)
    meaning.clock.advance(DAY_S)
    return meaning


def ask(world, query):
    return accepted(world.post("turns", {"query": query, "agent_id": "dev"}))


def tell(answer):
    return [(limit["words"], limit["state"]) for limit in answer.get("limits", ())]


@pytest.mark.parametrize(
    ("query", "quoted"),
    [
        ("What did Ana say in the last 3 days?", [SAID[5], SAID[3]]),
        ("What happened in the last 3 days?", [SAID[5], SAID[4], SAID[3]]),
        ("What did Ana say yesterday afternoon?", [SAID[5]]),
        ("What did Ana say about the lift in the last 3 days?", [SAID[5]]),
        ("Did Ana mention the roof?", [SAID[2]]),
        ("What was greased in the last 3 days?", [SAID[4]]),
    ],
)
def test_what_is_quoted_was_said_by_them_in_that_time(said, query, quoted):
    answer = ask(said, query)
    assert [source["text"] for source in answer["sources"]] == [text for *_, text in quoted]
    assert {state for _, state in tell(answer)} == {"kept"}
    assert said.read(f"turns/{answer['turn']['id']}") == answer


@pytest.mark.parametrize(
    ("query", "told", "begins"),
    [
        (
            "What did Ana say two days ago?",
            [("Ana", "kept"), ("two days ago", "missed")],
            "“two days ago” is read as 2026-09-10, in UTC. Nothing was said in that time.",
        ),
        (
            "What was painted in the last 3 days?",
            [("last 3 days", "missed")],
            "Nothing of that time is close to this.",
        ),
        (
            "What did Zoe say about the lift?",
            [("Zoe", "nobody")],
            "Nobody called “Zoe” has said anything here.",
        ),
        ("What did Bo say about the lift?", [("Bo", "kept")], "I found nothing"),
    ],
)
def test_what_is_beyond_the_limits_answers_nothing(said, query, told, begins):
    answer = ask(said, query)
    assert tell(answer) == told
    assert answer["text"].startswith(begins)
    assert (answer["sources"], answer["missing"]) == ([], ["GOAL_1"])


def test_what_is_not_understood_is_told_and_the_rest_answered(said):
    answer = ask(said, "What did everyone but Ana say about the lift?")
    assert tell(answer) == [("but Ana", "unknown")]
    assert answer["text"].startswith("“but Ana” was not understood as a limit")


def test_a_document_answers_by_naming_who_said_it(world):
    owner = founded(world)
    owner.know("The lift was oiled.", "bo")
    owner.know("The gate is open.", "ana")
    body = {"source_type": "upload", "name": "notes", "config": {}}
    source = accepted(owner.post("/api/knowledge/sources", body))["id"]
    for name, text in (
        ("minutes.md", "# Minutes\n\nAna reported that the lift in hall four got stuck.\n"),
        ("manual.md", "# Lift\n\nThe lift in hall four is inspected in May.\n"),
    ):
        path = f"/api/knowledge/sources/{source}/files/{name}"
        accepted(owner.send("PUT", path, content=text.encode()))
    answer = ask(owner, "What did Ana say of the lift in hall four that got stuck?")
    assert [source["source"] for source in answer["sources"]] == ["notes/minutes.md#minutes"]


def test_a_turn_tells_its_limits_over_mcp(said):
    params = {"name": "ask", "arguments": {"query": "What did Zoe say?"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    sent = {"accept": "application/json, text/event-stream"}
    result = said.client.post("/mcp", json=message, headers=sent).json()["result"]
    assert "Nobody called “Zoe” has said anything here." in result["content"][0]["text"]
