from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import threading

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import Implementation

from fences import quoted
from patience import LONG_S
from wellworn.engines.daemon import DaemonFailed
from wellworn.interfaces.mcp.relay import Relay
from wellworn.interfaces.mcp.stdio import bridge

PROGRAM = (
    "import sys; from pathlib import Path; "
    "from wellworn.interfaces.mcp import run; run(Path(), sys.argv[1])"
)
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "pipe", "version": "1"},
    },
}


def call(number: int, tool: str, **arguments) -> dict:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def told(relay: Relay, *messages: object) -> list[dict]:
    """What the bridge writes when a client says these messages one after another."""
    replies: list[dict] = []
    for message in messages:
        sink = io.BytesIO()
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        bridge([line + b"\n"], sink, relay)
        replies += [json.loads(reply) for reply in sink.getvalue().splitlines()]
    return replies


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_talks_to_the_server_through_the_pipe(url, memory, environment, mode):
    spawn = StdioServerParameters(
        command=sys.executable, args=["-c", PROGRAM, url], env=environment
    )
    info = Implementation(name="desktop", version="1")
    async with Client(spawn, mode=mode, client_info=info) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("remember", {"content": "Pipes carry lines. Ünïcode."})
    assert len(tools) == 12
    assert result.structured_content["stored"] is True
    assert memory.prompts[0].prompt == "Pipes carry lines. Ünïcode."
    assert memory.prompts[0].agent_name == "desktop"


def test_a_batch_is_answered_by_an_array(url):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    relay = Relay(lambda: url)
    [replies] = told(relay, [ping, note, call(2, "recall", query="vanes"), 7])
    assert [reply["id"] for reply in replies] == [1, 2, None]
    assert "result" in replies[0]
    assert "result" in replies[1]
    assert replies[2]["error"]["code"] == -32600
    assert told(relay, [note]) == []
    [refused] = told(relay, [])
    assert refused["error"]["code"] == -32600


def test_nothing_but_the_protocol_reaches_stdout(url, environment):
    noisy = PROGRAM.replace(
        "run(Path()",
        "from wellworn.interfaces.mcp import stdio; import os; "
        "kept = stdio.reply_to; "
        "stdio.reply_to = lambda *a: (print('noise'), os.write(1, b'noise'), kept(*a))[2]; "
        "run(Path()",
    )
    lines = [json.dumps(INITIALIZE), '{"jsonrpc":"2.0","method":"notifications/initialized"}', ""]
    done = subprocess.run(
        [sys.executable, "-c", noisy, url],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    [reply] = done.stdout.splitlines()
    assert json.loads(reply)["result"]["serverInfo"]["name"] == "wellworn"
    assert "noise" in done.stderr


def test_the_agent_of_the_environment_comes_before_the_clients_name(url, memory):
    told(Relay(lambda: url, agent="Dév 1"), INITIALIZE, call(2, "recall", query="a"))
    told(Relay(lambda: url), INITIALIZE, call(2, "recall", query="b"))
    assert [(one.agent_id, one.agent_name) for one in memory.prompts] == [
        ("Dév 1", "Dév 1"),
        ("pipe", "pipe"),
    ]


def test_the_environment_names_the_agent_of_a_pipe(url, memory, environment):
    subprocess.run(
        [sys.executable, "-c", PROGRAM, url],
        input=json.dumps(call(1, "recall", query="x")),
        env={**environment, "WELLWORN_AGENT": "night-shift"},
        stdout=subprocess.DEVNULL,
        check=True,
        text=True,
    )
    assert memory.prompts[0].agent_id == "night-shift"


def test_the_handshake_and_the_lists_do_not_wait_for_the_server(url, memory):
    started = threading.Event()

    def start() -> str:
        started.wait()
        return url

    reading, writing = os.pipe()
    answers, sink = os.pipe()
    with (
        os.fdopen(reading, "rb") as source,
        os.fdopen(sink, "wb") as out,
        os.fdopen(answers, "rb") as replies,
    ):
        bridging = threading.Thread(target=bridge, args=(source, out, Relay(start, offers=True)))
        bridging.start()
        with os.fdopen(writing, "wb") as client:

            def say(message: dict) -> dict:
                client.write(json.dumps(message).encode() + b"\n")
                client.flush()
                return json.loads(replies.readline())

            hello = say(INITIALIZE)
            listed = say({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
            assert not memory.prompts
            started.set()
            stored = say(call(3, "remember", content="Pipes carry lines."))
        bridging.join()
    assert (hello["id"], hello["result"]["protocolVersion"]) == (1, "2025-06-18")
    assert len(listed["result"]["tools"]) == 12
    assert stored["result"]["structuredContent"]["stored"] is True
    assert memory.prompts[0].agent_name == "pipe"


def test_a_server_that_cannot_be_started_is_told_with_the_first_call():
    def fail() -> str:
        raise DaemonFailed("it did not start")

    hello, failed = told(Relay(fail, offers=True), INITIALIZE, call(2, "recall", query="x"))
    assert hello["result"]["serverInfo"]["name"] == "wellworn"
    assert failed["error"]["message"] == "the memory server could not be started; its log says why"


def test_chosen_tools_are_listed_by_the_server(url):
    relay = Relay(lambda: url, tools="browse", offers=True)
    [listed] = told(relay, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    assert len(listed["result"]["tools"]) < 11


def test_a_daemon_that_died_between_two_calls_is_found_again(serve, memory):
    first = serve()
    addresses = [first.url]
    looked_up = []

    def address() -> str:
        looked_up.append(addresses[-1])
        return addresses[-1]

    relay = Relay(address)
    told(relay, INITIALIZE, call(2, "remember", content="Before."))
    first.stop()
    addresses.append(serve().url)
    [reply] = told(relay, call(3, "recall", query="What came before?"))
    [thought] = reply["result"]["structuredContent"]["thoughts"]
    assert quoted(thought["content"]) == "Before."
    assert looked_up == addresses
    assert memory.prompts[-1].agent_name == "pipe"


def test_a_repeated_call_carries_the_key_of_the_first(serve, memory):
    taken: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as dying:

        def take_and_die() -> None:
            connection, _ = dying.accept()
            taken.append(connection.recv(65_536))
            connection.close()

        places = [f"http://127.0.0.1:{dying.getsockname()[1]}", serve().url]
        death = threading.Thread(target=take_and_die)
        death.start()
        [reply] = told(Relay(lambda: places.pop(0)), call(2, "remember", content="Once."))
        death.join(timeout=LONG_S)
    assert reply["result"]["structuredContent"]["stored"] is True
    [prompt] = memory.prompts
    assert f"Idempotency-Key: {prompt.idempotency_key}".encode() in taken[0]


def test_a_server_that_stays_away_is_an_error_and_not_silence(serve):
    gone = serve()
    gone.stop()
    [reply] = told(Relay(lambda: gone.url), call(7, "recall", query="x"))
    assert (reply["id"], reply["error"]["message"]) == (7, "no memory server answers")


def test_a_daemon_that_cannot_start_is_an_error_without_its_log():
    def address() -> str:
        raise DaemonFailed("it ended; its log ends with:\n  /home/me/secret")

    [reply] = told(Relay(address), call(7, "recall", query="x"))
    assert reply["id"] == 7
    assert "could not be started" in reply["error"]["message"]
    assert "/home/me" not in json.dumps(reply)


NAMELESS = b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}'


@pytest.mark.parametrize(
    ("line", "code"), [(b"{", -32700), (b"[]", -32600), (b"7", -32600), (NAMELESS, -32600)]
)
def test_a_line_that_is_no_message_is_refused(line, code):
    [reply] = told(Relay(lambda: "http://127.0.0.1:9"), line)
    assert (reply["id"], reply["error"]["code"]) == (None, code)


def test_something_else_at_the_address_is_an_error(url):
    [reply] = told(Relay(lambda: f"{url}/elsewhere"), call(1, "recall", query="x"))
    assert "refused the message (404)" in reply["error"]["message"]


def test_a_tool_name_that_no_header_can_hold_is_still_asked_for(url):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    odd = call(1, "réc\nall")
    odd["params"]["_meta"] = meta
    [reply] = told(Relay(lambda: url), odd)
    assert reply["error"]["message"] == "there is no such tool"


def test_an_id_that_no_encoding_can_hold_comes_back_as_it_was(url):
    [reply] = told(Relay(lambda: url), call("\ud800", "recall", query="x"))
    assert reply["id"] == "\ud800"
