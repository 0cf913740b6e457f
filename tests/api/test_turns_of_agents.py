"""Turns that agents work on themselves, over HTTP: opened, appended to, closed, and found again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api.routes import query
from api.walls import founded, served
from api.world import NOBODY, accepted, refused
from wellworn.domain.turns import recording
from wellworn.testing.embedder import HashEmbedder

RESULT = "cube: 64 GB of memory, since 2024"
CALL = {"tool": "shell.run", "arguments": {"command": "free -g"}, "result": RESULT}


def begin(caller: Any, text: str = "How much memory has cube?", **more: Any) -> dict[str, Any]:
    return accepted(caller.post("turns/open", query(text, **more)))


def append(caller: Any, turn: str, *entries: dict[str, Any]) -> list[dict[str, Any]]:
    return accepted(caller.post(f"turns/{turn}/entries", {"entries": list(entries)}))["sources"]


def close(caller: Any, turn: str, answer: str, *claims: dict[str, Any]) -> dict[str, Any]:
    body = {"answer": answer, "claims": list(claims)}
    return accepted(caller.post(f"turns/{turn}/close", body))


def document(caller: Any, turn: str, path: str = "context.md") -> str:
    return caller.send("GET", f"turns/{turn}/files/{path}").text


def test_an_agents_turn_is_kept_as_ours_are(world):
    turn = begin(world, engine="some-model")
    assert (turn["status"], turn["engine"], turn["number"]) == ("open", "some-model", 1)
    [source] = append(world, turn["id"], CALL, {"result": "That was easy."})
    assert (source["number"], source["text"]) == (1, RESULT)
    ended = close(
        world, turn["id"], "cube has 64 GB [1].", {"text": "64 GB of memory", "evidence": 1}
    )
    assert (ended["turn"]["status"], ended["turn"]["engine"]) == ("done", "some-model")
    assert ended["text"] == "cube has 64 GB [1]."
    assert [each["text"] for each in ended["sources"]] == [RESULT]
    text = document(world, turn["id"])
    places = [text.index(f"\n## {title}") for title in ("0. User", "4. Tool", "5. Syn", "6. Val")]
    assert places == sorted(places)
    assert '`shell.run(command="free -g")`' in text
    assert "**Decision:** APPROVE" in text
    assert "**Action:** NOTE\n\nThat was easy." in text
    assert "Reasoning" not in text
    assert "That was easy." in document(world, turn["id"], "toolresults.md")
    assert accepted(world.send("GET", f"turns/{turn['id']}")) == ended


def test_entries_that_are_sent_again_under_a_key_are_kept_once(world):
    turn = begin(world)["id"]
    body, once = {"entries": [CALL, {"result": "That was easy."}]}, {"idempotency-key": "a/1"}

    def send(entries, key):
        return world.post(f"turns/{turn}/entries", {"entries": entries}, headers=key)

    first = accepted(send(body["entries"], once))
    assert accepted(send(body["entries"], once)) == first
    [other] = accepted(send([CALL], {"idempotency-key": "a/2"}))["sources"]
    assert other["number"] == 2
    refused(send([CALL | {"result": "32 GB"}], once), 400, "VALIDATION_ERROR")
    refused(send([CALL], once), 400, "VALIDATION_ERROR")
    journal = document(world, turn, "journal.jsonl")
    assert journal.count('"tool": "shell.run"') == 2
    assert journal.count("That was easy.") == 1


def test_what_no_source_says_is_marked(world):
    turn = begin(world)["id"]
    [source] = append(world, turn, CALL)
    claims = ({"text": "It has 128 GB", "evidence": 1}, {"text": "It is fast", "evidence": 7})
    ended = close(world, turn, "It has 128 GB, and is fast.", *claims)
    assert ended["turn"]["status"] == "done"
    assert [claim["evidence"] for claim in ended["claims"]] == [1, None]
    assert ended["turn"]["quality"] < 0.5
    text = document(world, turn)
    assert [claim["confidence"] for claim in ended["claims"]] == [0.0, 0.0]
    claimed = text.partition("### Claims Extracted\n")[2]
    place = f"not said by {source['source']}"
    assert f"- It has 128 GB ({place}) · confidence 0.00 ^claim-001\n" in claimed
    assert "- It is fast (no source) · confidence 0.00 ^claim-002\n" in claimed
    assert "- [ ] Claims match evidence" in text
    assert "Claim without support in its source: It has 128 GB" in text
    assert "Claim without support in its source: It is fast" in text
    assert "“128” stands in no source" in text
    assert "**Decision:** FAIL" in text
    assert "Nothing was found" not in text
    assert not any(word in text for word in ("REVISE", "Attempt", "Hints"))


def test_an_answer_without_claims_fails_its_check_and_nothing_tells_to_try_again(world):
    turn = begin(world)["id"]
    append(world, turn, *[CALL] * 11, {"result": "That was easy."})
    ended = close(world, turn, "cube has 64 GB.")
    assert (ended["turn"]["status"], ended["text"]) == ("done", "cube has 64 GB.")
    text = document(world, turn)
    checked = text.partition("## 6. Validation\n")[2]
    assert "**Decision:** FAIL" in checked
    assert "1. The answer came without claims, so no source was found to support it" in checked
    assert not any(word in text for word in ("RETRY", "REVISE", "Attempt", "Suggested", "Hints"))
    assert "**Iterations:** 13\n**Tool Calls:** 11\n" in text
    metrics = json.loads(document(world, turn, "metrics.json"))
    assert (metrics["retries"], metrics["revisions"]) == (0, 0)


def test_a_later_question_finds_it(world):
    turn = begin(world, "How much memory has cube?")["id"]
    append(world, turn, CALL)
    close(world, turn, "64 GB [1].", {"text": "64 GB of memory", "evidence": 1})
    later = accepted(world.post("turns", query("How much memory does cube have?")))
    assert "“64 GB.” [1] (as ada answered)" in later["text"]
    assert [each["link"] for each in later["sources"]] == ["turns/turn_000001/context.md"]
    assert "turn_000001/context.md" in document(world, later["turn"]["id"])
    followed = accepted(world.post("turns", query("and since when?", follows=turn)))
    assert "memory" in followed["turn"]["resolved_query"]


def test_a_turn_of_the_same_key_is_opened_once(world):
    first = begin(world, key="session 1, prompt 1", asked_at="2026-01-02T03:04:05Z")
    assert first["created_at"].startswith("2026-01-02T03:04:05")
    append(world, first["id"], CALL)
    again = begin(world, key="session 1, prompt 1")
    assert again == first
    assert document(world, first["id"]).count("## 0. User Query") == 1
    assert begin(world, key="session 1, prompt 2")["id"] != first["id"]


@pytest.mark.parametrize("arguments", [{"": "x"}, {"\n": "x"}, {"place": 7}, {"\u200b": 7}])
def test_arguments_that_are_refused_do_not_fit_the_schema_either(world, arguments):
    turn = begin(world)["id"]
    body = {"entries": [{"result": "On the hill.", "tool": "look", "arguments": arguments}]}
    refused(world.post(f"turns/{turn}/entries", body), 400, "VALIDATION_ERROR")
    schemas = accepted(world.send("GET", "openapi.json"))["components"]["schemas"]
    schema = schemas["EntryBody"]["properties"]["arguments"]
    assert not Draft202012Validator(schema).is_valid(arguments)
    assert Draft202012Validator(schema).is_valid({"place": "the hill"})


def test_what_is_closed_is_written_to_no_more(world):
    turn = begin(world)["id"]
    close(world, turn, "Nobody knows.")
    for path, body in (("entries", {"entries": [CALL]}), ("close", {"answer": "Again."})):
        message = refused(world.post(f"turns/{turn}/{path}", body), 400, "VALIDATION_ERROR")
        assert "the turn is done" in message
    assert accepted(world.send("GET", f"turns/{turn}"))["text"] == "Nobody knows."


def test_a_turn_that_is_full_takes_no_entry_and_can_be_closed(world, monkeypatch):
    turn = begin(world)["id"]
    append(world, turn, CALL)
    monkeypatch.setattr(recording, "LONGEST_JOURNAL", len(RESULT))
    message = refused(
        world.post(f"turns/{turn}/entries", {"entries": [CALL]}), 400, "VALIDATION_ERROR"
    )
    assert "the turn is full" in message
    assert len(close(world, turn, "64 GB.", {"text": RESULT, "evidence": 1})["sources"]) == 1


def test_an_open_turn_is_neither_resumed_by_us_nor_ours_written_to_by_an_agent(world):
    turn = begin(world)["id"]
    refused(world.send("POST", f"turns/{turn}/resume"), 400, "VALIDATION_ERROR")
    ours = accepted(world.post("turns", query("what is cube?")))["turn"]["id"]
    refused(world.post(f"turns/{ours}/entries", {"entries": [CALL]}), 400, "VALIDATION_ERROR")
    refused(world.post(f"turns/{NOBODY}/close", {"answer": "x"}), 404, "TURN_NOT_FOUND")


def test_nobody_writes_into_the_turn_of_another_member():
    with served() as world:
        owner = founded(world)
        guest = owner.guest()
        turn = begin(guest)["id"]
        for caller in (owner, owner.guest()):
            response = caller.post(f"turns/{turn}/entries", {"entries": [CALL]})
            refused(response, 404, "TURN_NOT_FOUND")
        append(guest, turn, CALL)


def test_a_secret_is_kept_nowhere(world):
    secret = "ghp_" + "a1B2c3D4" * 4 + "a1B2"
    turn = begin(world, f"Use the token {secret}")["id"]
    entry = {"tool": "env", "result": f"TOKEN={secret}", "arguments": {"as": secret}}
    source = {"text": f"TOKEN={secret}", "source": "env"}
    append(world, turn, entry, entry | {"sources": [source]})
    close(world, turn, f"It is {secret}.", {"text": f"It is {secret}", "evidence": 1})
    files = accepted(world.send("GET", f"turns/{turn}/files"))["files"]
    assert all(secret not in document(world, turn, path) for path in files)


def test_an_open_turn_outlives_its_server(opened):
    before = opened(HashEmbedder())
    turn = begin(before)["id"]
    append(before, turn, CALL)
    before.app.close()
    after = opened(HashEmbedder())
    after.app.turns.begin(after.app.jobs)
    assert after.read(f"turns/{turn}")["turn"]["status"] == "open"
    append(after, turn, {"result": "Went on after the restart."})
    ended = close(after, turn, "64 GB [1].", {"text": "64 GB", "evidence": 1})
    assert ended["text"] == "64 GB [1]."
    results = document(after, turn, "toolresults.md")
    assert results.index(RESULT) < results.index("Went on after")
