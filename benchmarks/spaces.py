"""What keys and seals cost: authentication, opening a sealed space, and an answer out of one.

Authentication is measured on one server, between two callers of the same space, one without a
credential and one with a key. For the rest an open space is filled, its whole data folder copied
while the server rests, and the space in the copy sealed; both are up at once and every question
goes to both in turn.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, median, quantile
from benchmarks.filling import embedded
from benchmarks.processes import Server, serving
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from benchmarks.wire import Caller

_SIZE = 50_000
_BATCH = 500
_QUESTIONS = 400
_LOOK_UPS = 2_000
_WARM_UP = 20
_RESTARTS = 3
_NO_LIMIT = "100000000"
_LONGEST_SEAL_S = 3_600.0
_LIMITS = {
    f"WELLWORN_SPACES__{kind}_A_MINUTE": _NO_LIMIT
    for kind in ("READS", "WRITES", "TRANSFERS", "ADMINISTRATION")
}


Call = Callable[[Caller, int], float]
"""Makes the call of a number as somebody and returns the seconds it took."""


@dataclass(frozen=True)
class Key:
    """A credential and the space it is used in."""

    text: str
    space: str


class Bearer(Caller):
    """A caller that shows a key with every call."""

    def __init__(self, port: int, key: Key) -> None:
        super().__init__(port)
        self._connection.timeout = _LONGEST_SEAL_S
        self._shown = {"authorization": f"Bearer {key.text}", "wellworn-space": key.space}

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Post to a path and return what it answers."""
        kind = {"content-type": "application/json"}
        return json.loads(self._exchange("POST", path, json.dumps(body).encode(), kind))

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> bytes:
        return super()._exchange(method, path, body, {**headers, **self._shown})


class Anybody(Bearer):
    """The same without a credential: the open door."""

    def __init__(self, port: int) -> None:
        super().__init__(port, Key("", ""))
        self._shown = {}


def measured(run: Run) -> list[Figure]:
    """Return the costs of authentication, of opening a sealed space, and of its answers."""
    size = run.samples(_SIZE)
    return [*_authentication(run), *_sealed(run, size)]


def _authentication(run: Run) -> list[Figure]:
    with ExitStack() as stack:
        server = stack.enter_context(serving(run.folder / "doors", **_LIMITS))
        door = stack.enter_context(Anybody(server.port))
        door.bring(islice(thoughts(_BATCH), _BATCH))
        made = door.post("/api/v1/credentials", {"name": "bearer", "role": "admin"})
        bearer = stack.enter_context(Bearer(server.port, Key(made["key"], "ks-default")))
        thought = door.asked("What happened?")[1]["result"]["sources"][0]["thought_id"]
        path = f"/api/v1/thoughts/{thought}"
        looked = _in_turns(run.samples(_LOOK_UPS), _looking_up(path), door, bearer)
        asked = _asked_in_turns(run, door, bearer)
    return [*_added("GET of one thought", *looked), *_added("memory", *asked)]


def _in_turns(count: int, call: Call, *callers: Caller) -> list[list[float]]:
    """Let each caller make each call; return the seconds of each, the first calls left out."""
    seconds: list[list[float]] = [[] for _ in callers]
    for number in range(count + _WARM_UP):
        for caller, mine in zip(callers, seconds, strict=True):
            took = call(caller, number)
            if number >= _WARM_UP:
                mine.append(took)
    return seconds


def _asked_in_turns(run: Run, *callers: Caller) -> list[list[float]]:
    count = run.samples(_QUESTIONS)
    asked = list(questions(count + _WARM_UP))

    def ask(caller: Caller, number: int) -> float:
        return caller.asked(asked[number])[0]

    return _in_turns(count, ask, *callers)


def _looking_up(path: str) -> Call:
    def look_up(caller: Caller, _number: int) -> float:
        began = time.perf_counter()
        caller.get(path)
        return time.perf_counter() - began

    return look_up


def _added(what: str, without: list[float], with_key: list[float]) -> list[Figure]:
    before, after = 1e3 * median(without), 1e3 * median(with_key)
    note = f"p50 {before:.2f} ms without a key, {after:.2f} ms with one"
    return [
        Figure(f"{what}: with a key over without", after - before, "ms", note=note),
        Figure(f"{what}: with a key against without", after / before, "times"),
    ]


def _sealed(run: Run, size: int) -> list[Figure]:
    opened, sealed = run.folder / "opened", run.folder / "sealed"
    key = _filled(run, opened, size)
    shutil.copytree(opened, sealed)
    sealing_s = _seal(run, sealed, key)
    first_s, warm_s = _first_calls(sealed, key)
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(home, **_LIMITS)) for home in (opened, sealed)]
        embedded(servers[0])
        for server in servers:
            # Opening takes longer than a server keeps the other's idle connection.
            with Bearer(server.port, key) as bearer:
                bearer.asked("What happened to the ledger?")
        callers = [stack.enter_context(Bearer(server.port, key)) for server in servers]
        seconds = _asked_in_turns(run, *callers)
        megabytes = [server.resident_mb() for server in servers]
    return [
        Figure("sealing an open space", sealing_s, "s", note=f"{size:,} thoughts"),
        _opening(first_s, warm_s),
        *_compared(seconds),
        Figure("resident memory, open", megabytes[0], "MB", note=f"{size:,} thoughts"),
        Figure("resident memory, sealed", megabytes[1], "MB", note=f"{size:,} thoughts"),
        Figure("sealed records on disk", _records_mb(sealed), "MB", note="the whole database"),
    ]


def _opening(first_s: list[float], warm_s: list[float]) -> Figure:
    spread = f"{min(first_s):.2f} to {max(first_s):.2f} s; a warm one {1e3 * median(warm_s):.1f} ms"
    name = "first call after a restart over a warm one"
    return Figure.at_most(name, median(first_s), 2, "s", spread)


def _compared(seconds: list[list[float]]) -> list[Figure]:
    opened, sealed = (1e3 * median(one) for one in seconds)
    slowest = [f"{1e3 * quantile(one, 0.95):.1f}" for one in seconds]
    note = f"p50 {opened:.1f} open, {sealed:.1f} sealed; p95 {slowest[0]} and {slowest[1]}"
    return [Figure.at_most("memory p50, sealed over open", sealed - opened, 20, "ms", note)]


def _filled(run: Run, home: Path, size: int) -> Key:
    """Make an open space with so many thoughts and wait until its index has settled."""
    with serving(home, **_LIMITS) as server:
        with Anybody(server.port) as door:
            made = door.post("/api/v1/spaces", {"name": "bench"})
        key = Key(made["issued"]["key"], made["space"]["id"])
        with Bearer(server.port, key) as bearer, run.progress("importing", size) as advance:
            for batch in _batches(size):
                bearer.bring(batch)
                advance(len(batch))
        embedded(server)
    return key


def _batches(size: int) -> Iterator[list[dict[str, Any]]]:
    rest = iter(thoughts(size))
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _seal(run: Run, home: Path, key: Key) -> float:
    run.console.print("sealing the copy; all of it is embedded again")
    with serving(home, **_LIMITS) as server, Bearer(server.port, key) as bearer:
        began = time.perf_counter()
        bearer.post(f"/api/v1/spaces/{key.space}/seal", {})
        return time.perf_counter() - began


def _first_calls(home: Path, key: Key) -> tuple[list[float], list[float]]:
    """Restart a few times; return what the first calls took over warm ones, and the warm ones."""
    over: list[float] = []
    warm: list[float] = []
    for _ in range(_RESTARTS):
        with serving(home, **_LIMITS) as server:
            _warmed(server)
            with Bearer(server.port, key) as bearer:
                first = bearer.asked("What happened to the ledger?")[0]
                later = [bearer.asked(one)[0] for one in questions(_WARM_UP)]
        warm += later
        over.append(first - median(later))
    return over, warm


def _warmed(server: Server) -> None:
    """Load the model by a call to another space, so that only opening is left to the first."""
    with Anybody(server.port) as door:
        for one in questions(_WARM_UP):
            door.asked(one)


def _records_mb(home: Path) -> float:
    return (home / "wellworn.db").stat().st_size / 1e6
