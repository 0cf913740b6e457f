"""wellworn is put into the settings of every client, and taken out with nothing else touched."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wellworn.engines.config_files import FORMATS, get
from wellworn.interfaces.cli.clients import CLIENTS
from wellworn.interfaces.cli.installing import Installation

CLAUDE_SETTINGS = """{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "say done" }
        ]
      }
    ]
  }
}
"""
BEFORE = {
    "claude-code": '{\n  "n": 3,\n  "mcpServers": {\n    "other": {"command": "npx"}\n  }\n}\n',
    "codex": '# mine\nmodel = "best" # of all\n\n[mcp_servers.other]\ncommand = "npx"\n',
    "gemini": '{\n  // at night\n  "ui": {"theme": "dark"},\n  "mcpServers": {}\n}\n',
    "qwen": '{"ui": {"theme": "dark"}, "hooks": {"Stop": []}}\n',
    "opencode": '{\n  "theme": "dark", // at night\n  "mcp": {"a": {"type": "local"}},\n}\n',
    "cursor": '{\n\t"mcpServers": {\n\t\t"other": {"url": "https://example.org"}\n\t}\n}\n',
    "vscode": '{\n  "servers": {},\n  "inputs": []\n}\n',
    "windsurf": "{}\n",
    "zed": '// Zed settings\n{\n  "vim_mode": true, // always\n}\n',
    "claude-desktop": '{\r\n  "globalShortcut": "F1"\r\n}\r\n',
    "amp": '{\n  "amp.mcpServers": {"other": {"command": "npx"}},\n  "amp.x": 1\n}\n',
    "goose": "# mine\nextensions:\n  developer:\n    type: builtin   # keep\nGOOSE_MODE: auto\n",
}


def files_of(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "home" not in path.relative_to(folder).parts
    }


def find_file(run, client, *words):
    said = run("install", client, *words, "--dry-run", "--json")
    assert said.code == 0, said.err
    return Path(said.json["files"][0]["file"])


def put(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def entry(client, file):
    value = FORMATS[client.format].read(file.read_bytes().decode())
    return get(value, (*client.servers, "wellworn"))


def hooks(file):
    return json.loads(file.read_text())["hooks"]


def ids(clients):
    return [client.name for client in clients]


@pytest.mark.parametrize("client", CLIENTS, ids=ids(CLIENTS))
def test_every_client_is_connected_once_and_is_as_before_once_it_is_not(run, folder, client):
    file = find_file(run, client.name)
    put(file, BEFORE[client.name])
    before = files_of(folder)
    assert run("install", client.name).code == 0
    made = files_of(folder)
    assert "wellworn" in str(entry(client, file)["command" if client.name != "goose" else "cmd"])
    again = run("install", client.name)
    assert "nothing to change" in again.out
    assert files_of(folder) == made
    assert run("uninstall", client.name).code == 0
    assert files_of(folder) == before
    assert "nothing to change" in run("uninstall", client.name).out


@pytest.mark.parametrize("client", CLIENTS, ids=ids(CLIENTS))
def test_a_client_without_settings_gets_them_and_loses_them(run, folder, client):
    before = files_of(folder)
    assert run("install", client.name).code == 0
    assert entry(client, find_file_of(client, folder)) is not None
    assert run("uninstall", client.name).code == 0
    assert files_of(folder) == before


def find_file_of(client, folder):
    made = [path for path in folder.rglob("*") if path.is_file() and "hooks" not in path.name]
    return next(path for path in made if "mcp" in path.read_text())


@pytest.mark.parametrize(
    "client", [one for one in CLIENTS if one.files.project], ids=lambda one: one.name
)
def test_a_project_names_the_program_without_a_path_if_it_is_found(
    run, folder, client, monkeypatch
):
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert run("install", client.name, "--project").code == 0
    file = find_file_of(client, folder)
    assert folder / "shop" in file.parents
    command = entry(client, file)["command"]
    assert command in ("wellworn", ["wellworn", "mcp"])


def test_what_is_only_of_a_user_is_refused_in_a_project(run, folder):
    said = run("install", "windsurf", "--project")
    assert said.code == 1
    assert "--user" in said.err


def test_hooks_are_beside_those_of_others_and_go_alone(run, folder):
    settings = folder / ".claude" / "settings.json"
    put(settings, CLAUDE_SETTINGS)
    assert run("install", "claude-code").code == 0
    made = hooks(settings)
    assert set(made) == {"Stop", "SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"}
    [[hook]] = [group["hooks"] for group in made["UserPromptSubmit"]]
    assert hook["command"].endswith("wellworn-hook claude-code")
    assert hook["timeout"] == 10
    run("uninstall", "claude-code")
    assert settings.read_text() == CLAUDE_SETTINGS


def test_gemini_counts_milliseconds_and_has_its_own_names(run, folder):
    run("install", "gemini")
    made = hooks(folder / ".gemini" / "settings.json")
    assert set(made) == {"SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"}
    assert made["BeforeAgent"][0]["hooks"][0]["timeout"] == 10_000


def test_without_hooks_there_are_none(run, folder):
    run("install", "claude-code", "--no-hooks")
    assert not (folder / ".claude" / "settings.json").exists()


def test_hand_edits_between_stay(run, folder):
    file, settings = folder / ".claude.json", folder / ".claude" / "settings.json"
    run("install", "claude-code")
    value = json.loads(file.read_text())
    value["mcpServers"]["wellworn"]["env"] = {"WELLWORN_AGENT": "eve"}
    value["mcpServers"]["mine"] = {"command": "mine"}
    file.write_text(json.dumps(value))
    value = json.loads(settings.read_text())
    value["hooks"]["UserPromptSubmit"][0]["hooks"].append({"type": "command", "command": "mine"})
    settings.write_text(json.dumps(value))
    assert "nothing to change" in run("install", "claude-code").out
    assert run("uninstall", "claude-code").code == 0
    assert json.loads(file.read_text()) == {"mcpServers": {"mine": {"command": "mine"}}}
    own = {"type": "command", "command": "mine"}
    assert hooks(settings) == {"UserPromptSubmit": [{"hooks": [own]}]}


def test_an_entry_whose_program_is_gone_is_written_anew(run, folder):
    file = folder / ".cursor" / "mcp.json"
    put(file, '{"mcpServers": {"wellworn": {"command": "/gone/wellworn", "args": ["mcp"]}}}')
    assert run("install", "cursor").code == 0
    assert "/gone/" not in file.read_text()


def test_another_server_of_that_name_is_not_ours(run, folder):
    file = folder / ".cursor" / "mcp.json"
    text = '{"mcpServers": {"wellworn": {"command": "npx"}}}'
    put(file, text)
    said = run("install", "cursor")
    assert said.code == 1
    assert "another server is called wellworn" in said.err
    run("uninstall", "cursor")
    assert file.read_text() == text


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}'.replace("[]", "5"), "nonsense"])
def test_broken_settings_are_left_alone_with_what_to_do(run, folder, text):
    file = folder / ".cursor" / "mcp.json"
    put(file, text)
    said = run("install", "cursor")
    assert said.code == 1
    assert "by hand" in said.err
    assert '"wellworn"' in said.err
    assert file.read_text() == text


def test_one_broken_file_keeps_the_other_from_being_written(run, folder):
    put(folder / ".claude" / "settings.json", "{")
    assert run("install", "claude-code").code == 1
    assert not (folder / ".claude.json").exists()


def test_a_read_only_file_is_refused(run, folder):
    file = folder / ".cursor" / "mcp.json"
    put(file, "{}")
    file.chmod(0o400)
    said = run("install", "cursor")
    assert said.code == 1
    assert "chmod u+w" in said.err


def test_a_backup_is_kept_where_others_cannot_read_it(run, folder):
    file = folder / ".cursor" / "mcp.json"
    put(file, '{"a": "secret"}')
    made = run("install", "cursor", "--json").json["files"]
    backup = Path(made[0]["backup"])
    assert backup.read_text() == '{"a": "secret"}'
    assert backup.parent.stat().st_mode & 0o077 == 0


def test_a_dry_run_shows_the_difference_and_writes_nothing(run, folder):
    before = files_of(folder)
    said = run("install", "claude-code", "--dry-run")
    assert said.code == 0
    assert '+    "wellworn": {' in said.out
    assert files_of(folder) == before


def test_opencode_loads_a_plugin_that_is_written_and_removed_whole(run, folder):
    plugin = folder / ".config" / "opencode" / "plugins" / "wellworn.js"
    run("install", "opencode", "--no-hooks")
    assert not plugin.exists()
    run("install", "opencode")
    text = plugin.read_text()
    [command] = re.findall(r"^const COMMAND = (.*)$", text, re.MULTILINE)
    assert Path(json.loads(command)[0]).name == "wellworn-hook"
    assert json.loads(command)[1:] == ["opencode"]
    [environment] = re.findall(r"^const ENVIRONMENT = (.*)$", text, re.MULTILINE)
    assert json.loads(environment) == {"WELLWORN_HOME": str(folder.parent / "home")}
    assert run("install", "opencode").out == "OpenCode: nothing to change\n"
    run("uninstall", "opencode")
    assert not plugin.exists()

    put(plugin, "export const Mine = async () => ({})\n")
    refused = run("install", "opencode")
    assert refused.code == 1
    assert "wellworn.js is not of wellworn" in refused.err
    run("uninstall", "opencode")
    assert plugin.read_text().startswith("export const Mine")


def test_the_doctor_finds_a_plugin_whose_program_is_gone(run, folder):
    plugin = folder / ".config" / "opencode" / "plugins" / "wellworn.js"
    run("install", "opencode")
    [made] = [each for each in CLIENTS if each.name == "opencode"]
    found = Installation(made, "user", folder, folder.parent / "home").find_hooks()
    assert Path(found.programs["plugin"]).name == "wellworn-hook"
    put(plugin, plugin.read_text().replace(found.programs["plugin"], "/gone/wellworn-hook"))
    assert "/gone/wellworn-hook is not there" in run("doctor").out


def test_the_newer_place_of_opencode_is_used_where_it_is(run, folder):
    file = folder / ".config" / "opencode" / "opencode.json"
    put(file, '{"mcp": {"servers": {}}}')
    run("install", "opencode")
    assert "wellworn" in json.loads(file.read_text())["mcp"]["servers"]
    run("uninstall", "opencode")
    assert json.loads(file.read_text()) == {"mcp": {"servers": {}}}


def test_the_list_says_who_has_it_and_whose_settings_are_broken(run, folder):
    run("install", "cursor")
    put(folder / ".codeium" / "windsurf" / "mcp_config.json", "{")
    put(folder / ".config" / "zed" / "settings.json", "{}")
    rows = run("install", "--list", "--json").json["clients"]
    states = {row["client"]: row["state"] for row in rows}
    assert states["cursor"] == "installed"
    assert states["zed"] == "found"
    assert states["amp"] == "not there"
    assert "line 1" in states["windsurf"]


def test_an_unknown_client_is_told_which_there_are(run, folder):
    said = run("install", "emacs")
    assert said.code == 2
    assert "claude-code" in said.err
    assert json.loads(run("install", "generic").out)["mcpServers"]["wellworn"]["args"] == ["mcp"]


def test_the_data_folder_goes_along_if_it_is_another(run, folder, tmp_path):
    run("install", "claude-code")
    made = json.loads((folder / ".claude.json").read_text())["mcpServers"]["wellworn"]
    assert made["env"] == {"WELLWORN_HOME": str(tmp_path / "home")}
    command = hooks(folder / ".claude" / "settings.json")["SessionStart"][0]["hooks"][0]["command"]
    assert command.startswith(f"env WELLWORN_HOME={tmp_path / 'home'} ")
