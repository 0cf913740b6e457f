"""The reference of the command line says what the command line says of itself."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from wellworn.client import Ask, Wellworn
from wellworn.interfaces.cli import main

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference"
PLAIN = ["serve", "stop", "status", "mcp", "remember", "recall", "feedback", "highways", "import"]
MORE = [
    "neighbours",
    "experiment",
    "values",
    "policy",
    "curate",
    "tidy",
    "take-back",
    "jobs",
    "map",
    "convergence",
    "decisions",
    "digest",
    "context",
    "install",
    "plugin",
    "ui",
    "uninstall",
    "ask",
    "outline",
    "settings",
    "sleep",
    "watch",
    "workload",
    "topics",
    "recent",
    "read",
    "export",
    "backup",
    "restore",
    "doctor",
    "rebuild",
    "reembed",
    "salvage",
    "decay",
    "eval",
    "version",
]
GROUPS = {
    "thought": ["show", "provenance", "unreplace", "end", "erase", "held", "release"],
    "turn": [
        *["list", "show", "files", "research", "stats", "resume", "import"],
        *["archive", "restore", "delete", "rebuild"],
    ],
    "credential": ["create", "list", "rotate", "revoke"],
    "space": [
        *["create", "list", "show", "change", "invite", "join", "members", "appoint"],
        *["revoke", "leave", "seal", "unseal", "rotate", "reseal", "delete", "rollback"],
    ],
    "audit": ["show", "verify", "export"],
    "service": ["install", "uninstall", "status"],
    "source": [
        *["add", "list", "show", "change", "sync", "upload", "runs", "secrets"],
        *["pause", "resume", "remove", "webhook"],
    ],
    "knowledge": [
        *["search", "resolve", "teach", "provenance", "artifact", "preamble", "documents"],
        *["read", "conflicts", "decide", "merge", "split", "names"],
        *["pin", "unpin", "unknowns", "quality", "compile"],
    ],
}
GROUPED = [f"{group} {command}" for group, commands in GROUPS.items() for command in commands]


def helped(capsys, *words):
    assert main([*words, "--help"]) == 0
    return capsys.readouterr().out


def listed(capsys, *words):
    commands = helped(capsys, *words).partition("Commands:")[2]
    return re.findall(r"^  ([a-z-]+) ", commands, re.MULTILINE)


def test_the_commands_named_here_are_all_there_are(capsys):
    assert sorted(listed(capsys)) == sorted([*PLAIN, *MORE, *GROUPS])
    for group, commands in GROUPS.items():
        assert sorted(listed(capsys, group)) == sorted(commands)


@pytest.mark.parametrize("command", [*PLAIN, *MORE, *GROUPED])
def test_every_command_and_option_is_in_the_reference(capsys, command):
    text = (REFERENCE / "cli.md").read_text("utf-8")
    assert re.search(rf"^\| `{command}\b", text, re.MULTILINE)
    options = set(re.findall(r"--[a-z-]+", helped(capsys, *command.split())))
    assert {option for option in options if option not in text} == set()


def test_every_method_and_option_of_the_client_is_in_the_reference():
    text = (REFERENCE / "python.md").read_text("utf-8")
    public = [name for name, _ in inspect.getmembers(Wellworn, inspect.isfunction)]
    for name in [name for name in public if not name.startswith("_")]:
        assert f"`{name}(" in text
    for option in Ask.__annotations__:
        assert f"`{option}`" in text
