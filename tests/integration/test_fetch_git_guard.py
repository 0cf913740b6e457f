"""What git may never do: run something, go elsewhere, tell the token, hang, or stay behind."""

from __future__ import annotations

import logging
import os
import subprocess
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from integration.fetch_servers import LOOPBACK, RawServer, names
from integration.git_servers import GitServer, Repository
from patience import LONG_S
from ports import hold_port
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, GitMirror
from wellworn.engines.fetch.gitcommand import Git

RESOLVER = names(docs="127.0.0.1")
TOKEN = "ghp_do_not_tell_anybody_0123456789"


@pytest.fixture
def server(tmp_path):
    repository = Repository(tmp_path / "served" / "docs.git")
    repository.commit({"a.md": b"one"})
    with closing(GitServer(repository.folder.parent)) as server:
        yield server


@pytest.fixture
def started(monkeypatch):
    """Keep every process that is started."""
    processes: list[subprocess.Popen] = []
    real = subprocess.Popen

    def noted(*arguments, **options):
        process = real(*arguments, **options)
        if process.args[0] == "/bin/sh":  # and not a process of the test's server
            process.environment = options["env"]
            processes.append(process)
        return process

    monkeypatch.setattr("wellworn.engines.fetch.gitcommand.subprocess.Popen", noted)
    return processes


def _mirror(tmp_path, resolver=RESOLVER, **settings):
    chosen = FetchSettings(**({"private_networks": LOOPBACK, "git_timeout_s": 30.0} | settings))
    return GitMirror(chosen, folder=tmp_path, resolver=resolver)


def _failed(outcome, kind: FailureKind) -> str:
    assert isinstance(outcome, Failed)
    assert outcome.kind is kind
    return outcome.message


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch /nonexistent'",
        "fd::17",
        "file:///srv/repository.git",
        "/srv/repository.git",
        "../repository.git",
        "repository.git",
        "C:\\repository.git",
        "git://docs.example/repository.git",
        "ssh://git@docs.example/repository.git",
        "ssh://-oProxyCommand=touch/x",
        "git@docs.example:repository.git",
        "docs.example:repository.git",
        "--upload-pack=touch /nonexistent",
        "-oProxyCommand=x",
        "http::https://docs.example/repository.git",
        "ftp://docs.example/repository.git",
        "https://docs.example/repository.git?service=x",
        "https://docs.example\n/repository.git",
        "",
    ],
)
def test_an_address_of_another_kind_is_refused_before_git_runs(tmp_path, started, url):
    with _mirror(tmp_path) as mirror:
        message = _failed(mirror.open(url), FailureKind.BLOCKED_BY_POLICY)
    assert "https://" in message
    assert started == []


@pytest.mark.parametrize(
    "branch",
    [
        "",
        "-x",
        "--upload-pack=touch",
        "a b",
        "a..b",
        "a:b",
        "a*",
        "a~1",
        "a^",
        "@{-1}",
        "a/",
        "/a",
        "a//b",
        "a.lock",
        "a\nb",
        "a\\b",
        ".a",
        "a/.b",
        "a.",
        "x" * 300,
    ],
)
def test_a_name_that_no_branch_can_have_is_refused_before_git_runs(tmp_path, started, branch):
    with _mirror(tmp_path) as mirror:
        outcome = mirror.open("https://docs.example/x.git", branch)
    assert "branch" in _failed(outcome, FailureKind.BLOCKED_BY_POLICY)
    assert started == []


@pytest.mark.parametrize(
    ("addresses", "url"),
    [
        ("169.254.169.254", "https://docs.example/x.git"),
        (["93.184.216.34", "10.0.0.1"], "https://docs.example/x.git"),
        ("127.0.0.1", "https://0x0a.1/x.git"),
        ("127.0.0.1", "https://[::ffff:10.0.0.1]/x.git"),
    ],
)
def test_a_private_address_is_blocked_before_git_runs(tmp_path, started, addresses, url):
    with _mirror(tmp_path, names(docs=addresses)) as mirror:
        outcome = mirror.open(url)
    assert "private address" in _failed(outcome, FailureKind.BLOCKED_BY_POLICY)
    assert started == []


def test_plain_http_is_refused_outside_of_named_networks(tmp_path, started):
    with _mirror(tmp_path, names(docs="93.184.216.34")) as mirror:
        outcome = mirror.open("http://docs.example/x.git")
    assert "https only" in _failed(outcome, FailureKind.BLOCKED_BY_POLICY)
    assert started == []


def test_git_connects_to_the_checked_address_and_asks_no_resolver_itself(tmp_path, server):
    answers = iter([["127.0.0.1"]])
    with _mirror(tmp_path, lambda host, port: next(answers)) as mirror:
        branch = mirror.open(server.url(host="docs.example"))
        assert isinstance(branch.head(), str)
        assert not isinstance(branch.tree(lambda path: True), Failed)
    assert server.asked[0][1]["Host"] == f"docs.example:{server.port}"


def test_a_redirect_is_not_followed_and_the_token_stays(tmp_path, server):
    with closing(RawServer(lambda asked, send: None)) as elsewhere:
        server.status, server.location = 302, elsewhere.url("/docs.git/info/refs")
        with _mirror(tmp_path) as mirror:
            outcome = mirror.open(server.url(), token=TOKEN).head()
        assert "another address" in _failed(outcome, FailureKind.REFUSED_REDIRECT)
        assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureKind.NEEDS_LOGIN),
        (403, FailureKind.NEEDS_LOGIN),
        (404, FailureKind.NOT_FOUND),
        (410, FailureKind.GONE),
        (429, FailureKind.SERVER_ERROR),
        (503, FailureKind.SERVER_ERROR),
        (500, FailureKind.SERVER_ERROR),
    ],
)
def test_the_token_is_in_no_message_no_log_no_argument_and_no_file(
    tmp_path, server, started, caplog, status, kind
):
    caplog.set_level(logging.DEBUG)
    server.status = status
    with _mirror(tmp_path) as mirror:
        branch = mirror.open(server.url(), token=TOKEN)
        for outcome in (branch.head(), branch.tree(lambda path: True)):
            assert outcome.kind is kind
            assert TOKEN not in repr(outcome)
            assert server.url() not in repr(outcome)
        written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert not any(TOKEN.encode() in data for data in written)
        assert TOKEN not in repr(vars(branch))
    assert started
    assert not any(TOKEN in str(process.args) for process in started)
    assert TOKEN not in caplog.text


def test_a_token_with_a_line_break_is_refused_without_repeating_it(tmp_path, started):
    with _mirror(tmp_path) as mirror:
        outcome = mirror.open("https://127.0.0.1/x.git", token=f"{TOKEN}\nX: y")
    assert TOKEN not in _failed(outcome, FailureKind.BLOCKED_BY_POLICY)
    assert started == []


def test_git_gets_nothing_of_the_environment_but_the_path(tmp_path, server, started, monkeypatch):
    canary = tmp_path / "canary"
    for name in ("GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF"):
        monkeypatch.setenv(name, f"touch {canary}")
    monkeypatch.setenv("GIT_TRACE_CURL", str(canary))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    monkeypatch.setenv("SECRET", TOKEN)
    with _mirror(tmp_path) as mirror:
        assert isinstance(mirror.open(server.url()).head(), str)
    assert not canary.exists()
    for process in started:
        assert TOKEN not in str(process.environment)
        assert process.environment["HOME"] == "/nonexistent"
        assert process.environment["GIT_ALLOW_PROTOCOL"] in {"http", "none"}


def test_a_server_that_drips_runs_into_the_limit_and_no_process_stays(tmp_path, monkeypatch):
    begun, left, run_out = Event(), Event(), Git._wait

    def wait(git, process):
        if "ls-remote" not in process.args:
            return process.wait()
        assert begun.wait(LONG_S)  # however long git takes to get there
        return run_out(git, process)

    monkeypatch.setattr(Git, "_wait", wait)

    def drip(asked, send):
        begun.set()
        try:
            send(b"HTTP/1.1 200 OK\r\n\r\n")
            while not dripping.stopped.wait(0.01):
                send(b".")
        except OSError:
            left.set()

    with closing(RawServer(drip)) as dripping, _mirror(tmp_path, git_timeout_s=0.5) as mirror:
        outcome = mirror.open(dripping.url("/docs.git")).head()
        assert "0.5 seconds" in _failed(outcome, FailureKind.TIMED_OUT)
        assert left.wait(LONG_S)


def test_a_closed_port_is_unreachable(tmp_path):
    with hold_port() as port, _mirror(tmp_path) as mirror:
        head = mirror.open(f"http://127.0.0.1:{port}/docs.git").head()
        _failed(head, FailureKind.UNREACHABLE)


def test_a_web_page_is_no_repository(tmp_path):
    page = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-type: text/html\r\n\r\nhtml"
    with closing(RawServer(lambda asked, send: send(page))) as server, _mirror(tmp_path) as mirror:
        outcome = mirror.open(server.url("/docs.git")).head()
    assert "check the address" in _failed(outcome, FailureKind.NOT_FOUND)


def test_without_git_the_message_says_to_install_it(tmp_path, server, monkeypatch):
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    with _mirror(tmp_path) as mirror:
        assert "install" in _failed(mirror.open(server.url()), FailureKind.UNREACHABLE)


@pytest.mark.parametrize("version", ["git version 2.38.9", "git version 1.9", "something else"])
def test_a_git_too_old_to_keep_to_an_address_is_not_used(tmp_path, server, monkeypatch, version):
    old = tmp_path / "old"
    old.mkdir()
    script = Path(old / "git")
    script.write_text(f"#!/bin/sh\necho '{version}'\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old}{os.pathsep}{os.environ['PATH']}")
    with _mirror(tmp_path) as mirror:
        assert "2.39" in _failed(mirror.open(server.url()), FailureKind.UNREACHABLE)
