"""Twenty agents at once on one folder, with their hooks and bridges: nothing is lost or doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from journeys.conftest import clean_environment, program
from patience import LONG_S
from wellworn.client import Wellworn
from wellworn.engines import daemon
from wellworn.interfaces.hook import read_record

SESSIONS = 20
STAGING = "The staging database refuses connections after 100 clients. Restart the pooler."
PROMPT = "staging is refusing my connections again"


@pytest.fixture
def start(home, tmp_path):
    """Run a program in the project with something on its stdin; return what it printed."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)

    def start(words, stdin=""):
        done = subprocess.run(
            words,
            check=True,
            cwd=project,
            env=clean_environment(home, WELLWORN_HOOK_WAIT_S=str(LONG_S)),
            capture_output=True,
            input=stdin,
            text=True,
            timeout=LONG_S,
        )
        return done.stdout

    start.project = project
    return start


@pytest.fixture
def hook(start):
    def hook(session, event):
        told = {"session_id": session, "cwd": str(start.project), "hook_event_name": event}
        words = [sys.executable, "-P", "-m", "wellworn.interfaces.hook", "claude-code"]
        said = start(words, json.dumps({**told, "prompt": PROMPT}))
        return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""

    return hook


@pytest.fixture
def remember(start):
    """Keep something as an agent over its bridge does."""

    def remember(content):
        client = {"name": "agent", "version": "1"}
        greeting = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        call = {"name": "remember", "arguments": {"content": content}}
        lines = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        ]
        said = start(program("mcp"), "".join(f"{json.dumps(line)}\n" for line in lines))
        replies = {reply["id"]: reply for reply in map(json.loads, said.splitlines())}
        assert not replies[2]["result"].get("isError"), replies[2]

    return remember


def test_sessions_that_begin_at_once_keep_everything_once(home, start, hook, remember, monkeypatch):
    sessions = [f"s{number}" for number in range(SESSIONS)]

    def begin(session):
        hook(session, "SessionStart")
        remember(f"Session {session} found that port {4000 + int(session[1:])} is taken.")

    with ThreadPoolExecutor(SESSIONS + 1) as pool:
        by_command = pool.submit(start, program("remember", STAGING))
        list(pool.map(begin, sessions))
        by_command.result()

    running = daemon.find_daemon(home)
    assert running is not None
    monkeypatch.chdir(start.project)
    with Wellworn(running.url, project=True) as memory:
        kept = [thought.content for thought in memory.list_thoughts(limit=100).thoughts]
    ports = [
        f"Session {each} found that port {4000 + int(each[1:])} is taken." for each in sessions
    ]
    assert sorted(kept) == sorted([*ports, STAGING])

    # Two hooks of each prompt, as a client with a plugin and settings has them.
    start_anew(home)
    with ThreadPoolExecutor(SESSIONS + 1) as pool:
        commands = pool.submit(start, program("recall", PROMPT))
        said = list(pool.map(lambda each: hook(each, "UserPromptSubmit"), [*sessions, *sessions]))
        assert STAGING in commands.result()
    for first, second in zip(said[:SESSIONS], said[SESSIONS:], strict=True):
        assert (STAGING in first) + (STAGING in second) == 1
    last = read_record(home).last_failure
    assert last is None or "started for the next prompt" in last


def start_anew(home):
    """Forget what the sessions were shown when they began, which depends on who came first."""
    for state in (home / "hooks").glob("*.json"):
        state.unlink()
