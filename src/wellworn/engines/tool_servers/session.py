"""ServerSession: one conversation with a server of tools, held open from question to question.

It offers the server nothing: no model, no folder, and no question to the user. One task begins it,
asks and ends it, so that whatever goes wrong with the connection ends the question that is open.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, cast

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
from wellworn.engines.tool_servers.models import (
    ServerFailure,
    ServerRequest,
    ServerTool,
    ToolOutput,
)
from wellworn.engines.tool_servers.settings import ToolServer
from wellworn.engines.tool_servers.transports import (
    CONNECTION_ERRORS,
    ByteLimit,
    MissingVariable,
    connect,
)

_MOST_PAGES: Final = 20
_LEAVE_S: Final = 5.0
_LOST: Final = "it cannot be reached, or ended without an answer"
_US: Final = Implementation(name="wellworn", version=__version__)
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Question:
    request: ServerRequest
    answer: asyncio.Future[list[ServerTool] | ToolOutput | ServerFailure] = field(
        default_factory=asyncio.Future
    )


class ServerSession:
    """A conversation that lasts until it is ended, or until the first failure."""

    def __init__(self, server: ToolServer, timeout_s: float, most_bytes: int) -> None:
        self._server = server
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes
        self._limit = ByteLimit(most_bytes)
        self._questions: asyncio.Queue[_Question | None] = asyncio.Queue()
        self._open: _Question | None = None
        self._task = asyncio.create_task(self._converse())
        self.is_over = False

    async def ask(self, request: ServerRequest) -> Any:
        """Return what a server offers or answers, or a `ServerFailure`."""
        question = _Question(request)
        self._questions.put_nowait(question)
        await asyncio.wait((question.answer, self._task), return_when=asyncio.FIRST_COMPLETED)
        return question.answer.result() if question.answer.done() else ServerFailure(_LOST)

    async def end(self) -> None:
        """Take leave of the server; a question that is open is given up."""
        if self._open is None:
            self._questions.put_nowait(None)
        else:
            self._task.cancel()
        await asyncio.wait((self._task,))

    async def _converse(self) -> None:
        try:
            async with asyncio.timeout(None) as deadline:
                await self._take_question(deadline)
                transport = connect(self._server, self._limit)
                async with Client(transport, client_info=_US, cache=None) as client:
                    while question := self._open:
                        question.answer.set_result(await _answer(client, question.request))
                        await self._take_question(deadline)
        except Exception as error:  # noqa: BLE001 - of somebody else's server anything may come
            _log.debug("the conversation with %s ended early", self._server.name, exc_info=True)
            self._fail(error)
        finally:
            self.is_over = True

    async def _take_question(self, deadline: asyncio.Timeout) -> None:
        """Wait for what is asked next, for which the server has time and bytes of its own."""
        self._open = None
        deadline.reschedule(None)
        self._open = await self._questions.get()
        self._limit.renew(self._most_bytes)
        deadline.reschedule(self._open.request.until if self._open else monotonic() + _LEAVE_S)

    def _fail(self, error: Exception) -> None:
        """Answer what is open with a failure; what happens after an answer takes none away."""
        if self._open is not None and not self._open.answer.done():
            self.is_over = True
            self._open.answer.set_result(ServerFailure(self._explain(error)))

    def _explain(self, error: BaseException) -> str:
        while isinstance(error, BaseExceptionGroup):
            error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
        if self._limit.is_passed:
            return f"it sent more than {self._most_bytes:,} bytes"
        if isinstance(error, MissingVariable):
            return str(error)
        if isinstance(error, TimeoutError):
            return f"it took longer than {self._timeout_s:g} s"
        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return f"it refused: {error.message}"
        if isinstance(error, (MCPError, *CONNECTION_ERRORS)):
            return _LOST
        return "its answer cannot be understood"


async def _answer(
    client: Client, request: ServerRequest
) -> list[ServerTool] | ToolOutput | ServerFailure:
    """Ask a server; a tool is called if it still is what it was when it was offered."""
    tools = await _list_tools(client)
    offered = request.tool
    if offered is None:
        return tools
    tool = next((tool for tool in tools if tool.name == offered.name), None)
    if tool is None:
        return ServerFailure("it has no such tool any more")
    if offered.is_read_only and not tool.is_read_only:
        return ServerFailure("the tool declares no longer that it only reads")
    arguments = read_arguments(tool.schema, request.texts)
    if isinstance(arguments, ServerFailure):
        return arguments
    request.is_repeatable = False
    return _read_result(await client.call_tool(tool.name, arguments))


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
