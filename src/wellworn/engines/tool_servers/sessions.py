"""The conversations of a turn with servers of tools, each begun when first needed.

A server is started or connected to once in a turn, and left with the turn; what hangs or dies is
left at once, and begun again by the next question. What was being called then is not called again:
nobody knows whether it was done. What a server offers is remembered for minutes over all turns; one
that fails is left alone for one. The servers of the settings cost nothing until asked for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, MutableMapping
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

from wellworn.engines.tool_servers.models import (
    ServerFailure,
    ServerRequest,
    ServerTool,
    ToolOutput,
)
from wellworn.engines.tool_servers.settings import McpSettings, ToolServer

if TYPE_CHECKING:
    from wellworn.engines.tool_servers.session import ServerSession


_REMEMBERED_S: Final = 300.0
_LEFT_ALONE_S: Final = 60.0
_OVER: Final = ServerFailure("the turn is over")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolListing:
    """The calls that a server offers, until it is asked again."""

    tools: Mapping[str, ServerTool]
    until: float


class ToolSessions:
    """Asks servers on behalf of one turn, from whichever thread, until it is closed."""

    def __init__(
        self, settings: McpSettings, timeout_s: float, listings: MutableMapping[str, ToolListing]
    ) -> None:
        self.settings = settings
        self._timeout_s = timeout_s
        self._listings = listings
        self._sessions: dict[str, ServerSession] = {}
        self._thread = ExitStack()
        self._portal: BlockingPortal | None = None
        self._lock = Lock()
        self.is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find_tool(self, server: ToolServer, name: str) -> ServerTool | None:
        """Return a tool that may be called; None where there is none now."""
        listing = self._listings.get(server.name)
        if listing is None or listing.until < monotonic():
            listing = self._listings[server.name] = self._list(server)
        return listing.tools.get(name)

    def _list(self, server: ToolServer) -> ToolListing:
        tools = self._ask(server, ServerRequest(monotonic() + self._timeout_s))
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
        return self._ask(server, ServerRequest(monotonic() + self._timeout_s, tool, texts))

    def _ask(self, server: ToolServer, request: ServerRequest) -> Any:
        with self._lock:
            if self.is_closed:
                return _OVER
            if self._portal is None:
                self._portal = self._thread.enter_context(start_blocking_portal())
            answer = self._portal.start_task_soon(self._converse, server, request)
        return answer.result()

    async def _converse(self, server: ToolServer, request: ServerRequest) -> Any:
        """Ask; what has called nothing is asked again if the conversation ended meanwhile."""
        answer: Any = _OVER
        while not self.is_closed:
            session = self._sessions.get(server.name)
            is_new = session is None or session.is_over
            if session is None or session.is_over:
                session = self._sessions[server.name] = self._begin(server)
            answer = await session.ask(request)
            is_late = request.until < monotonic()
            if is_new or is_late or not session.is_over or not request.is_repeatable:
                break
        return answer

    def _begin(self, server: ToolServer) -> ServerSession:
        from wellworn.engines.tool_servers.session import ServerSession  # noqa: PLC0415 - loads the SDK

        return ServerSession(server, self._timeout_s, self.settings.most_bytes)

    def close(self) -> None:
        """End the conversations; what is being asked has a failure as its answer."""
        with self._lock:
            if self._portal is not None and not self.is_closed:
                self.is_closed = True
                self._portal.call(self._end)
            self.is_closed = True
            self._thread.close()

    async def _end(self) -> None:
        await asyncio.gather(*(session.end() for session in self._sessions.values()))


class ToolServers:
    """Opens what turns ask servers through; safe to use from several threads."""

    def __init__(self, settings: McpSettings, timeout_s: float) -> None:
        self.settings = settings
        self._timeout_s = timeout_s
        self._listings: dict[str, ToolListing] = {}
        self._lock = Lock()
        self._opened: set[ToolSessions] = set()

    def open(self) -> ToolSessions:
        """Return the conversations of a turn, of which none is begun yet."""
        sessions = ToolSessions(self.settings, self._timeout_s, self._listings)
        with self._lock:
            self._opened = {each for each in self._opened if not each.is_closed} | {sessions}
        return sessions

    def close(self) -> None:
        """End every conversation; what is being asked has a failure as its answer."""
        with self._lock:
            for sessions in self._opened:
                sessions.close()
