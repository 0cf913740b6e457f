"""A real server of tools, started for each call: its answers, and everything that goes wrong."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from pydantic import ValidationError

from integration.fetch_servers import RawServer, answer
from integration.tool_server_world import SERVER, list_calls, serve_tools
from wellworn.engines.tool_servers import (
    McpSettings,
    ServerFailure,
    ServerTool,
    ToolOutput,
    ToolServers,
)

pytestmark = pytest.mark.slow


def open_servers(*servers, timeout_s=170.0, **fields):
    return ToolServers(McpSettings.model_validate({"servers": servers, **fields}), timeout_s)


def call(servers, name, /, **texts):
    [server] = servers.servers
    tool = servers.find_tool(server, name)
    assert tool is not None
    return servers.call(server, tool, texts)


def test_a_tool_is_described_and_called(tmp_path):
    servers = open_servers(serve_tools(tmp_path, "read_ticket", "count_copies"))
    [server] = servers.servers
    tool = servers.find_tool(server, "read_ticket")
    assert (tool.purpose, tool.is_read_only) == ("Read a ticket.", True)
    output = call(servers, "read_ticket", ticket="OPS-77", limit="5")
    assert output.text.startswith("OPS-77: the copies are kept for 5 weeks.")
    assert list_calls(tmp_path) == ["read_ticket OPS-77 5"]
    assert '"copies": 12' in call(servers, "count_copies").text


def test_no_tool_is_offered_that_was_not_named_or_may_change_something(tmp_path):
    servers = open_servers(serve_tools(tmp_path, "find_owner", "add_note", "nowhere"))
    [server] = servers.servers
    names = ("find_owner", "read_ticket", "add_note", "nowhere")
    assert [name for name in names if servers.find_tool(server, name)] == ["find_owner"]
    servers = open_servers(serve_tools(tmp_path, "add_note", may_change=True))
    assert call(servers, "add_note", text="hay") == ToolOutput("Noted: hay")


def test_a_server_gets_no_variable_but_those_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TEAM_TOKEN", "abc")
    monkeypatch.setenv("OTHER_TOKEN", "abc")
    fields = {"environment": ["TEAM_TOKEN"]}
    output = call(open_servers(serve_tools(tmp_path, "list_variables", **fields)), "list_variables")
    names = set(output.text.split())
    assert "TEAM_TOKEN" in names
    assert not names & {"OTHER_TOKEN", "PYTHONPATH", "USER", "WELLWORN_HOME"}


def test_a_call_that_cannot_be_made_says_why(tmp_path):
    servers = open_servers(serve_tools(tmp_path, "find_owner", "die"))
    assert call(servers, "find_owner") == ServerFailure("it needs the argument name")
    ended = ServerFailure("it cannot be reached, or ended without an answer")
    assert call(servers, "die", name="cube") == ended
    assert list_calls(tmp_path) == ["die cube"]


TOOL = ServerTool("find_owner", "", {}, is_read_only=True)


def run_shell(words, **fields):
    """Return servers of which one is a program that is no server."""
    servers = open_servers({"name": "team", "command": ["/bin/sh", "-c", words]}, **fields)
    return servers.call(servers.servers[0], TOOL, {})


def test_a_server_that_hangs_is_ended_with_what_it_started(tmp_path):
    words = f"echo $$ > {tmp_path}/ids; sleep 600 & echo $! >> {tmp_path}/ids; wait"
    assert run_shell(words, timeout_s=1) == ServerFailure("it took longer than 1 s")
    ids = (tmp_path / "ids").read_text().split()
    assert len(ids) == 2
    assert [each for each in ids if is_running(each)] == []


def is_running(process_id):
    """Tell whether a process is there that has not ended; its parent may not know of its end."""
    file = Path(f"/proc/{process_id}/stat")
    return file.exists() and file.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_server_that_sends_too_much_is_ended():
    words = "head -c 50000000 /dev/zero | tr '\\0' x"
    assert run_shell(words) == ServerFailure("it sent more than 4,000,000 bytes")


def test_a_tool_that_fails_says_so(tmp_path):
    output = call(open_servers(serve_tools(tmp_path, "fail")), "fail", name="cube")
    assert output.is_error
    assert "no such program: cube" in output.text


@pytest.mark.parametrize(
    "command",
    [
        ("/nowhere/server",),
        (sys.executable, "-c", "pass"),
        (sys.executable, "-c", "print('{' * 9)"),
    ],
    ids=["not there", "ends", "no messages"],
)
def test_a_server_that_cannot_be_asked_offers_nothing_and_is_left_alone(command, caplog):
    servers = open_servers({"name": "team", "command": command, "tools": ["find_owner"]})
    [server] = servers.servers
    assert servers.find_tool(server, "find_owner") is None
    assert servers.find_tool(server, "find_owner") is None
    assert len(caplog.messages) == 1
    assert "no tool of team can be called: it cannot be" in caplog.text


# ---- by address


@pytest.fixture
def address(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    child = subprocess.Popen([sys.executable, str(SERVER), str(tmp_path), str(port)])
    while not is_listening(port):
        assert child.poll() is None
        Event().wait(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    child.terminate()
    child.wait()


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def reach(url, **fields):
    return {"name": "team", "url": url, "tools": ("find_owner",), **fields}


def test_a_server_is_reached_by_its_address(address, tmp_path):
    servers = open_servers(reach(address))
    assert "Ben Ode" in call(servers, "find_owner", name="Kopia").text
    assert list_calls(tmp_path) == ["find_owner Kopia"]


@pytest.fixture
def refuse():
    servers = []

    def serve(reply):
        servers.append(RawServer(lambda _, send: send(reply)))
        return servers[-1]

    yield serve
    for server in servers:
        server.close()


def test_a_header_comes_from_its_variable(refuse, monkeypatch, caplog):
    server = refuse(answer(401))
    monkeypatch.setenv("TEAM_TOKEN", "Bearer abc")
    servers = open_servers(reach(server.url("/mcp"), header_env="TEAM_TOKEN"))
    assert servers.find_tool(servers.servers[0], "find_owner") is None
    assert {request.headers["authorization"] for request in server.asked} == {"Bearer abc"}
    monkeypatch.delenv("TEAM_TOKEN")
    servers = open_servers(reach(server.url("/mcp"), header_env="TEAM_TOKEN"))
    assert servers.find_tool(servers.servers[0], "find_owner") is None
    assert "the variable TEAM_TOKEN is not set" in caplog.text
    assert "abc" not in caplog.text


def test_an_address_that_sends_too_much_is_left(refuse):
    server = refuse(answer(body=b"x" * 5_000_000, content_type="application/json"))
    servers = open_servers(reach(server.url("/mcp")))
    failure = servers.call(servers.servers[0], TOOL, {})
    assert failure == ServerFailure("it sent more than 4,000,000 bytes")


def test_a_redirect_to_somewhere_else_is_not_followed(refuse, monkeypatch):
    other = refuse(answer(404))
    server = refuse(answer(307, location=other.url("/mcp")))
    monkeypatch.setenv("TEAM_TOKEN", "Bearer abc")
    servers = open_servers(reach(server.url("/mcp"), header_env="TEAM_TOKEN"))
    assert servers.find_tool(servers.servers[0], "find_owner") is None
    assert server.asked
    assert other.asked == []


# ---- settings


@pytest.mark.parametrize(
    "server",
    [
        {"name": "team"},
        {"name": "team", "command": ["a"], "url": "http://127.0.0.1/mcp"},
        {"name": "Team", "command": ["a"]},
        {"name": "a/b", "command": ["a"]},
        {"name": "team", "url": "file:///etc/passwd"},
        {"name": "team", "url": "http://me:secret@127.0.0.1/mcp"},
        {"name": "team", "command": ["a"], "header_env": "TOKEN"},
        {"name": "team", "command": ["a"], "tools": ["a b"]},
        {"name": "team", "command": ["a"], "tools": [f"t{number}" for number in range(25)]},
    ],
)
def test_settings_that_say_nothing_sure_are_refused(server):
    with pytest.raises(ValidationError):
        open_servers(server)


def test_two_servers_have_two_names():
    with pytest.raises(ValidationError):
        open_servers({"name": "team", "command": ["a"]}, {"name": "team", "command": ["b"]})
