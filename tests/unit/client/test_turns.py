from __future__ import annotations

import httpx2
import pytest

from unit.cli.fake_turns import ANSWER, BEGUN, EVENTS, LISTED, TURN, write_events
from unit.client.test_client import Server, refusal
from wellworn.client import WellwornClientError


def answer_with(content: bytes) -> Server:
    return Server(httpx2.Response(200, content=content))


def code_of(server: Server, **more: object) -> str:
    with server.client(**more) as memory, pytest.raises(WellwornClientError) as failure:
        memory.ask("what burns?")
    return failure.value.code


def test_a_question_is_followed_to_its_answer():
    server, phases = answer_with(EVENTS), []
    with server.client(agent_id="dev") as memory:
        answer = memory.ask("what burns?", follows=TURN, on_phase=phases.append)
    assert answer.model_dump(mode="json") == ANSWER
    assert [phase.model_dump() for phase in phases] == BEGUN
    [request] = server.requests
    assert request.headers["accept"] == "text/event-stream"
    assert server.body == {
        "query": "what burns?", "agent_id": "dev", "agent_name": "dev", "follows": TURN,
    }  # fmt: skip


def test_a_turn_is_resumed_without_a_body():
    server = answer_with(EVENTS)
    with server.client() as memory:
        assert memory.resume_turn(TURN).turn.id == TURN
    assert (server.requests[0].url.path, server.requests[0].content) == (
        f"/api/v1/turns/{TURN}/resume",
        b"",
    )


def test_an_error_on_the_way_and_one_before_are_the_servers():
    error = {"error": {"code": "INTERNAL_ERROR", "message": "no"}}
    begun = ("phase", BEGUN[0])
    assert code_of(answer_with(write_events(begun, ("error", error)))) == "INTERNAL_ERROR"
    assert code_of(Server(refusal(404, "TURN_NOT_FOUND"))) == "TURN_NOT_FOUND"


def test_a_connection_that_ends_before_the_turn_is_an_error_and_asks_no_second_time():
    server = answer_with(write_events(("phase", BEGUN[0])))
    assert code_of(server) == "UNREACHABLE"
    assert len(server.requests) == 1
    lost = Server(httpx2.ReadError("lost"))
    assert code_of(lost, attempts=3) == "UNREACHABLE"
    assert len(lost.requests) == 1


def test_what_is_no_answer_of_wellworns_is_named():
    assert code_of(answer_with(write_events(("answer", {"turn": 1})))) == "UNEXPECTED_ANSWER"
    assert code_of(answer_with(write_events(("error", [])))) == "UNEXPECTED_ANSWER"


def test_an_agent_keeps_a_turn_of_its_own():
    begun = Server(httpx2.Response(201, json=LISTED | {"status": "open"}))
    with begun.client(agent_id="dev") as memory:
        assert memory.open_turn("what burns?", engine="m", key="k").status == "open"
    assert begun.body == {
        "query": "what burns?", "agent_id": "dev", "agent_name": "dev", "engine": "m", "key": "k",
    }  # fmt: skip
    source = ANSWER["sources"][0]
    appended = Server(httpx2.Response(200, json={"sources": [source]}))
    with appended.client() as memory:
        [cited] = memory.append_to_turn(TURN, [{"tool": "look", "result": "oil"}])
    assert cited.number == source["number"]
    assert appended.body == {"entries": [{"tool": "look", "result": "oil"}]}
    closed = Server(httpx2.Response(200, json=ANSWER))
    with closed.client() as memory:
        claims = [{"text": "It burns oil", "evidence": 1}]
        assert memory.close_turn(TURN, "It burns oil.", claims).turn.id == TURN
    assert closed.body == {"answer": "It burns oil.", "claims": claims}
    assert closed.requests[0].url.path == f"/api/v1/turns/{TURN}/close"
