"""The programs that agents live in: where each keeps its settings, and how an entry looks there.

A table, and nothing that is done with it. `docs/how-to/connect-your-agent.md` says where each
format was seen, and of which version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Shape: TypeAlias = Literal["plain", "typed", "opencode", "goose"]
"""Styles of an entry: `plain` has `command` and `args`, `typed` says `stdio` as well."""

NAME: Final = "wellworn"
"""The name of the entry in every client."""


@dataclass(frozen=True, slots=True)
class SettingsFiles:
    """Files of one client: the first that exists is used, else the first.

    `{config}` is the folder of settings of programs, `{apps}` that of programs with windows.
    """

    user: tuple[str, ...]
    project: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hooks:
    """A client's files of hooks, its names of events, and how long it waits, in its unit."""

    files: SettingsFiles
    events: tuple[str, ...]
    timeout: int


@dataclass(frozen=True, slots=True)
class Client:
    """A client.

    Attributes:
        files: where it looks for MCP servers.
        servers: the path of the mapping of servers in them.
        newer: another path, used where the file has it already.
        plugin: a file of our own that it loads, in place of hooks.
        notes: what its user has to do or know.
        project_notes: the same, of an entry in a project.
    """

    name: str
    title: str
    files: SettingsFiles
    servers: tuple[str, ...] = ("mcpServers",)
    newer: tuple[str, ...] = ()
    shape: Shape = "plain"
    format: Literal["json", "toml", "yaml"] = "json"
    hooks: Hooks | None = None
    plugin: SettingsFiles | None = None
    notes: tuple[str, ...] = ()
    project_notes: tuple[str, ...] = ()


_PLAIN_EVENTS: Final = ("SessionStart", "UserPromptSubmit", "PreCompact")
_CLAUDE_EVENTS: Final = (*_PLAIN_EVENTS, "SessionEnd")

CLIENTS: Final = (
    Client(
        "claude-code",
        "Claude Code",
        SettingsFiles(("{claude}/.claude.json",), (".mcp.json",)),
        shape="typed",
        hooks=Hooks(
            SettingsFiles(("{claude_settings}/settings.json",), (".claude/settings.json",)),
            _CLAUDE_EVENTS,
            10,
        ),
        project_notes=("Claude Code asks each user once whether it may use .mcp.json.",),
    ),
    Client(
        "codex",
        "Codex",
        SettingsFiles(("{codex}/config.toml",), (".codex/config.toml",)),
        servers=("mcp_servers",),
        format="toml",
        hooks=Hooks(
            SettingsFiles(("{codex}/hooks.json",), (".codex/hooks.json",)), _PLAIN_EVENTS, 10
        ),
        notes=("Codex runs hooks only after you trust them: start it and type /hooks.",),
        project_notes=("Codex reads .codex in projects that you trust.",),
    ),
    Client(
        "gemini",
        "Gemini CLI",
        SettingsFiles(("~/.gemini/settings.json",), (".gemini/settings.json",)),
        hooks=Hooks(
            SettingsFiles(("~/.gemini/settings.json",), (".gemini/settings.json",)),
            ("SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"),
            10_000,
        ),
        notes=("Gemini CLI starts servers and runs hooks only in folders that you trust.",),
    ),
    Client(
        "qwen",
        "Qwen Code",
        SettingsFiles(("~/.qwen/settings.json",), (".qwen/settings.json",)),
        hooks=Hooks(
            SettingsFiles(("~/.qwen/settings.json",), (".qwen/settings.json",)),
            _PLAIN_EVENTS,
            10_000,
        ),
        project_notes=("Qwen Code reads settings of a project only in a trusted folder.",),
    ),
    Client(
        "opencode",
        "OpenCode",
        SettingsFiles(
            ("{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"),
            ("opencode.json", "opencode.jsonc"),
        ),
        servers=("mcp",),
        newer=("mcp", "servers"),
        shape="opencode",
        plugin=SettingsFiles(
            ("{config}/opencode/plugins/wellworn.js",), (".opencode/plugins/wellworn.js",)
        ),
    ),
    Client(
        "cursor",
        "Cursor",
        SettingsFiles(("~/.cursor/mcp.json",), (".cursor/mcp.json",)),
        notes=("Switch the server on in Cursor: Customize, MCPs.",),
    ),
    Client(
        "vscode",
        "VS Code",
        SettingsFiles(("{apps}/Code/User/mcp.json",), (".vscode/mcp.json",)),
        servers=("servers",),
        shape="typed",
        notes=("VS Code asks once whether you trust the server.",),
    ),
    Client("windsurf", "Windsurf", SettingsFiles(("~/.codeium/windsurf/mcp_config.json",))),
    Client(
        "zed",
        "Zed",
        SettingsFiles(("{config}/zed/settings.json",)),
        servers=("context_servers",),
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        SettingsFiles(("{apps}/Claude/claude_desktop_config.json",)),
        notes=("Quit Claude Desktop and start it again.",),
    ),
    Client(
        "amp",
        "Amp",
        SettingsFiles(
            ("{config}/amp/settings.json", "{config}/amp/settings.jsonc"),
            (".amp/settings.json", ".amp/settings.jsonc"),
        ),
        servers=("amp.mcpServers",),
        project_notes=("Amp asks before it runs a server of a project.",),
    ),
    Client(
        "goose",
        "Goose",
        SettingsFiles(("{config}/goose/config.yaml",)),
        servers=("extensions",),
        shape="goose",
        format="yaml",
    ),
)
