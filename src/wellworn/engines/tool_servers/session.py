"""ServerSession: one conversation with a server of tools, begun, held and ended within its time.

It offers the server nothing: no model, no folder, and no question to the user.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar, cast

from mcp import Client, MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    CallToolResult,
    EmbeddedResource,
    Implementation,
    TextContent,
    TextResourceContents,
    Tool,
)

from wellworn import __version__
from wellworn.engines.tool_servers.arguments import read_arguments
from wellworn.engines.tool_servers.models import ServerFailure, ServerTool, ToolOutput
from wellworn.engines.tool_servers.settings import ToolServer
from wellworn.engines.tool_servers.transports import (
    CONNECTION_ERRORS,
    ByteLimit,
    MissingVariable,
    connect,
)

_Answer = TypeVar("_Answer")
_MOST_PAGES: Final = 20
_US: Final = Implementation(name="wellworn", version=__version__)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerSession:
    """What one conversation with a server may cost."""

    timeout_s: float
    most_bytes: int

    async def list_tools(self, server: ToolServer) -> list[ServerTool] | ServerFailure:
        return await self._converse(server, _list_tools)

    async def call(
        self, server: ToolServer, tool: ServerTool, texts: Mapping[str, str]
    ) -> ToolOutput | ServerFailure:
        """Call a tool, if it still is what it was when it was offered."""
        return await self._converse(server, partial(_call, offered=tool, texts=texts))

    async def _converse(
        self, server: ToolServer, ask: Callable[[Client], Awaitable[_Answer]]
    ) -> _Answer | ServerFailure:
        limit = ByteLimit(self.most_bytes)
        answers: list[_Answer] = []
        try:
            async with asyncio.timeout(self.timeout_s):
                async with Client(connect(server, limit), client_info=_US, cache=None) as client:
                    answers.append(await ask(client))
        except Exception as error:  # noqa: BLE001 - of somebody else's server anything may come
            _log.debug("the conversation with %s ended early", server.name, exc_info=True)
            # What a server does after it has answered takes no answer away.
            if not answers:
                return ServerFailure(self._explain(error, limit))
        return answers[0]

    def _explain(self, error: BaseException, limit: ByteLimit) -> str:
        while isinstance(error, BaseExceptionGroup):
            error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
        if limit.is_passed:
            return f"it sent more than {self.most_bytes:,} bytes"
        if isinstance(error, MissingVariable):
            return str(error)
        if isinstance(error, TimeoutError):
            return f"it took longer than {self.timeout_s:g} s"
        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return f"it refused: {error.message}"
        if isinstance(error, (MCPError, *CONNECTION_ERRORS)):
            return "it cannot be reached, or ended without an answer"
        return "its answer cannot be understood"


async def _list_tools(client: Client) -> list[ServerTool]:
    tools: list[ServerTool] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += map(_describe, page.tools)
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools


def _describe(tool: Tool) -> ServerTool:
    hints = tool.annotations
    return ServerTool(
        tool.name,
        tool.description or "",
        tool.input_schema,
        is_read_only=hints is not None and hints.read_only_hint is True,
    )


async def _call(
    client: Client, *, offered: ServerTool, texts: Mapping[str, str]
) -> ToolOutput | ServerFailure:
    tools = {tool.name: tool for tool in await _list_tools(client)}
    tool = tools.get(offered.name)
    if tool is None:
        return ServerFailure("it has no such tool any more")
    if offered.is_read_only and not tool.is_read_only:
        return ServerFailure("the tool declares no longer that it only reads")
    arguments = read_arguments(tool.schema, texts)
    if isinstance(arguments, ServerFailure):
        return arguments
    return _read_result(await client.call_tool(tool.name, arguments))


def _read_result(result: CallToolResult) -> ToolOutput:
    texts: list[str] = []
    for part in result.content:
        if isinstance(part, TextContent):
            texts.append(part.text)
        elif isinstance(part, EmbeddedResource) and isinstance(part.resource, TextResourceContents):
            texts.append(part.resource.text)
    left_out = len(result.content) - len(texts)
    if not texts and result.structured_content is not None:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False, indent=1))
    return ToolOutput("\n\n".join(texts), result.is_error, left_out)
