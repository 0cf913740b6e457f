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
    file = folder / "calls.txt"
    return file.read_text("utf-8").splitlines() if file.exists() else []
