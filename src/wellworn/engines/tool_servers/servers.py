"""ToolServers: the tools of the servers that the settings name; they cost nothing until asked for.

A server is started or connected to for one call, and left after it: what hangs or dies takes
nothing along. What a server offers is remembered for minutes; one that fails is left alone for one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final

from wellworn.engines.tool_servers.models import ServerFailure, ServerTool, ToolOutput
from wellworn.engines.tool_servers.settings import McpSettings, ToolServer

if TYPE_CHECKING:
    from wellworn.engines.tool_servers.session import ServerSession

_REMEMBERED_S: Final = 300.0
_LEFT_ALONE_S: Final = 60.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolListing:
    """What a server offers of what may be called, until it is asked again."""

    tools: Mapping[str, ServerTool]
    until: float


class ToolServers:
    """Asks the servers of the settings; safe to use from several threads."""

    def __init__(self, settings: McpSettings, timeout_s: float) -> None:
        self.servers = settings.servers
        self._settings = settings
        self._timeout_s = timeout_s
        self._listings: dict[str, ToolListing] = {}
        self._locks = {server.name: Lock() for server in settings.servers}

    def find_tool(self, server: ToolServer, name: str) -> ServerTool | None:
        """Return a tool that may be called; None where there is none now."""
        with self._locks[server.name]:
            listing = self._listings.get(server.name)
            if listing is None or listing.until < monotonic():
                listing = self._listings[server.name] = self._list(server)
        return listing.tools.get(name)

    def _list(self, server: ToolServer) -> ToolListing:
        tools = asyncio.run(self._session.list_tools(server))
        if isinstance(tools, ServerFailure):
            _log.warning("no tool of %s can be called: %s", server.name, tools.message)
            return ToolListing({}, monotonic() + _LEFT_ALONE_S)
        by_name = {tool.name: tool for tool in tools}
        callable_ = {name: by_name[name] for name in server.tools if name in by_name}
        if not server.may_change:
            callable_ = {name: tool for name, tool in callable_.items() if tool.is_read_only}
        for name in (name for name in server.tools if name not in callable_):
            reason = "may change something" if name in by_name else "does not exist"
            _log.warning("the tool %s of %s is not called: it %s", name, server.name, reason)
        return ToolListing(callable_, monotonic() + _REMEMBERED_S)

    def call(
        self, server: ToolServer, tool: ServerTool, texts: Mapping[str, str]
    ) -> ToolOutput | ServerFailure:
        """Call a tool with its arguments as texts; a failure is an answer like any other."""
        return asyncio.run(self._session.call(server, tool, texts))

    @cached_property
    def _session(self) -> ServerSession:
        from wellworn.engines.tool_servers.session import ServerSession  # noqa: PLC0415 - loads the SDK

        return ServerSession(self._timeout_s, self._settings.most_bytes)
