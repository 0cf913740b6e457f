"""Servers of tools that tests start, and what they were called with."""

from __future__ import annotations

import sys
from pathlib import Path

SERVER = Path(__file__).with_name("tool_server.py")


def serve_tools(folder, *tools, name="team", **fields):
    """Return the settings of the test server, which notes its calls in a folder."""
    command = (sys.executable, str(SERVER), str(folder))
    return {"name": name, "command": command, "tools": tools, **fields}


def list_calls(folder):
    return _read_lines(folder / "calls.txt")


def list_starts(folder):
    """Return the ids of the processes that the test server ran in."""
    return _read_lines(folder / "starts.txt")


def _read_lines(file):
    return file.read_text("utf-8").splitlines() if file.exists() else []


def is_running(process_id):
    """Tell whether a process is there that has not ended; its parent may not know of its end."""
    file = Path(f"/proc/{process_id}/stat")
    return file.exists() and file.read_text().rpartition(")")[2].split()[0] != "Z"
