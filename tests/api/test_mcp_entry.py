"""Who is let in over MCP: the same credentials, the same 401 and the same rates as over HTTP."""

from __future__ import annotations

import json

import pytest

from api.walls import MCP, Caller, closed, founded, send, served, unlimited
from api.world import accepted
from wellworn.application.calls import SERVER_TRAIL, RateLimits
from wellworn.domain.spaces import SpaceSettings
from wellworn.testing.embedder import HashEmbedder

FEW = 3
WRONG = f"ww_{'a' * 12}_{'a' * 52}"
INFO = {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {}}
ASKED = {
    "initialize": {**INFO, "protocolVersion": "2025-06-18"},
    "ping": {},
    "tools/list": {},
    "resources/list": {},
    "prompts/list": {},
    "tools/call": {"name": "search", "arguments": {"query": "lamp"}},
    "resources/read": {"uri": "wellworn://knowledge/catalog.md"},
    "prompts/get": {"name": "knowledge_base"},
}


@pytest.fixture(scope="module")
def shut():
    with closed() as admin:
        yield admin


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


def ask(world, method, headers=None, path="/mcp"):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": ASKED[method]}
    return world.client.post(path, json=message, headers=MCP | (headers or {}))


def assert_challenged(reply):
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")
    error = reply.json()["error"]
    assert error["message"].startswith("UNAUTHENTICATED: ")
    assert error["data"]["error"]["code"] == "UNAUTHENTICATED"


@pytest.mark.parametrize("method", ASKED)
def test_behind_a_closed_door_every_request_without_a_credential_is_a_401(shut, method):
    assert_challenged(ask(shut.world, method))
    assert_challenged(ask(shut.world, method, path="/mcp/ks-nowhere"))
    assert_challenged(ask(shut.world, method, {"authorization": f"Bearer {WRONG}"}))


@pytest.mark.parametrize("method", ASKED)
def test_behind_a_closed_door_a_credential_opens(shut, method):
    reply = ask(shut.world, method, {"authorization": f"Bearer {shut.key}"})
    assert reply.status_code == 200
    assert "www-authenticate" not in reply.headers
    assert "error" not in reply.json()


@pytest.mark.parametrize("method", ASKED)
def test_the_open_door_needs_none_and_takes_no_wrong_one(world, method):
    assert ask(world, method).status_code == 200
    assert_challenged(ask(world, method, {"x-api-key": WRONG}))
    both = {"x-api-key": WRONG, "authorization": "Bearer another"}
    assert_challenged(ask(world, method, both))


def test_a_handshake_that_is_refused_gives_no_session(shut):
    assert "mcp-session-id" not in ask(shut.world, "initialize").headers
    known = ask(shut.world, "initialize", {"x-api-key": shut.key})
    assert known.headers["mcp-session-id"]


def test_a_space_of_others_is_missed_by_the_call_that_needs_it(world):
    one, other = founded(world), founded(world)
    headers = {"authorization": f"Bearer {one.key}", "wellworn-space": other.space}
    assert "error" not in ask(world, "initialize", headers).json()
    reply = ask(world, "tools/call", headers)
    assert reply.status_code == 200
    assert reply.json()["result"]["structuredContent"]["error"]["code"] == "SPACE_NOT_FOUND"


@pytest.fixture
def narrow(opened):
    """A server that lets through few reads a minute, and a member made before it did."""
    world = opened(HashEmbedder(), unlimited())
    one, other = founded(world, "one"), founded(world, "other")
    few = SpaceSettings(**unlimited().spaces.model_dump() | {"reads_a_minute": FEW})
    world.app.admission.limits = RateLimits(few)
    return one, other


@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call"])
@pytest.mark.parametrize("way", ["no such key", "no such space"])
def test_keys_and_spaces_cannot_be_tried_without_end(narrow, method, way):
    one, other = narrow
    lost = Caller(one.world, WRONG, one.space)
    trier = lost.headers if way == "no such key" else one.headers | {"wellworn-space": other.space}
    limited = ["RATE_LIMITED" in ask(one.world, method, trier).text for _ in range(2 * FEW)]
    assert limited == [False] * FEW + [True] * FEW
    assert accepted(other.get("health"))


def test_tries_over_mcp_and_over_http_are_counted_together(narrow):
    one, _ = narrow
    for _ in range(FEW):
        assert_challenged(ask(one.world, "tools/call", {"x-api-key": WRONG}))
    reply = send(one.world, "GET", "health", headers={"x-api-key": WRONG})
    assert reply.status_code == 429


def test_a_try_over_mcp_is_in_the_server_s_trail(world):
    world.clock.advance(61)
    audit = world.app.guard.audit
    before, _ = audit.head(SERVER_TRAIL)
    for _ in range(3):
        ask(world, "tools/call", {"x-api-key": WRONG})
    [told] = [one.entry for one in audit.entries(SERVER_TRAIL, after_seq=before)]
    assert (told.action, told.outcome) == ("access.refused", "UNAUTHENTICATED")


ODD = ["\x00", "../..", "a" * 500_000, "Ana was told what burns"]


@pytest.mark.parametrize("name", ODD, ids=["nul", "above", "long", "words"])
def test_what_is_no_id_of_a_turn_is_no_resource_and_stands_in_no_trail(world, name):
    owner = founded(world, "reading")
    params = {"uri": f"wellworn://turns/{name}/context.md"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}
    reply = owner.world.client.post("/mcp", json=message, headers=owner.headers | MCP)
    assert reply.json()["error"]["message"] == "NOT_FOUND: there is no such resource"
    assert all(name not in entry["targets"] for entry in owner.trail())


@pytest.mark.parametrize("path", ["/mcp/", "/mcp/ks-default/"])
def test_an_address_with_a_slash_at_its_end_is_answered_without_a_redirect(world, path):
    reply = ask(world, "initialize", path=path)
    assert reply.status_code == 200
    assert reply.json()["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize("is_batch", [False, True])
def test_arguments_that_are_their_json_text_are_read(world, is_batch):
    owner, told = founded(world, "oars"), f"The oar is new: {is_batch}."
    given = json.dumps({"content": told, "tags": ["oar"]})
    params = {"name": "remember", "arguments": given}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    sent = [message] if is_batch else message
    reply = world.client.post("/mcp", json=sent, headers=owner.headers | MCP).json()
    [answer] = reply if is_batch else [reply]
    assert answer["result"]["structuredContent"]["stored"]
    [thought] = accepted(owner.get("thoughts"))["thoughts"]
    assert (thought["content"], thought["tags"]) == (told, ["oar"])


@pytest.mark.parametrize("arguments", ["x", "[1]", "null", "{", "[" * 100_000])
def test_arguments_of_any_other_text_are_refused(world, arguments):
    params = {"name": "remember", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert "error" in world.client.post("/mcp", json=message, headers=MCP).json()


def test_each_call_of_a_batch_behind_a_closed_door_needs_a_credential(shut):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ASKED["tools/call"]}
    reply = shut.world.client.post("/mcp", json=[call, call | {"id": 2}], headers=MCP)
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")
    assert [answer["id"] for answer in reply.json()] == [1, 2]
    assert all("UNAUTHENTICATED" in answer["error"]["message"] for answer in reply.json())


def test_what_is_recalled_is_short_enough_for_any_client(world):
    owner = founded(world, "long notes")
    notes = [f"Report {at} about the turbine. " + "It is sound. " * 700 for at in range(12)]
    whole = {owner.know(note): note for note in notes}
    reply = owner.tool("recall", query="turbine report", limit=10)
    assert len(reply.content) < 50_000
    [first, *_] = reply.json()["result"]["structuredContent"]["thoughts"]
    assert first["characters"] == len(whole[first["thought_id"]])
    read = owner.tool("fetch", id=first["thought_id"]).json()["result"]["structuredContent"]
    assert whole[first["thought_id"]].strip() in read["text"]
