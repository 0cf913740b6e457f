"""Real clients, without a network: what they are told stands inside the request to their model.

They run where `WELLWORN_TEST_CLIENTS` names a folder into which npm installed them and a Node that
they want. `docs/how-to/connect-your-agent.md` says which versions were run, `test_hook.py` answers
what they sent to their hooks then.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from journeys.conftest import clean_environment
from journeys.scripted_model import ANSWER, scripted_model
from patience import LONG_S, wait_until
from wellworn.client import Wellworn
from wellworn.interfaces.hook import read_record

FOLDER = os.environ.get("WELLWORN_TEST_CLIENTS")
STAGING = "The staging database refuses connections after 100 clients. Restart the pooler."
PROMPT = "staging is refusing my connections again"
LASTING = "Never push straight to the release branch, open a merge request instead."
REMEMBER = re.compile(r"wellworn_+remember|mcp__wellworn")
"""How clients show our tools to their models; Codex puts them below one name."""


@dataclass(frozen=True)
class RealClient:
    """How a client is asked something by a script, with a model that `{url}` names."""

    ask: tuple[str, ...]
    variables: dict[str, str]
    settings: tuple[str, str] | None = None
    trusting: tuple[str, ...] = ()
    lists: str = "Connected"


CODEX_MODEL = 'model_providers.s={name="s",base_url="{url}/v1",env_key="KEY",wire_api="responses"}'
OPENCODE_SETTINGS = {
    "autoupdate": False,
    "model": "s/m",
    "provider": {
        "s": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": "{env:MODEL_URL}", "apiKey": "none"},
            "models": {"m": {}},
        }
    },
}
CLIENTS = {
    "claude-code": RealClient(
        ("claude", "-p"),
        {
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    "codex": RealClient(
        (
            *("codex", "exec", "--skip-git-repo-check", "-c", CODEX_MODEL),
            *("-c", 'model_provider="s"', "-c", 'model="gpt-5"'),
        ),
        {"KEY": "none"},
        trusting=("--dangerously-bypass-hook-trust",),
        lists="enabled",
    ),
    "gemini": RealClient(
        ("gemini", "-m", "gemini-2.5-pro", "--yolo", "-p"),
        {
            "GOOGLE_GEMINI_BASE_URL": "{url}",
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        settings=(
            ".gemini/settings.json",
            '{"security": {"auth": {"selectedType": "gemini-api-key"}}}',
        ),
    ),
    "opencode": RealClient(
        ("opencode", "run"),
        {"MODEL_URL": "{url}/v1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        settings=(".config/opencode/opencode.json", json.dumps(OPENCODE_SETTINGS)),
        lists="connected",
    ),
    "qwen": RealClient(
        ("qwen", "--auth-type", "openai"),
        {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "m"},
    ),
}


@pytest.fixture(params=[name for name in CLIENTS if name != "opencode"])
def client(request):
    name = CLIENTS[request.param].ask[0]
    if FOLDER is None or not (Path(FOLDER) / "node_modules" / ".bin" / name).exists():
        pytest.skip("no client that agents live in is installed here")
    return request.param


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "user" / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def run(home, project):
    """Run a program as a user whose home directory is empty, in the project."""

    def run(*words, **variables):
        places = [f"{FOLDER}/node_modules/.bin", str(Path(sys.executable).parent)]
        path = os.pathsep.join([*places, os.environ["PATH"]])
        return subprocess.run(
            words,
            check=False,
            cwd=project,
            # As in a shell: OpenCode takes the folder that PWD names.
            env=clean_environment(
                home, HOME=str(project.parent), PATH=path, PWD=str(project), **variables
            ),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=LONG_S,
        )

    return run


@pytest.fixture
def user(client, project):
    """A user who has settled how the client reaches its model, and nothing else."""
    if CLIENTS[client].settings is not None:
        file, text = CLIENTS[client].settings
        (project.parent / file).parent.mkdir(parents=True)
        (project.parent / file).write_text(text)


@pytest.fixture
def installed(user, client, run):
    done = run("wellworn", "install", client)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def plugged_in(user, client, run, tmp_path):
    """Install a plugin from a path, as the command that wrote it says."""
    done = run("wellworn", "plugin", client, str(tmp_path / "plugin"), "--json")
    for step in json.loads(done.stdout)["next"]:
        words = step.split()
        consent = ["--consent"] if "extensions" in words else []
        done = run(*words, *consent, GEMINI_CLI_TRUST_WORKSPACE="true")
        assert done.returncode == 0, done.stderr


@pytest.fixture
def ask(client, run, server):
    """Let the client ask its model something; return the texts that it sends."""
    real = CLIENTS[client]

    def ask(prompt, *more):
        with scripted_model() as model:
            fill = {name: each.replace("{url}", model.url) for name, each in real.variables.items()}
            words = [word.replace("{url}", model.url) for word in real.ask]
            at = len(words) - (words[-1] == "-p")
            done = run(*words[:at], *more, *words[at:], prompt, **fill)
        assert ANSWER in done.stdout, done.stderr
        return model.texts

    return ask


@pytest.fixture
def known(server, project, monkeypatch):
    monkeypatch.chdir(project)
    with Wellworn(server.url, agent_id="ana", project=True) as memory:
        memory.remember(STAGING)
        yield memory


def test_the_client_lists_the_server(client, installed, server, run):
    listed = run(CLIENTS[client].ask[0], "mcp", "list", GEMINI_CLI_TRUST_WORKSPACE="true")
    line = next(line for line in f"{listed.stdout}{listed.stderr}".splitlines() if "mcp" in line)
    assert "wellworn" in line
    assert CLIENTS[client].lists in line


def test_what_memory_knows_stands_in_the_request_and_so_do_the_tools(
    client, installed, known, ask, home
):
    texts = ask(PROMPT, *CLIENTS[client].trusting)
    shown = [text for text in texts if STAGING in text]
    assert len(shown) == 1
    assert "From the shared memory (wellworn) of the project shop" in shown[0]
    assert any(REMEMBER.search(text) for text in texts)
    assert read_record(home).failures == 0


def test_a_prompt_alone_is_told_what_is_close_to_it(client, installed, known, ask, project):
    drop_event(project.parent, "SessionStart")
    trusting = CLIENTS[client].trusting
    assert any(STAGING in text for text in ask(PROMPT, *trusting))
    assert not any(STAGING in text for text in ask("fix the typo in the README", *trusting))


def test_a_plugin_from_a_path_has_hooks_server_and_skill(client, plugged_in, known, ask):
    texts = ask(PROMPT, *CLIENTS[client].trusting)
    assert any(STAGING in text for text in texts)
    assert any(REMEMBER.search(text) for text in texts)
    assert any("shared-memory" in text for text in texts)


@pytest.mark.parametrize("client", ["opencode"], indirect=True)
def test_opencode_is_told_by_its_plugin_which_keeps_what_is_said(
    client, installed, known, ask, run, home
):
    assert run("wellworn", "capture", "--on").returncode == 0
    texts = ask(f"{PROMPT}. {LASTING}")
    assert any(STAGING in text for text in texts)
    assert any(REMEMBER.search(text) for text in texts)
    wait_until(lambda: [*(home / "hooks").glob("*.captured")] or read_record(home).failures)
    assert read_record(home).failures == 0
    kept = known.list_thoughts(tag="captured").thoughts
    # A prompt of several words stands in quotation marks, as `opencode run` sends it.
    assert LASTING in {thought.content.strip('"') for thought in kept}


@pytest.mark.parametrize("client", ["codex"], indirect=True)
def test_codex_skips_hooks_without_a_word_and_the_doctor_says_so(
    client, installed, known, ask, run
):
    assert not any(STAGING in text for text in ask(PROMPT))
    assert "Codex skips its hooks until you trust them" in run("wellworn", "doctor").stdout


def drop_event(folder, event):
    """Take one event out of the client's hooks, as a user may."""
    for name in (".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"):
        edit(folder / name, event)
    edit(folder / ".qwen" / "settings.json", event)


def edit(file, event):
    if file.exists():
        settings = json.loads(file.read_text())
        del settings["hooks"][event]
        file.write_text(json.dumps(settings))
