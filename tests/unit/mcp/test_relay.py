"""What the bridge says of its caller with every message, beside a server that keeps it."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from patience import LONG_S
from wellworn.engines import daemon
from wellworn.engines.daemon import DaemonFailed
from wellworn.engines.projects import find_project
from wellworn.interfaces.mcp import run, run_by_environment, stdio
from wellworn.interfaces.mcp.relay import Relay

KEY = "ww_abcdefghijkl_" + "a" * 52
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def heard():
    """The headers of every message, with the address that takes them as `heard.url`."""

    class Heard(list):
        url = ""

    messages = Heard()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            messages.append(self.headers)
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        messages.url = f"http://127.0.0.1:{server.server_port}"
        yield messages
        server.shutdown()
        thread.join()


def test_every_message_shows_the_key_and_names_the_space(heard):
    relay = Relay(lambda: heard.url, key=KEY, space="ks-team-0a1b2c3d")
    for method in ("initialize", "tools/list", "tools/call"):
        relay.ask({**ASKED, "method": method})
    assert [one["authorization"] for one in heard] == [f"Bearer {KEY}"] * 3
    assert [one["wellworn-space"] for one in heard] == ["ks-team-0a1b2c3d"] * 3


def test_without_them_nothing_is_shown(heard):
    Relay(lambda: heard.url).ask(ASKED)
    [one] = heard
    assert one["authorization"] is None
    assert one["wellworn-space"] is None
    assert one["wellworn-tools"] is None


@pytest.mark.parametrize("key", ["two words\r\nX-Other: 1", "schlüssel", "🔑"])
def test_what_cannot_be_a_key_reaches_no_other_header_and_no_log(heard, key, caplog):
    with caplog.at_level(logging.DEBUG):
        reply = stdio.reply_to(json.dumps(ASKED).encode(), Relay(lambda: heard.url, key=key))
    assert "result" in reply
    assert heard[0]["x-other"] is None
    assert key not in caplog.text


@pytest.mark.parametrize("given", [{}, {"key": KEY, "space": "ks-chosen", "tools": "browse"}])
def test_the_environment_says_who_talks_unless_something_else_does(heard, monkeypatch, given):
    monkeypatch.setenv("WELLWORN_KEY", "ww_environment")
    monkeypatch.setenv("WELLWORN_SPACE", "ks-environment")
    monkeypatch.setenv("WELLWORN_TOOLS", "memory")
    source = io.BytesIO(json.dumps(ASKED).encode() + b"\n")
    monkeypatch.setattr(stdio, "_claim_pipes", lambda: (source, io.BytesIO()))
    run(None, heard.url, **given)
    [one] = heard
    assert one["authorization"] == f"Bearer {given.get('key', 'ww_environment')}"
    assert one["wellworn-space"] == given.get("space", "ks-environment")
    assert one["wellworn-tools"] == given.get("tools", "memory")


def test_whoever_took_the_port_of_a_daemon_that_has_ended_is_shown_nothing(
    heard, monkeypatch, tmp_path
):
    monkeypatch.setattr(stdio, "ensure_daemon", lambda home: daemon.announce(home, heard.url))
    relay = stdio.make_relay(tmp_path, None, key=KEY)
    with daemon.hold_folder(tmp_path):
        relay.ask(ASKED)
        relay.ask(ASKED)
    assert [one["authorization"] for one in heard] == [f"Bearer {KEY}"] * 2

    def fail(_):
        raise DaemonFailed("the daemon ended before it answered")

    monkeypatch.setattr(stdio, "ensure_daemon", fail)
    with pytest.raises(DaemonFailed):
        relay.ask(ASKED)
    assert len(heard) == 2


def start(line, **variables):
    """Run the program as a client does; return its messages and the modules that it loaded."""
    told = (
        "import sys; from wellworn.interfaces.cli import main; main(['mcp']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", told],
        check=True,
        capture_output=True,
        input=json.dumps(line),
        text=True,
        timeout=LONG_S,
        **variables,
    )


@pytest.fixture
def alone(monkeypatch, tmp_path, heard):
    """A project and a server; no other variable of ours."""
    for name in [name for name in os.environ if name.startswith("WELLWORN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WELLWORN_URL", heard.url)
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return tmp_path / "shop"


def test_the_program_that_a_client_starts_loads_the_bridge_alone(heard, alone):
    done = start(ASKED, cwd=alone)
    assert json.loads(done.stdout)["result"] == {}
    assert [message["wellworn-space"] for message in heard] == [find_project(alone).space]
    roots = {name.partition(".")[0] for name in done.stderr.split()}
    foreign = {name for name in roots if name not in sys.stdlib_module_names}
    assert {name for name in foreign if not name.startswith(("_", "sitecustomize"))} == {"wellworn"}


@pytest.mark.parametrize("name", ["WELLWORN_KEY", "WELLWORN_SPACE"])
def test_a_key_or_a_space_stands_for_the_project(heard, alone, monkeypatch, name):
    value = {"WELLWORN_KEY": KEY, "WELLWORN_SPACE": "ks-team-0a1b2c3d"}[name]
    monkeypatch.setenv(name, value)
    start(ASKED, cwd=alone)
    [message] = heard
    assert message["wellworn-space"] == (value if name == "WELLWORN_SPACE" else None)


def test_a_space_by_its_name_is_for_the_command_line(heard, alone, monkeypatch):
    monkeypatch.setenv("WELLWORN_SPACE", "the team's")
    monkeypatch.chdir(alone)
    assert not run_by_environment()
    (alone / ".wellworn").write_text("broken")
    monkeypatch.delenv("WELLWORN_SPACE")
    assert not run_by_environment()
