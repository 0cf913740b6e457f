"""What an agent's hooks say at a real server, at none and at garbage; they never fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from journeys.conftest import clean_environment
from patience import LONG_S
from ports import hold_port
from wellworn.client import Wellworn
from wellworn.engines import daemon
from wellworn.interfaces.hook import read_record

STAGING = "The staging database refuses connections after 100 clients. Restart the pooler."
PROMPT = "staging is refusing my connections again"
HOOK = [sys.executable, "-P", "-m", "wellworn.interfaces.hook"]


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def hook(home, project):
    """Run the hook of one client on an event; return what it printed, which is all or nothing."""

    def run(event="UserPromptSubmit", *, client="claude-code", stdin=None, more=None, **payload):
        told = {"session_id": "s1", "cwd": str(project), "hook_event_name": event, "prompt": PROMPT}
        done = subprocess.run(
            [*HOOK, client],
            check=False,
            env=clean_environment(home, **(more or {})),
            input=json.dumps({**told, **payload}).encode() if stdin is None else stdin,
            capture_output=True,
            timeout=LONG_S,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if not done.stdout:
            return ""
        answer = json.loads(done.stdout)["hookSpecificOutput"]
        assert answer["hookEventName"] == event
        return answer["additionalContext"]

    return run


@pytest.fixture
def known(server, project, monkeypatch):
    """Know of staging in the project."""
    monkeypatch.chdir(project)
    with Wellworn(server.url, agent_id="ana", project=True) as memory:
        memory.remember(STAGING)
        yield memory


def failures(home):
    return read_record(home).failures


def test_a_prompt_is_told_what_is_close_once_a_session(known, hook, home):
    said = hook()
    assert STAGING in said
    assert "by ana, 20" in said
    assert "of the project shop" in said
    assert hook() == ""
    assert STAGING in hook(session_id="s2")
    assert STAGING in hook(client="codex")
    assert failures(home) == 0


def test_two_hooks_of_one_prompt_say_it_once(known, hook):
    with ThreadPoolExecutor(2) as both:
        said = [*both.map(lambda _: hook(), range(2))]
    assert sorted(map(bool, said)) == [False, True]


def test_a_session_starts_with_what_matters_and_again_after_a_compaction(known, hook, home):
    assert STAGING in hook("SessionStart", source="startup")
    assert hook("SessionStart", source="startup") == ""
    assert hook() == ""
    assert hook("PreCompact") == ""
    assert STAGING in hook()
    assert failures(home) == 0


def test_gemini_calls_its_events_otherwise(known, hook):
    assert STAGING in hook("BeforeAgent", client="gemini")
    assert hook("PreCompress", client="gemini") == ""
    assert STAGING in hook("BeforeAgent", client="gemini")


def test_what_nothing_is_close_to_gets_nothing(known, hook, home):
    assert hook(prompt="fix the typo in the README") == ""
    assert hook(prompt="") == ""
    assert hook(prompt=None) == ""
    assert failures(home) == 0


def test_another_project_is_told_nothing(known, hook, tmp_path):
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    assert hook(cwd=str(tmp_path / "billing")) == ""


@pytest.mark.parametrize(
    "stdin",
    [b"", b"garbage", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"hook_event_name": 5}', b"{}"],
    ids=["nothing", "words", "a list", "bytes", "deep", "a number", "no event"],
)
def test_garbage_is_written_down_and_never_stops_a_turn(hook, home, stdin):
    assert hook(stdin=stdin) == ""
    assert failures(home) == 1


def test_no_server_is_started_for_the_next_prompt_and_not_waited_for(hook, home):
    assert hook() == ""
    assert "started for the next prompt" in read_record(home).last_failure
    assert daemon.wait_until_ready(home, alive=lambda: True, timeout_s=LONG_S)


def test_a_dead_address_says_nothing_and_starts_nothing(hook, home):
    with hold_port() as port:
        assert hook(more={"WELLWORN_URL": f"http://127.0.0.1:{port}"}) == ""
    assert "cannot be reached" in read_record(home).last_failure
    assert daemon.find_daemon(home) is None


@pytest.mark.parametrize(("status", "body"), [(503, b"{}"), (200, b"garbage"), (200, b"{}")])
def test_a_busy_server_or_a_strange_one_says_nothing(hook, home, status, body):
    class Strange(BaseHTTPRequestHandler):
        def do_POST(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Strange) as strange:
        Thread(target=strange.handle_request, daemon=True).start()
        assert hook(more={"WELLWORN_URL": f"http://127.0.0.1:{strange.server_port}"}) == ""
    assert failures(home) == 1


def test_a_key_that_is_wrong_says_nothing_and_is_not_written_down(known, hook, home):
    assert hook(more={"WELLWORN_KEY": "ww_secret"}) == ""
    log = (home / "logs" / "hooks.log").read_text()
    assert "the server answered 401" in log
    assert "secret" not in log
    assert PROMPT not in log


def test_what_was_shown_is_kept_by_ids_alone(known, hook, home):
    hook()
    [kept] = (home / "hooks").glob("*.json")
    assert "staging" not in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_status_counts_what_failed(hook, home, wellworn):
    hook(stdin=b"garbage")
    done = wellworn("status")
    assert "hooks: 1 failed in the last 7 days" in done.stdout
    assert "stdin is no event" in done.stdout


def test_the_hook_loads_nothing_but_the_standard_library_and_itself():
    told = "import sys, wellworn.interfaces.hook; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", told], check=True, capture_output=True, text=True, timeout=LONG_S
    )
    roots = {name.partition(".")[0] for name in done.stdout.split()}
    foreign = {name for name in roots if name not in sys.stdlib_module_names}
    assert {name for name in foreign if not name.startswith(("_", "sitecustomize"))} == {"wellworn"}


def test_old_states_are_removed(known, hook, home):
    hook()
    [kept] = (home / "hooks").glob("*.json")
    old = time.time() - 31 * 86_400
    os.utime(kept, (old, old))
    hook(session_id="s2")
    assert not kept.exists()
