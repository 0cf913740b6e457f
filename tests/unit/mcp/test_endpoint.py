from __future__ import annotations

import json
import subprocess
import sys

import httpx2
import pytest
from mcp import Client
from mcp.types import Implementation

from wellworn.interfaces.mcp import mcp_app

ASK = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def initialize(name: str) -> dict:
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def call(tool: str, **arguments) -> dict:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}


def post(url: str, message: object, **headers: str) -> httpx2.Response:
    content = message if isinstance(message, bytes) else json.dumps(message).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(f"{url}/mcp", content=content, headers={**ASK, **named}, trust_env=False)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_over_http_is_known_by_the_name_it_said(url, memory, mode):
    info = Implementation(name="claude-code", version="2")
    async with Client(f"{url}/mcp", mode=mode, client_info=info) as client:
        await client.call_tool("remember", {"content": "Ports below 1024 need root."})
    [prompt] = memory.prompts
    assert (prompt.agent_id, prompt.agent_name) == ("claude-code", "claude-code")


def test_headers_name_the_agent_and_arguments_override_them(url, memory):
    named = {"X_Agent_ID": "dev-1", "X_Agent_Name": "=?base64?RMOpdg==?="}
    post(url, call("recall", query="a"), **named)
    post(url, call("recall", query="b", agent_name="Boss"), **named)
    post(url, call("recall", query="c", agent_id="boss"), **named)
    post(url, call("recall", query="d", agent_name="Solo"))
    post(url, call("recall", query="e"))
    assert [(one.agent_id, one.agent_name) for one in memory.prompts] == [
        ("dev-1", "Dév"),
        ("dev-1", "Boss"),
        ("boss", "Dév"),
        ("Solo", "Solo"),
        ("mcp-client", "mcp-client"),
    ]


@pytest.mark.parametrize("value", ["=?base64?IA==?=", "=?base64?!?=", "a" * 101])
def test_a_header_that_names_no_agent_is_refused(url, memory, value):
    reply = post(url, call("recall", query="a"), X_Agent_ID=value).json()
    assert reply["result"]["structuredContent"]["error"]["code"] == "VALIDATION_ERROR"
    assert "X-Agent-ID" in reply["result"]["structuredContent"]["error"]["message"]
    assert memory.prompts == []


def test_an_idempotency_key_is_passed_on(url, memory):
    post(url, call("remember", content="a"), Idempotency_Key="once")
    post(url, call("remember", content="b"))
    assert [one.idempotency_key for one in memory.prompts] == ["once", None]


def test_any_process_can_answer_the_next_message_of_a_client(serve, memory):
    hello = post(serve().url, initialize("nomad"))
    session_id = hello.headers["mcp-session-id"]
    other = serve()
    reply = post(other.url, call("recall", query="where?"), Mcp_Session_Id=session_id)
    assert reply.status_code == 200
    assert memory.prompts[0].agent_name == "nomad"


def test_links_lead_to_the_server_that_was_asked(url, memory):
    thought_id = memory.hold("Linked.")
    reply = post(url, call("search", query="linked")).json()
    [hit] = reply["result"]["structuredContent"]["results"]
    assert hit["url"] == f"{url}/api/v1/thoughts/{thought_id}"


def test_a_web_page_of_another_origin_is_refused(url, memory):
    assert post(url, LIST, Origin="https://evil.example").status_code == 403
    assert post(url, LIST, Host="evil.example").status_code == 421
    assert post(url, LIST, Origin=url).status_code == 200


def test_only_post_is_answered(url):
    for method in ("GET", "DELETE", "PUT"):
        refused = httpx2.request(method, f"{url}/mcp", headers=ASK, trust_env=False)
        assert refused.status_code == 405
        assert refused.headers["allow"] == "POST"
        assert refused.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (json.dumps(call("remember", content="\ud800")).encode(), 400),
        (b"[]", 400),
        (b"x" * 1_100_000, 413),
    ],
)
def test_a_broken_message_is_refused_and_the_endpoint_stays_open(url, body, status):
    assert post(url, body).status_code == status
    assert post(url, LIST).status_code == 200


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_each_message_of_a_batch_is_answered(url, memory):
    batch = [
        PING,
        NOTE,
        {**call("remember", content="Vanes turn."), "id": "a"},
        7,
        LIST | {"id": 9},
    ]
    reply = post(url, batch, MCP_Protocol_Version="2025-03-26")
    assert reply.status_code == 200
    ping, stored, broken, listed = reply.json()
    assert (ping["id"], ping["result"]) == (1, {})
    assert (stored["id"], stored["result"]["structuredContent"]["stored"]) == ("a", True)
    assert (broken["id"], broken["error"]["code"]) == (None, -32600)
    assert listed["id"] == 9
    assert len(listed["result"]["tools"]) == 12
    assert [prompt.prompt for prompt in memory.prompts] == ["Vanes turn."]


def test_a_batch_of_notifications_is_accepted_without_an_answer(url):
    reply = post(url, [NOTE, NOTE])
    assert (reply.status_code, reply.content) == (202, b"")


def test_a_batch_is_bounded(url):
    assert post(url, [PING] * 100).status_code == 200
    refused = post(url, [PING] * 101)
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "an array takes 1 to 100 messages"


@pytest.mark.parametrize("message", [{}, 7, None, "ping", {"jsonrpc": "2.0"}, {"method": "ping"}])
def test_what_is_no_message_is_refused_in_a_sentence(url, message):
    refused = post(url, message)
    assert refused.status_code == 400
    error = {"code": -32600, "message": "the message is not a JSON-RPC object"}
    assert refused.json() == {"jsonrpc": "2.0", "id": None, "error": error}


def test_a_handshake_is_agreed_on_whatever_version_its_header_names(url):
    for version in ("2099-01-01", "2025-06-18"):
        agreed = post(url, initialize("new"), MCP_Protocol_Version=version)
        assert agreed.status_code == 200
        assert agreed.json()["result"]["protocolVersion"] == "2025-06-18"
    assert post(url, LIST, MCP_Protocol_Version="2099-01-01").status_code == 400


@pytest.mark.parametrize("name", [None, True, 1.5, {}])
def test_a_request_whose_answer_could_not_be_told_is_refused(url, name):
    refused = post(url, PING | {"id": name})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "the id of a request is a string or a whole number"
    assert post(url, NOTE | {"id": None}).status_code == 202
    refused, answered = post(url, [PING | {"id": name}, PING]).json()
    assert (refused["id"], refused["error"]["code"]) == (None, -32600)
    assert answered["id"] == PING["id"]


def test_a_client_that_says_nothing_of_what_it_takes_gets_json(url):
    with httpx2.Client(trust_env=False) as client:
        del client.headers["accept"]
        reply = client.post(f"{url}/mcp", json=PING)
    assert reply.json()["result"] == {}


@pytest.mark.parametrize("message", [PING, [PING, PING]])
def test_a_client_that_takes_events_alone_gets_the_answer_as_one(url, message):
    told = post(url, message, accept="text/event-stream")
    assert (told.status_code, told.headers["content-type"]) == (200, "text/event-stream")
    name, data, *end = told.text.split("\n")
    assert (name, end) == ("event: message", ["", ""])
    assert json.loads(data.removeprefix("data: ")) == post(url, message).json()
    assert post(url, NOTE, accept="text/event-stream").status_code == 202
    assert post(url, {}, accept="text/event-stream").json()["error"]["code"] == -32600


def test_importing_the_endpoint_does_not_load_the_sdk(environment):
    program = (
        "import sys, wellworn.interfaces.mcp; "
        "sys.exit('mcp' in sys.modules or 'fastapi' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], check=False, env=environment).returncode
        == 0
    )


@pytest.mark.anyio
async def test_an_endpoint_whose_lifespan_was_forgotten_says_so(memory):
    endpoint = mcp_app(memory, version="1")
    with pytest.raises(RuntimeError, match=r"running\(\)"):
        await endpoint({"type": "http", "method": "POST"}, None, None)
