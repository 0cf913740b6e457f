"""The one process that owns a data folder: how it is kept single, found, started and stopped.

The vector engine and the database belong to one process. Every other process (command line,
MCP over stdio, scripts) is a thin client that finds that process or starts it.

Source: issue 2, point 6 (a second process gets a clear message or shares the daemon).
"""

from __future__ import annotations

from wellworn.engines.daemon.announcement import announce, find
from wellworn.engines.daemon.launch import ensure, ready, stop
from wellworn.engines.daemon.lock import Holder, hold, holder
from wellworn.engines.daemon.models import DaemonFailed, Running

__all__ = [
    "DaemonFailed",
    "Holder",
    "Running",
    "announce",
    "ensure",
    "find",
    "hold",
    "holder",
    "ready",
    "stop",
]
