"""docs/reference/cli.md and mcp.md against the commands and the tools that there are."""

from __future__ import annotations

import re

import typer

from docs.pages import blocks, name, pages, rows, sections
from wellworn.interfaces.cli.app import app
from wellworn.interfaces.mcp.tools import TOOLS

CLI = "docs/reference/cli.md"
MCP = "docs/reference/mcp.md"
SHARED = {"--home", "--url", "--agent", "--agent-name", "--key", "--space", "--json", "--help"}
GROUPS = {"thought", "turn", "credential", "space", "audit", "source", "knowledge", "service"}
TABLES = (
    *("Memory", "Turns", "Keys", "Spaces", "Audit trails"),
    *("Sources of knowledge", "Knowledge"),
    *("Import, export and backup", "The server and the data folder"),
)
IN_SHELL = re.compile(r"(?:^|[ (])wellworn ([a-z][^#|>)\n]*)", re.MULTILINE)


def _commands() -> dict[str, set[str]]:
    """Return the options of every command by its words, e.g. `thought show`."""
    found: dict[str, set[str]] = {}
    for word, command in typer.main.get_command(app).commands.items():
        below = getattr(command, "commands", None)
        for last, leaf in (below or {"": command}).items():
            options = {one for parameter in leaf.params for one in parameter.opts}
            found[f"{word} {last}".strip()] = {one for one in options if one.startswith("--")}
    return found


def _told() -> dict[str, str]:
    """Return the rows about commands by the words before the arguments."""
    found: dict[str, str] = {}
    for title in TABLES:
        for cells in rows(sections(CLI, "## ")[title]):
            words = re.findall(r"[a-z-]+", cells[0].partition("`")[2].partition("`")[0])
            command = " ".join(words[: 1 + (words[0] in GROUPS)])
            found[command] = found.get(command, "") + " ".join(cells)
    return found


def test_every_command_is_told_and_no_other():
    assert set(_told()) == set(_commands())


def test_every_option_of_a_command_is_told():
    shared = "".join(cells[0] for cells in rows(sections(CLI, "## ")["Shared options"]))
    assert all(f"`{option}`" in shared for option in SHARED - {"--help"})
    missing = {
        command: sorted(
            option for option in options - SHARED if f"`{option}" not in _told()[command]
        )
        for command, options in _commands().items()
    }
    assert {command: options for command, options in missing.items() if options} == {}


def test_every_command_in_an_example_exists_and_takes_its_options():
    commands = _commands()
    for page in pages():
        shell = [block for block in blocks(page) if block.language in {"sh", "console"}]
        for block in shell:
            for line in IN_SHELL.findall(block.text):
                _assert_known(line, commands, f"{name(page)}, line {block.line}")


def test_every_tool_is_told_with_its_arguments_and_no_other():
    told = {
        cells[0].strip("`"): " ".join(cells)
        for cells in rows(sections(MCP, "## ")["Tools"])
        if len(cells) == 3
    }
    assert set(told) == {tool.name for tool in TOOLS}
    for tool in TOOLS:
        for argument in tool.takes.model_fields:
            if argument not in {"agent_id", "agent_name"}:
                assert f"`{argument}`" in told[tool.name], f"{tool.name}: {argument}"


def _assert_known(line: str, commands: dict[str, set[str]], place: str) -> None:
    words = line.split()
    command = " ".join(words[: 1 + (words[0] in GROUPS)])
    assert command in commands, f"{place}: wellworn {line}"
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    for option in re.findall(r"(?<!\S)--[a-z-]+", unquoted):
        assert option in commands[command], f"{place}: wellworn {line}"
