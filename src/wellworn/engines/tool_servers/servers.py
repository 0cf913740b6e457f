"""ToolServers: the tools of the servers of the settings; they cost nothing until asked for."""

from __future__ import annotations

from threading import Lock

from wellworn.engines.tool_servers.sessions import ToolListing, ToolSessions
from wellworn.engines.tool_servers.settings import McpSettings


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
