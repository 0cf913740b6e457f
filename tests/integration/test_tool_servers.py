"""A real server of tools: its answers, its session, and everything that goes wrong."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from threading import Event, Thread

import pytest
from pydantic import ValidationError

from integration.fetch_servers import RawServer, answer
from integration.tool_server_world import (
    SERVER,
    is_running,
    list_calls,
    list_starts,
    serve_tools,
)
from ports import hold_port
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.engines.tool_servers import (
    McpSettings,
    ServerFailure,
    ServerTool,
    ToolOutput,
    ToolServers,
)
from wellworn.testing.embedder import HashEmbedder

pytestmark = pytest.mark.slow


@pytest.fixture
def open_servers():
    """Open what a turn asks servers through; ended with the test."""
    opened = []

    def open_once(*servers, timeout_s=170.0, **fields):
        settings = McpSettings.model_validate({"servers": servers, **fields})
        opened.append(ToolServers(settings, timeout_s))
        return opened[-1].open()

    yield open_once
    for servers in opened:
        servers.close()


def find_tool(sessions, name):
    [server] = sessions.settings.servers
    return sessions.find_tool(server, name)


def call(sessions, name, /, **texts):
    tool = find_tool(sessions, name)
    assert tool is not None
    return sessions.call(sessions.settings.servers[0], tool, texts)


def test_a_tool_is_described_and_called(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "read_ticket", "count_copies"))
    tool = find_tool(servers, "read_ticket")
    assert (tool.purpose, tool.is_read_only) == ("Read a ticket.", True)
    output = call(servers, "read_ticket", ticket="OPS-77", limit="5")
    assert output.text.startswith("OPS-77: the copies are kept for 5 weeks.")
    assert list_calls(tmp_path) == ["read_ticket OPS-77 5"]
    assert '"copies": 12' in call(servers, "count_copies").text


def test_no_tool_is_offered_that_was_not_named_or_may_change_something(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "find_owner", "add_note", "nowhere"))
    names = ("find_owner", "read_ticket", "add_note", "nowhere")
    assert [name for name in names if find_tool(servers, name)] == ["find_owner"]
    servers = open_servers(serve_tools(tmp_path, "add_note", may_change=True))
    assert call(servers, "add_note", text="hay") == ToolOutput("Noted: hay")


def test_a_server_gets_no_variable_but_those_named(open_servers, tmp_path, monkeypatch):
    monkeypatch.setenv("TEAM_TOKEN", "abc")
    monkeypatch.setenv("OTHER_TOKEN", "abc")
    fields = {"environment": ["TEAM_TOKEN"]}
    output = call(open_servers(serve_tools(tmp_path, "list_variables", **fields)), "list_variables")
    names = set(output.text.split())
    assert "TEAM_TOKEN" in names
    assert not names & {"OTHER_TOKEN", "PYTHONPATH", "USER", "WELLWORN_HOME"}


def test_a_call_that_cannot_be_made_says_why(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "find_owner", "die"))
    assert call(servers, "find_owner") == ServerFailure("it needs the argument name")
    assert call(servers, "die", name="cube") == ENDED
    assert list_calls(tmp_path) == ["die cube"]


TOOL = ServerTool("find_owner", "", {}, is_read_only=True)
ENDED = ServerFailure("it cannot be reached, or ended without an answer")


@pytest.fixture
def run_shell(open_servers):
    """Call a tool of a program that is no server."""

    def run(words, **fields):
        servers = open_servers({"name": "team", "command": ["/bin/sh", "-c", words]}, **fields)
        return servers.call(servers.settings.servers[0], TOOL, {})

    return run


def test_a_server_that_hangs_is_ended_with_what_it_started(run_shell, tmp_path):
    words = f"echo $$ > {tmp_path}/ids; sleep 600 & echo $! >> {tmp_path}/ids; wait"
    # Long enough for a busy machine to begin it.
    assert run_shell(words, timeout_s=5) == ServerFailure("it took longer than 5 s")
    ids = (tmp_path / "ids").read_text().split()
    assert len(ids) == 2
    assert [each for each in ids if is_running(each)] == []


FORKS_AWAY = """
import os, sys, time
for _ in range(2):
    if os.fork():
        {end}
    os.setsid()
os.closerange(0, 3) if {closes} else None
open({ids!r}, "a").write(f"{{os.getpid()}}\\n")
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what leaves its group is found on Linux alone")
@pytest.mark.parametrize("closes", [True, False], ids=["closes its pipes", "keeps its pipes"])
@pytest.mark.parametrize("end", ["os._exit(0)", "time.sleep(600)"], ids=["ends", "hangs"])
@pytest.mark.parametrize("variables", ["", "env -i "], ids=["", "without variables"])
def test_what_a_server_forked_away_ends_with_it(run_shell, tmp_path, closes, end, variables):
    script = tmp_path / "away.py"
    ids = tmp_path / "ids"
    script.write_text(FORKS_AWAY.format(ids=str(ids), closes=closes, end=end))
    words = f"{variables}{sys.executable} {script} & while ! [ -s {ids} ]; do sleep 0.05; done"
    assert isinstance(run_shell(words, timeout_s=20), ServerFailure)
    [away] = ids.read_text().split()
    assert not is_running(away)


def test_what_a_server_forked_away_ends_when_it_is_killed(run_shell, tmp_path):
    script = tmp_path / "away.py"
    ids = tmp_path / "ids"
    script.write_text(FORKS_AWAY.format(ids=str(ids), closes=True, end="os._exit(0)"))
    words = f"trap '' TERM; {sys.executable} {script}; while :; do sleep 1; done"
    assert run_shell(words, timeout_s=5) == ServerFailure("it took longer than 5 s")
    assert [each for each in ids.read_text().split() if is_running(each)] == []


def test_a_server_that_sends_too_much_is_ended(run_shell):
    words = "head -c 50000000 /dev/zero | tr '\\0' x"
    assert run_shell(words) == ServerFailure("it sent more than 4,000,000 bytes")


def test_a_tool_that_fails_says_so(open_servers, tmp_path):
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
def test_a_server_that_cannot_be_asked_offers_nothing_and_is_left_alone(
    open_servers, command, caplog
):
    servers = open_servers({"name": "team", "command": command, "tools": ["find_owner"]})
    assert find_tool(servers, "find_owner") is None
    assert find_tool(servers, "find_owner") is None
    [told] = [each for each in caplog.records if each.name.startswith("wellworn")]
    assert told.message.startswith("no tool of team can be called: it cannot be")


# ---- from call to call


def test_a_server_is_started_once_for_a_turn_and_ends_with_it(open_servers, tmp_path):
    with open_servers(serve_tools(tmp_path, "find_owner", "read_ticket")) as servers:
        call(servers, "find_owner", name="Kopia")
        assert call(servers, "find_owner") == ServerFailure("it needs the argument name")
        call(servers, "read_ticket", ticket="OPS-77")
        [process_id] = list_starts(tmp_path)
        assert is_running(process_id)
    assert not is_running(process_id)
    server = servers.settings.servers[0]
    assert servers.call(server, TOOL, {"name": "x"}) == ServerFailure("the turn is over")
    assert list_calls(tmp_path) == ["find_owner Kopia", "read_ticket OPS-77 10"]


def test_a_server_that_died_between_two_calls_is_started_anew(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "add_note", may_change=True))
    call(servers, "add_note", text="hay")
    os.kill(int(list_starts(tmp_path)[0]), signal.SIGKILL)
    assert call(servers, "add_note", text="straw") == ToolOutput("Noted: straw")
    assert list_calls(tmp_path) == ["add_note hay", "add_note straw"]


def test_what_was_called_when_a_server_died_is_not_called_again(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "find_owner", "die"))
    call(servers, "find_owner", name="Kopia")
    assert call(servers, "die", name="cube") == ENDED
    assert "Ben Ode" in call(servers, "find_owner", name="Restic").text
    assert list_calls(tmp_path) == ["find_owner Kopia", "die cube", "find_owner Restic"]
    assert len(list_starts(tmp_path)) == 2


def test_each_call_may_send_as_much(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "talk"), most_bytes=50_000)
    assert [len(call(servers, "talk", size="35000").text) for _ in range(3)] == [35_000] * 3
    assert call(servers, "talk", size="60000") == ServerFailure("it sent more than 50,000 bytes")


def test_a_call_that_is_open_ends_when_the_servers_are_closed(open_servers, tmp_path):
    servers = open_servers(serve_tools(tmp_path, "hang", may_change=True))
    answers = []
    caller = Thread(target=lambda: answers.append(call(servers, "hang", name="cube")))
    caller.start()
    while not list_calls(tmp_path):
        Event().wait(0.05)
    servers.close()
    caller.join()
    assert answers == [ENDED]
    [process_id] = list_starts(tmp_path)
    assert not is_running(process_id)


def test_no_server_of_tools_outlives_the_memory(tmp_path):
    settings = Settings.model_validate({"mcp": {"servers": [serve_tools(tmp_path, "find_owner")]}})
    app = open_app(tmp_path / "home", settings, embedder=HashEmbedder())
    try:
        assert find_tool(app.tool_servers.open(), "find_owner") is not None
    finally:
        app.close()
    [process_id] = list_starts(tmp_path)
    assert not is_running(process_id)


# ---- by address


@pytest.fixture
def run_server(tmp_path):
    """Run the test server at an address, again if need be, where it then knows of no session."""
    children = []

    def run():
        end()
        children[:] = [subprocess.Popen([sys.executable, str(SERVER), str(tmp_path), str(port)])]
        while not is_listening(port):
            assert children[0].poll() is None
            Event().wait(0.05)
        return f"http://127.0.0.1:{port}/mcp"

    def end():
        for child in children:
            child.kill()
            child.wait()

    with hold_port() as port:
        yield run
        end()


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def reach(url, **fields):
    return {"name": "team", "url": url, "tools": ("find_owner",), **fields}


def test_a_server_is_reached_by_its_address(open_servers, run_server, tmp_path):
    with open_servers(reach(run_server())) as servers:
        assert "Ben Ode" in call(servers, "find_owner", name="Kopia").text
        assert "Ben Ode" in call(servers, "find_owner", name="Restic").text
    assert list_calls(tmp_path) == ["find_owner Kopia", "find_owner Restic"]


def test_a_server_that_has_forgotten_the_session_is_reached_anew(
    open_servers, run_server, tmp_path
):
    tools = ("add_note",)
    servers = open_servers(reach(run_server(), may_change=True) | {"tools": tools})
    call(servers, "add_note", text="hay")
    run_server()
    assert call(servers, "add_note", text="straw") == ToolOutput("Noted: straw")
    assert list_calls(tmp_path) == ["add_note hay", "add_note straw"]


@pytest.fixture
def refuse():
    servers = []

    def serve(reply):
        servers.append(RawServer(lambda _, send: send(reply)))
        return servers[-1]

    yield serve
    for server in servers:
        server.close()


def test_a_header_comes_from_its_variable(open_servers, refuse, monkeypatch, caplog):
    server = refuse(answer(401))
    monkeypatch.setenv("TEAM_TOKEN", "Bearer let me in")
    servers = open_servers(reach(server.url("/mcp"), header_env="TEAM_TOKEN"))
    assert find_tool(servers, "find_owner") is None
    assert {request.headers["authorization"] for request in server.asked} == {"Bearer let me in"}
    monkeypatch.delenv("TEAM_TOKEN")
    servers = open_servers(reach(server.url("/mcp"), header_env="TEAM_TOKEN"))
    assert find_tool(servers, "find_owner") is None
    assert "the variable TEAM_TOKEN is not set" in caplog.text
    assert "let me in" not in caplog.text


def test_an_address_that_sends_too_much_is_left(open_servers, refuse):
    server = refuse(answer(body=b"x" * 5_000_000, content_type="application/json"))
    servers = open_servers(reach(server.url("/mcp")))
    failure = servers.call(servers.settings.servers[0], TOOL, {})
    assert failure == ServerFailure("it sent more than 4,000,000 bytes")


def test_a_redirect_to_somewhere_else_is_not_followed(open_servers, refuse, monkeypatch):
    other = refuse(answer(404))
    server = refuse(answer(307, location=other.url("/mcp")))
    monkeypatch.setenv("TEAM_TOKEN", "Bearer let me in")
    servers = open_servers(reach(server.url("/mcp"), header_env="TEAM_TOKEN"))
    assert find_tool(servers, "find_owner") is None
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
        {"name": "team", "command": ["a"], "spaces": ["Team"]},
        {"name": "team", "command": ["a"], "least_role": "owner"},
        {"name": "team", "command": ["a"], "tools": [f"t{number}" for number in range(25)]},
    ],
)
def test_settings_that_say_nothing_sure_are_refused(open_servers, server):
    with pytest.raises(ValidationError):
        open_servers(server)


def test_two_servers_have_two_names(open_servers):
    with pytest.raises(ValidationError):
        open_servers({"name": "team", "command": ["a"]}, {"name": "team", "command": ["b"]})
