"""The command that writes wellworn as a plugin: manifest, hooks, MCP server and skill in a folder.

The skill is written once; each client has its own manifest and names of events.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import wellworn
from wellworn.interfaces.cli.clients import CLIENTS, NAME
from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.installing import Installation
from wellworn.interfaces.cli.output import emit, note, say

commands = new_group()

_AGENTS_MD: Final = "agents-md"
_ABOUT: Final = "The shared memory of your agents: what one learns, all others find."
_WHEN: Final = (
    "When and how to use the shared memory of this project (wellworn): recall before a task,"
    " remember what was learned, replace what is out of date, give feedback, ask the documents."
)
_SKILL: Final = "skills/shared-memory/SKILL.md"
_MANIFEST: Final[dict[str, Any]] = {
    "name": NAME,
    "version": wellworn.__version__,
    "description": _ABOUT,
    "author": {"name": NAME},
    "license": "Apache-2.0",
}
_STEPS: Final = {
    "claude-code": ("claude plugin marketplace add {}", "claude plugin install wellworn@wellworn"),
    "codex": ("codex plugin marketplace add {}", "codex plugin add wellworn@wellworn"),
    "gemini": ("gemini extensions install {}",),
    "qwen": ("qwen extensions install {}",),
}
"""What makes a client use the plugin of a folder."""


@command(commands, "plugin claude-code ./wellworn-plugin", options=FOLDER)
def plugin(
    context: CommandContext,
    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(_STEPS)}, or {_AGENTS_MD}.")
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Where to write it; a new or an empty folder.")
    ] = None,
) -> None:
    """Write a plugin for a client: hooks, MCP server and skill in one folder.

    Install it from there, or share the folder. The programs are called by their names. With
    agents-md, prints a section for AGENTS.md, or for whatever file your agent reads.
    """
    if client == _AGENTS_MD:
        section = f"## Shared memory (wellworn)\n\n{_read_skill()}"
        context.show({"section": section}, section.rstrip("\n"))
        return
    if client not in _STEPS or folder is None:
        raise typer.BadParameter(f"name one of {', '.join(_STEPS)} and a folder, or {_AGENTS_MD}")
    target = folder.absolute()
    made = render_plugin(client, target, context.folder)
    strange = [path for path in target.rglob("*") if path.is_file()]
    if any(str(path.relative_to(target)) not in made for path in strange):
        raise typer.BadParameter(f"{target} has other files; name a new folder")
    for name, text in made.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8")
    steps = [step.format(target) for step in _STEPS[client]]
    if context.as_json:
        emit({"folder": str(target), "files": [*made], "next": steps})
        return
    say(f"wrote {target}")
    for step in steps:
        note(f"next: {step}")


def render_plugin(client: str, folder: Path, home: Path) -> dict[str, str]:
    """Return the files of a plugin by their names in its folder; pure."""
    made = Installation(
        next(each for each in CLIENTS if each.name == client), "project", folder, home
    )
    servers = {"mcpServers": {NAME: made.write_server()}}
    parts: dict[str, Any] = {"hooks/hooks.json": {"hooks": made.write_hooks()}}
    parts[_SKILL] = f"---\nname: shared-memory\ndescription: {_WHEN}\n---\n\n{_read_skill()}"
    if client in {"gemini", "qwen"}:
        return _dump({f"{client}-extension.json": {**_MANIFEST, **servers}, **parts})
    kind = {"claude-code": ".claude-plugin", "codex": ".codex-plugin"}[client]
    parts |= {".mcp.json": servers, f"{kind}/plugin.json": _MANIFEST}
    listed: dict[str, Any] = {"name": NAME, "description": _ABOUT, "source": f"./{NAME}"}
    if client == "claude-code":
        shop, catalog = f"{kind}/marketplace.json", {"name": NAME, "owner": {"name": NAME}}
    else:
        shop, catalog = ".agents/plugins/marketplace.json", {"name": NAME}
        listed["source"] = {"source": "local", "path": f"./{NAME}"}
    inside = {f"{NAME}/{name}": part for name, part in parts.items()}
    return _dump({shop: {**catalog, "plugins": [listed]}, **inside})


def _dump(parts: dict[str, Any]) -> dict[str, str]:
    return {
        name: part if isinstance(part, str) else f"{json.dumps(part, indent=2)}\n"
        for name, part in parts.items()
    }


def _read_skill() -> str:
    return files("wellworn.interfaces.cli").joinpath("skill.md").read_text("utf-8")
