"""Cold start: from nothing to the first answer, and the memory of a server that idles.

The process and the data folder are new each time; the files of the program are in the page cache.
"""

from __future__ import annotations

import time

from benchmarks.figures import Figure, median
from benchmarks.processes import await_port, ended, launched
from benchmarks.run import Run
from benchmarks.wire import Caller

_ROUNDS = 5
_IDLE_S = 2.0


def measured(run: Run) -> list[Figure]:
    """Return the time to the first answer and the resident memory after it."""
    rounds = [_round(run, number) for number in range(_ROUNDS)]
    seconds, megabytes = zip(*rounds, strict=True)
    spread = f"{min(seconds):.2f} to {max(seconds):.2f} s"
    return [
        Figure.at_most("cold start to first answer, p50 of 5", median(seconds), 3, "s", spread),
        Figure.at_most("resident memory, idle", max(megabytes), 400, "MB", "largest of 5"),
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
