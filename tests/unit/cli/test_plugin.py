"""A plugin has hooks, server and skill, where each client looks for them."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from wellworn.interfaces.cli.clients import CLIENTS

MANIFESTS = {
    "claude-code": "wellworn/.claude-plugin/plugin.json",
    "codex": "wellworn/.codex-plugin/plugin.json",
    "gemini": "gemini-extension.json",
    "qwen": "qwen-extension.json",
}
SHOPS = {
    "claude-code": ".claude-plugin/marketplace.json",
    "codex": ".agents/plugins/marketplace.json",
}


def read(file):
    return json.loads(file.read_text())


@pytest.mark.parametrize("client", MANIFESTS)
def test_a_plugin_has_all_parts(run, folder, client):
    target = folder / "made"
    assert run("plugin", client, str(target)).code == 0
    manifest = target / MANIFESTS[client]
    assert read(manifest)["name"] == "wellworn"
    root = target / "wellworn" if client in SHOPS else target
    servers = read(root / ".mcp.json") if client in SHOPS else read(manifest)
    assert servers["mcpServers"]["wellworn"]["command"] == "wellworn"
    [events] = [each.hooks.events for each in CLIENTS if each.name == client]
    hooks = read(root / "hooks" / "hooks.json")["hooks"]
    assert tuple(hooks) == events
    assert hooks["SessionStart"][0]["hooks"][0]["command"].endswith(f"wellworn-hook {client}")
    skill = (root / "skills" / "shared-memory" / "SKILL.md").read_text()
    assert skill.startswith("---\nname: shared-memory\ndescription: ")


@pytest.mark.parametrize("client", SHOPS)
def test_a_marketplace_leads_to_the_plugin(run, folder, client):
    run("plugin", client, str(folder / "made"))
    [listed] = read(folder / "made" / SHOPS[client])["plugins"]
    source = listed["source"]
    place = source if isinstance(source, str) else source["path"]
    assert (folder / "made" / place).resolve() == folder / "made" / "wellworn"


def test_it_is_written_again_but_never_among_other_files(run, folder):
    assert run("plugin", "gemini", str(folder / "made")).code == 0
    assert run("plugin", "gemini", str(folder / "made")).code == 0
    (folder / "made" / "mine").write_text("x")
    said = run("plugin", "gemini", str(folder / "made"))
    assert said.code == 2
    assert "other files" in said.err


def test_it_says_what_to_do_next(run, folder):
    said = run("plugin", "claude-code", str(folder / "made"))
    assert f"claude plugin marketplace add {folder / 'made'}" in said.err
    assert run("plugin", "zed", str(folder / "made")).code == 2
    assert run("plugin", "codex").code == 2


def test_instructions_for_agents_are_the_skill(run, folder):
    section = run("plugin", "agents-md").out
    assert section.startswith("## Shared memory (wellworn)")
    run("plugin", "qwen", str(folder / "made"))
    skill = (folder / "made" / "skills" / "shared-memory" / "SKILL.md").read_text()
    assert section.partition("\n\n")[2].strip() in skill


def test_the_skill_names_tools_that_there_are(run, folder):
    offer = json.loads(files("wellworn.interfaces.mcp").joinpath("offer.json").read_text())
    tools = {
        tool["name"]: tool["inputSchema"]["properties"] for tool in offer["tools/list"]["tools"]
    }
    section = run("plugin", "agents-md").out
    for name in ("remember", "forget", "knowledge_resolve", "knowledge_search"):
        assert f"`{name}`" in section
        assert name in tools
    assert {"recall", "feedback"} <= set(tools)
    assert "`replaces`" in section
    assert "replaces" in tools["remember"]
