"""Filling a memory through its import endpoint, and waiting until it has settled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from benchmarks.processes import Server
from benchmarks.run import Run
from benchmarks.wire import Caller
from wellworn.engines.storage.vectors import VectorSettings

Record = Mapping[str, Any]

_BATCH = 500
_POLL_S = 0.5
_QUIET_S = 25.0
_LONGEST_BUILD_S = 1_800.0


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


def embedded(server: Server) -> None:
    """Wait until all thoughts are found by meaning."""
    with Caller(server.port) as caller:
        while (findable := caller.get("/api/v1/health")["findable"]) and (
            findable["by_meaning"] < findable["thoughts"]
        ):
            time.sleep(_POLL_S)


def settled(server: Server, points: int) -> float:
    """Wait until all is embedded and no index build is due or under way; return the seconds.

    Builds run in a child of the server, which looks every 20 s whether one is due: when no child
    was seen for longer than that, none is.
    """
    began = time.perf_counter()
    embedded(server)
    quiet_since = time.perf_counter()
    due = VectorSettings().first_build_after
    while points >= due and time.perf_counter() - quiet_since < _QUIET_S:
        if time.perf_counter() - began > _LONGEST_BUILD_S:
            raise RuntimeError("the index was not built in time")
        if server.is_building():
            quiet_since = time.perf_counter()
        time.sleep(_POLL_S)
    return quiet_since - began


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    rest = iter(records)
    while batch := list(islice(rest, _BATCH)):
        yield batch
