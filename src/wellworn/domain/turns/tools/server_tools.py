"""Tools of other MCP servers, called as `SERVER/TOOL`; what they answer is evidence of their own.

What a server says of its tools and in its answers is data: it is shortened, redacted and quoted,
and a description that reads like an order is left out.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from wellworn.domain.spaces import Access, Mode, Role
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.models import Evidence, EvidenceKind, ToolResult
from wellworn.domain.turns.quoting import cut_text
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices
from wellworn.engines.safety import find_suspicions, redact
from wellworn.engines.tool_servers import (
    McpSettings,
    ServerFailure,
    ServerTool,
    ToolOutput,
    ToolServer,
    ToolSessions,
    list_parameters,
    list_required,
    list_values,
)
from wellworn.kit.text import CHARACTERS_A_TOKEN

RESULTS: Final = "toolresults.md"
_LONGEST_PURPOSE: Final = 240
_LONGEST_MEANING: Final = 80
_LONGEST_NAME: Final = 40
_LONGEST_COMPLAINT: Final = 300
_LONGEST_TEXT: Final = 400_000
_MOST_ARGUMENTS: Final = 8
_log = logging.getLogger(__name__)


class ServerToolCaller:
    """One tool of a server, for one turn; the server is asked when it is first wanted."""

    def __init__(
        self, services: ToolServices, sessions: ToolSessions, server: ToolServer, name: str
    ) -> None:
        self._services = services
        self._sessions = sessions
        self._server = server
        self._name = name
        self._place = f"mcp://{server.name}/"

    @property
    def description(self) -> ToolDescription | None:
        tool = self._sessions.find_tool(self._server, self._name)
        if tool is None:
            return None
        return ToolDescription(
            f"{self._server.name}/{self._name}",
            _shorten(tool.purpose, _LONGEST_PURPOSE),
            _describe_arguments(tool),
            is_read_only=tool.is_read_only,
            server=self._place,
            values=frozenset(list_values(tool.schema)),
        )

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        tool = self._sessions.find_tool(self._server, self._name)
        if tool is None or not (tool.is_read_only or context.may_change):
            return ToolResult.fail(f"{self._server.name} does not offer {self._name} now")
        output = self._sessions.call(self._server, tool, arguments)
        if isinstance(output, ServerFailure):
            return ToolResult.fail(f"{self._server.name} gave no answer: {_quote(output.message)}")
        if output.is_error:
            return ToolResult.fail(f"{self._name} failed: “{_quote(output.text)}”")
        return self._cite(context, output)

    def _cite(self, context: ToolContext, output: ToolOutput) -> ToolResult:
        settings = self._services.settings
        text = redact(output.text[:_LONGEST_TEXT]).text
        excerpt = cut_text(text, context.query, settings.document_tokens * CHARACTERS_A_TOKEN)
        notes = [f"{self._server.name} answered"]
        if len(excerpt) < len(text.strip()):
            notes.append("what is longer than a document may be was left out")
        if output.left_out:
            notes.append(f"parts that are no text were left out: {output.left_out}")
        evidence = Evidence(
            0,
            EvidenceKind.TOOL,
            f"{self._name} of {self._server.name}",
            excerpt,
            f"{self._place}{self._name}",
            link=f"{context.folder}/{RESULTS}",
            relevance=1.0,
            moment=self._services.clock.now(),
        )
        return ToolResult("; ".join(notes), (evidence,) if excerpt else (), settings.fresh_hours)


def _describe_arguments(tool: ServerTool) -> dict[str, str]:
    required = set(list_required(tool.schema))
    parameters = list_parameters(tool.schema)
    names = sorted(parameters, key=lambda name: name not in required)
    return {
        name: _describe_argument(parameters[name], is_required=name in required)
        for name in names[:_MOST_ARGUMENTS]
        if len(name) <= _LONGEST_NAME and name == format_line(name)
    }


def _describe_argument(schema: Mapping[str, Any], *, is_required: bool) -> str:
    text = schema.get("description")
    meaning = _shorten(text if isinstance(text, str) else "", _LONGEST_MEANING)
    return f"{meaning} (required)".strip() if is_required else meaning


def _shorten(text: str, most_characters: int) -> str:
    """Return the beginning of a server's words on one line; nothing of what reads like an order."""
    if find_suspicions(text):
        _log.warning("a description that reads like an order to the model was left out")
        return "Its description was left out."
    return format_line(text[: 4 * most_characters])[:most_characters]


def _quote(text: str) -> str:
    """Return the beginning of a server's words, which end no quotation that they stand in.

    They may stand in the turn's answer, so what reads like an order is left out here, too.
    """
    if find_suspicions(text[:_LONGEST_TEXT]):
        return "its words were left out"
    plain = format_line(redact(text[: 4 * _LONGEST_COMPLAINT]).text)[:_LONGEST_COMPLAINT]
    return plain.replace("”", "'").replace("“", "'").replace("`", "'")


@contextmanager
def open_tools(services: ToolServices, access: Access) -> Generator[dict[str, ServerToolCaller]]:
    """Give a turn the tools of the servers that its caller may have called; they end with it."""
    if services.tool_servers is None:
        yield {}
        return
    settings = services.tool_servers.settings
    with services.tool_servers.open() as sessions:
        yield {
            f"{server.name}/{name}": ServerToolCaller(services, sessions, server, name)
            for server in settings.servers
            if _may_call(settings, server, access)
            for name in server.tools
        }


def _may_call(settings: McpSettings, server: ToolServer, access: Access) -> bool:
    if not access.role.allows(Role(server.least_role)):
        return False
    if server.spaces:
        return access.space in server.spaces
    return access.mode is Mode.OPEN or settings.sealed_spaces
