"""The doctor tells of every client what keeps it from memory, and what to do."""

from __future__ import annotations

import json
import shlex
import sys
import time

import pytest

from wellworn.interfaces.cli.client_checks import check_clients

CODEX = """#!{python}
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        print(json.dumps({{"id": asked["id"], "result": {{}}}}), flush=True)
        print(json.dumps({{"method": "configWarning", "params": {{}}}}), flush=True)
    if asked["method"] == "hooks/list":
        hook = {{"sourcePath": {source}, "enabled": True, "trustStatus": "{status}"}}
        data = [{{"cwd": asked["params"]["cwds"][0], "hooks": [hook]}}]
        print(json.dumps({{"id": asked["id"], "result": {{"data": data}}}}), flush=True)
"""
"""Answers as Codex 0.171 does."""


@pytest.fixture
def check(folder, tmp_path, monkeypatch):
    """Check the clients, in the project or outside any; return what is wrong with each."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for name in ("GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"):
        monkeypatch.delenv(name, raising=False)

    def check(*, project=None):
        results = check_clients(tmp_path / "home", project)
        return {each.check: (each.ok, each.message) for each in results}

    return check


def put_program(tmp_path, name, text):
    (tmp_path / "bin").mkdir(exist_ok=True)
    program = tmp_path / "bin" / name
    program.write_text(text)
    program.chmod(0o755)
    return program


def test_without_a_client_there_is_nothing_to_check(check):
    found = check()
    assert found["clients"] == (True, "none; wellworn install connects one")
    assert set(found) == {"clients", "hooks"}


def test_a_client_that_is_connected_is_well(run, check):
    run("install", "claude-code")
    assert check()["Claude Code"] == (True, "is connected")


def test_a_program_that_is_gone_is_named_with_what_to_do(run, check, folder):
    run("install", "claude-code")
    for file in (folder / ".claude.json", folder / ".claude" / "settings.json"):
        file.write_text(file.read_text().replace(sys.prefix, "/gone"))
    well, message = check()["Claude Code"]
    assert not well
    assert "/gone/bin/wellworn is not there; run `wellworn install claude-code`" in message
    assert "/gone/bin/wellworn-hook is not there" in message


def test_another_version_is_told_from_this_one(check, folder, tmp_path):
    program = put_program(tmp_path, "wellworn", "#!/bin/sh\necho 0.0.1\n")
    (folder / ".cursor").mkdir()
    entry = {"mcpServers": {"wellworn": {"command": str(program), "args": ["mcp"]}}}
    (folder / ".cursor" / "mcp.json").write_text(json.dumps(entry))
    well, message = check()["Cursor"]
    assert not well
    assert "of version 0.0.1" in message


def test_no_program_that_a_project_names_is_run(check, folder, tmp_path):
    ran = tmp_path / "ran"
    program = put_program(tmp_path, "wellworn", f"#!/bin/sh\ntouch {shlex.quote(str(ran))}\n")
    entry = {"mcpServers": {"wellworn": {"command": str(program), "args": ["mcp"]}}}
    (folder / "shop" / ".mcp.json").write_text(json.dumps(entry))
    assert check(project=folder / "shop")["Claude Code, in this project"] == (True, "is connected")
    assert not ran.exists()


def test_a_missing_hook_and_hooks_that_are_off_are_told(run, check, folder):
    run("install", "claude-code")
    file = folder / ".claude" / "settings.json"
    settings = json.loads(file.read_text())
    del settings["hooks"]["PreCompact"]
    file.write_text(json.dumps({**settings, "disableAllHooks": True}))
    _, message = check()["Claude Code"]
    assert "has no hook for PreCompact" in message
    assert "switches all hooks off" in message


def test_settings_that_are_broken_are_told(check, folder):
    (folder / ".cursor").mkdir()
    (folder / ".cursor" / "mcp.json").write_text("{")
    assert "line 1" in check()["Cursor"][1]


@pytest.mark.parametrize("status", ["trusted", "untrusted", "modified"])
def test_codex_itself_says_whether_it_trusts_its_hooks(run, check, folder, tmp_path, status):
    run("install", "codex")
    source = json.dumps(str(folder / ".codex" / "hooks.json"))
    put_program(
        tmp_path, "codex", CODEX.format(python=sys.executable, source=source, status=status)
    )
    well, message = check()["Codex"]
    assert well == (status == "trusted")
    assert well or "type /hooks" in message


@pytest.mark.parametrize("answer", ["exit 1", "echo nonsense", 'echo \'{"id": 2, "error": {}}\''])
def test_a_codex_that_cannot_be_asked_is_no_fault(run, check, tmp_path, answer):
    run("install", "codex")
    put_program(tmp_path, "codex", f"#!/bin/sh\n{answer}\n")
    assert check()["Codex"] == (True, "is connected")


@pytest.mark.parametrize(
    ("rules", "is_trusted"),
    [
        ({}, False),
        ({"shop": "TRUST_FOLDER"}, True),
        ({"": "TRUST_FOLDER"}, True),
        ({"other": "TRUST_PARENT"}, True),
        ({"": "TRUST_FOLDER", "shop": "DO_NOT_TRUST"}, False),
        ({"other": "TRUST_FOLDER"}, False),
    ],
)
def test_gemini_runs_nothing_in_a_folder_it_does_not_trust(run, check, folder, rules, is_trusted):
    run("install", "gemini")
    file = folder / ".gemini" / "trustedFolders.json"
    file.write_text(json.dumps({str(folder / name): level for name, level in rules.items()}))
    well, message = check(project=folder / "shop")["Gemini CLI"]
    assert well == is_trusted
    assert well or "does not trust" in message
    assert check()["Gemini CLI"][0]


def test_hooks_that_only_fail_are_a_fault(check, tmp_path):
    (tmp_path / "home" / "logs").mkdir(parents=True)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    log = tmp_path / "home" / "logs" / "hooks.log"
    log.write_text(f"{now} codex UserPromptSubmit the server answered 401\n" * 5)
    well, message = check()["hooks"]
    assert not well
    assert "5 failed in the last 7 days" in message
    assert "answered 401" in message
    (tmp_path / "home" / "hooks").mkdir()
    (tmp_path / "home" / "hooks" / "a.json").write_text('{"started": 0, "shown": ["x"]}')
    assert check()["hooks"][0]
