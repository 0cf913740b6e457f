"""Cold start: from nothing to the first answer, and the memory of a server that idles.

A client of MCP waits for the handshake and the tools, which a bridge tells before its server is up.

The process and the data folder are new each time; the files of the program are in the page cache.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, cast

from benchmarks.figures import Figure, median
from benchmarks.processes import await_port, ended, environment, launched
from benchmarks.run import Run
from benchmarks.wire import Caller
from wellworn.engines import daemon

_ROUNDS = 5
_IDLE_S = 2.0
_CLIENT = {"name": "benchmark", "version": "1"}
_GREETING = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": _CLIENT,
        },
    },
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def measured(run: Run) -> list[Figure]:
    """Return the time to the first answer and the resident memory after it."""
    rounds = [_round(run, number) for number in range(_ROUNDS)]
    seconds, megabytes = zip(*rounds, strict=True)
    handshakes = [_greet(run.folder / f"bridge{number}") for number in range(_ROUNDS)]
    spread = f"{min(seconds):.2f} to {max(seconds):.2f} s"
    return [
        Figure.at_most("cold start to first answer, p50 of 5", median(seconds), 3, "s", spread),
        Figure.at_most("resident memory, idle", max(megabytes), 400, "MB", "largest of 5"),
        Figure.at_most("MCP handshake and tools, p50 of 5", median(handshakes), 1, "s"),
    ]


def _round(run: Run, number: int) -> tuple[float, float]:
    began = time.perf_counter()
    server = launched(run.folder / str(number))
    try:
        await_port(server)
        with Caller(server.port) as caller:
            caller.asked("What prevents coordination collapse?")
        seconds = time.perf_counter() - began
        time.sleep(_IDLE_S)
        return seconds, server.resident_mb()
    finally:
        ended(server)


def _greet(home: Path) -> float:
    """Return the seconds until a bridge over a new data folder has told its tools."""
    home.mkdir()
    began = time.perf_counter()
    bridge = subprocess.Popen(
        [sys.executable, "-m", "wellworn", "mcp", "--home", str(home)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with bridge:
        say, hear = cast("IO[bytes]", bridge.stdin), cast("IO[bytes]", bridge.stdout)
        for message in _GREETING:
            say.write(json.dumps(message).encode() + b"\n")
            say.flush()
            hear.readline()
        seconds = time.perf_counter() - began
    daemon.stop_daemon(home)
    return seconds
