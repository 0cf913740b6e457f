"""What a prompt waits for the hook: beyond a bare interpreter, and in all.

Each prompt starts a bare interpreter that makes one call, and the hook, in turn, so that whatever
else the machine does falls on both alike. Wall time is what a person waits; processor time is told
as well, as it depends less on what else runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from benchmarks.figures import Figure, median, quantile
from benchmarks.filling import embedded, filled
from benchmarks.processes import environment, serving
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from wellworn.engines import daemon

_PROMPTS = 200
_WARM_UP = 10
_USUAL = 10_000
_SESSION = 10
"""Prompts in a session, after which nothing was shown yet."""
_HOOK = (sys.executable, "-P", "-m", "wellworn.interfaces.hook", "claude-code")
_BARE = (
    "import http.client, sys; sys.stdin.buffer.read(); c = http.client.HTTPConnection(sys.argv[1]);"
    "c.request('GET', '/health/live'); c.getresponse().read()"
)


@dataclass
class Program:
    """A program that is run once a prompt, and what each run took, in seconds."""

    words: Sequence[str]
    wall: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    said: int = 0

    def run(self, home: Path, stdin: bytes) -> None:
        began = time.perf_counter()
        process = subprocess.Popen(
            self.words,
            env=environment(WELLWORN_HOME=str(home), WELLWORN_HOOK_WAIT_S="60"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with cast("IO[bytes]", process.stdin) as say:
            say.write(stdin)
        with cast("IO[bytes]", process.stdout) as hear:
            self.said += bool(hear.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall.append(time.perf_counter() - began)
        self.busy.append(usage.ru_utime + usage.ru_stime)


def measured(run: Run) -> list[Figure]:
    """Return what the hook of a prompt takes in a memory of usual size."""
    size = min(run.sizes, key=lambda size: abs(size - _USUAL))
    home, outside = run.folder / "home", run.folder / "outside"
    outside.mkdir()
    with serving(home) as server:
        filled(run, server, thoughts(size), size)
        embedded(server)
        bare = Program((sys.executable, "-c", _BARE, server.url.removeprefix("http://")))
        hook = Program(_HOOK)
        daemon.wait_until_ready(home, alive=lambda: server.process.poll() is None)
        count = run.samples(_PROMPTS) + _WARM_UP
        served = _read_busy_s(server.process.pid)
        with run.progress("prompts", count) as advance:
            for number, prompt in enumerate(questions(count)):
                event = {
                    "hook_event_name": "UserPromptSubmit",
                    "session_id": str(number // _SESSION),
                    "cwd": str(outside),
                    "prompt": prompt,
                }
                for program in (bare, hook):
                    program.run(home, json.dumps(event).encode())
                advance(1)
        served = (_read_busy_s(server.process.pid) - served) / count
    return _list_figures(size, bare, hook, served)


def _read_busy_s(pid: int) -> float:
    """Return the processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _list_figures(size: int, bare: Program, hook: Program, served: float) -> list[Figure]:
    def ms(seconds: Sequence[float], share: float = 0.5) -> float:
        return quantile(seconds[_WARM_UP:], share) * 1000

    own = ms(hook.wall) - ms(bare.wall)
    busy = (median(hook.busy[_WARM_UP:]) - median(bare.busy[_WARM_UP:])) * 1000
    told = f"{hook.said} of {len(hook.wall)} prompts were shown something"
    return [
        Figure.at_most("hook beyond a bare interpreter, p50", own, 80, "ms", "wall time"),
        Figure("the same, processor time of the hook", busy, "ms"),
        Figure("processor time of the server for a prompt, mean", served * 1000, "ms"),
        Figure("bare interpreter with one call, p50", ms(bare.wall), "ms"),
        Figure("hook, p50", ms(hook.wall), "ms"),
        Figure.at_most(f"hook, p95, {size:,} thoughts", ms(hook.wall, 0.95), 150, "ms", told),
    ]
