"""Filling a memory through its import endpoint, and waiting until it has settled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from benchmarks.processes import Server
from benchmarks.run import Run
from benchmarks.wire import Caller

Record = Mapping[str, Any]

_BATCH = 500
_POLL_S = 0.5


def filled(
    run: Run,
    server: Server,
    records: Iterable[Record],
    total: int,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> float:
    """Import all records, or until it is `enough`; return the seconds it took."""
    began = time.perf_counter()
    what = f"importing {total:,} thoughts"
    with Caller(server.port) as caller, run.progress(what, total) as advance:
        for batch in _batches(records):
            caller.bring(batch)
            advance(len(batch))
            if enough():
                break
    return time.perf_counter() - began


def embedded(server: Server) -> float:
    """Wait until all thoughts are found by meaning; return the seconds."""
    began = time.perf_counter()
    with Caller(server.port) as caller:
        while (findable := caller.get("/api/v1/health")["findable"]) and (
            findable["by_meaning"] < findable["thoughts"]
        ):
            time.sleep(_POLL_S)
    return time.perf_counter() - began


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    rest = iter(records)
    while batch := list(islice(rest, _BATCH)):
        yield batch
