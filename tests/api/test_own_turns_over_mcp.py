"""Turns that agents work on themselves, over MCP: kept, refused and recorded as over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from api.routes import query
from api.test_turns_of_agents import CALL, RESULT, begin, document
from api.walls import founded, served
from api.world import accepted, refused

CLAIM = {"text": "64 GB of memory", "evidence": 1}
BAD_ENTRIES = [
    7,
    [7],
    [{}],
    [{"result": 7}],
    [{"result": "x", "zebra": 1}],
    [{"result": "x" * 50_001}],
    [{"result": "x\x00"}],
    [{"result": "x", "tool": "a\nb"}],
    [{"result": "x", "arguments": {"place": 7}}],
    [{"result": "x", "is_ok": "yes"}],
    [{"result": "x", "sources": [{"text": "x"}]}],
    [{"result": "x", "sources": [{"text": "x", "source": " "}]}],
    [{"result": "x"}] * 101,
]
BAD_ENDS = [
    {"answer": 7},
    {"answer": "x", "claims": 7},
    {"answer": "x", "claims": [{"evidence": 1}]},
    {"answer": "x", "claims": [{"text": "x", "evidence": 0}]},
    {"answer": "x", "claims": [{"text": "x", "evidence": "one"}]},
    {"answer": "x", "claims": [{"text": "x" * 2_001}]},
    {"answer": "x", "claims": [{"text": "x"}] * 201},
]
PURPOSES = [
    ({}, "query is required"),
    ({"turn_id": "zebra", "answer": "x"}, "turn_id must be a UUID"),
    ({"turn_id": "TURN"}, "entries must be an array of at least 1 items"),
    ({"turn_id": "TURN", "entries": []}, "entries must be an array of at least 1 items"),
    ({"turn_id": "TURN", "query": "x", "entries": [CALL]}, "query, follows and key are for a new"),
    ({"turn_id": "TURN", "entries": [CALL], "claims": [CLAIM]}, "answer is required with them"),
    ({"query": "x", "key": "a"}, "entries or answer is required with it"),
]


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield founded(world)


def use(caller: Any, **arguments: Any) -> dict[str, Any]:
    result = caller.tool("ask", **arguments).json()["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def read_error(caller: Any, **arguments: Any) -> dict[str, str]:
    result = caller.tool("ask", **arguments).json()["result"]
    assert result["isError"]
    return result["structuredContent"]["error"]


def test_a_turn_over_mcp_leaves_the_documents_of_one_over_http():
    texts = []
    for is_over_mcp in (True, False):
        with served() as world:
            caller = founded(world)
            if is_over_mcp:
                turn = use(caller, query="How much memory has cube?", entries=[])["turn_id"]
                use(caller, turn_id=turn, entries=[CALL])
                use(caller, turn_id=turn, answer="cube has 64 GB [1].", claims=[CLAIM])
            else:
                turn = begin(caller, agent="mcp-client")["id"]
                accepted(caller.post(f"turns/{turn}/entries", {"entries": [CALL]}))
                body = {"answer": "cube has 64 GB [1].", "claims": [CLAIM]}
                accepted(caller.post(f"turns/{turn}/close", body))
            results = document(caller, turn, "toolresults.md")
            texts.append((document(caller, turn).replace(turn, "ID"), RESULT in results))
    assert texts[0][0].split("\n## ", 1)[1] == texts[1][0].split("\n## ", 1)[1]
    assert texts[0][1]


@pytest.mark.parametrize("entries", BAD_ENTRIES)
def test_bad_entries_are_refused_in_the_words_of_http(world, entries):
    turn = begin(world)["id"]
    message = refused(
        world.post(f"turns/{turn}/entries", {"entries": entries}), 400, "VALIDATION_ERROR"
    )
    error = read_error(world, turn_id=turn, entries=entries)
    assert error == {"code": "VALIDATION_ERROR", "message": message}


@pytest.mark.parametrize("end", BAD_ENDS)
def test_a_bad_end_is_refused_in_the_words_of_http(world, end):
    turn = begin(world)["id"]
    message = refused(world.post(f"turns/{turn}/close", end), 400, "VALIDATION_ERROR")
    error = read_error(world, turn_id=turn, **end)
    assert error == {"code": "VALIDATION_ERROR", "message": message}
    assert accepted(world.send("GET", f"turns/{turn}"))["turn"]["status"] == "open"


@pytest.mark.parametrize(("arguments", "message"), PURPOSES)
def test_arguments_that_do_not_go_together_are_told_apart(world, arguments, message):
    turn = begin(world)["id"]
    error = read_error(world, **{k: turn if v == "TURN" else v for k, v in arguments.items()})
    assert error["code"] == "VALIDATION_ERROR"
    assert message in error["message"]


def test_a_turn_of_the_same_key_is_opened_once_and_gone_on_with(world):
    first = use(world, query="What is in the shed?", key="a session", entries=[CALL])
    again = use(world, query="What is in the shed?", key="a session", entries=[CALL])
    assert again["turn_id"] == first["turn_id"]
    assert [each["number"] for each in first["sources"] + again["sources"]] == [1, 2]


def test_a_whole_turn_fits_in_one_call_and_is_then_written_to_no_more(world):
    claims = [CLAIM, {"text": "It is fast", "evidence": 7}]
    ended = use(world, query="Memory of cube?", entries=[CALL], answer="64 GB [1].", claims=claims)
    assert (ended["status"], ended["context"][-10:]) == ("done", "context.md")
    assert [claim.get("evidence") for claim in ended["claims"]] == [1, None]
    assert 0 < ended["quality"] < 1
    error = read_error(world, turn_id=ended["turn_id"], entries=[CALL])
    assert "the turn is done" in error["message"]


def test_only_its_member_writes_to_a_turn_and_each_call_is_recorded():
    with served() as world:
        owner = founded(world)
        guest = owner.guest()
        turn = use(guest, query="How much memory has cube?", entries=[])["turn_id"]
        for caller in (owner, owner.guest()):
            assert read_error(caller, turn_id=turn, entries=[CALL])["code"] == "TURN_NOT_FOUND"
            response = caller.post(f"turns/{turn}/entries", {"entries": [CALL]})
            refused(response, 404, "TURN_NOT_FOUND")
        use(guest, turn_id=turn, answer="Nobody knows.")
        http = accepted(guest.post("turns/open", query("And over HTTP?")))["id"]
        actions = [(entry["action"], entry["targets"]) for entry in owner.trail()]
        # Opened, refused four times, and closed.
        assert actions.count(("turn.asked", [turn])) == 6
        assert actions.count(("turn.asked", [http])) == 1
