"""What others wait for while slow readers, slow syncs and unfinished requests come at once.

Each round has a server of its own on a copy of one data folder. A client in a process of its own
asks as a member, one question after the other: while it is alone, while a crowd in another process
arrives, and once all of it is there. The crowd comes without a credential, or as ten members.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, quantile
from benchmarks.filling import embedded, filled
from benchmarks.processes import serving
from benchmarks.run import Run
from benchmarks.spaces import Anybody, Bearer, Key
from benchmarks.texts import questions, thoughts

READERS, SYNCS, UNFINISHED = 120, 60, 1_000
_THOUGHTS, _MEMBERS, _ROUNDS = 1_000, 10, 3
_QUIET_S, _THERE_S, _LEAST_ARRIVING_S, _LONGEST_ARRIVING_S = 5.0, 5.0, 2.0, 20.0
_WARM_UP, _PAUSE_S = 100, 0.2
_MOST_TIMES_QUIET = 3.0
_REFUSED, _COMES_AGAIN_S = b"HTTP/1.1 503", 1.0
_PHASES = ("quiet", "arriving", "there")
_SETTINGS = {
    f"WELLWORN_{name}": value
    for name, value in (
        ("FETCH__PRIVATE_NETWORKS", '["127.0.0.0/8"]'),
        ("SPACES__READS_A_MINUTE", "100000000"),
        ("SPACES__WRITES_A_MINUTE", "100000000"),
    )
}
_FORKING = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class World:
    """A data folder to copy, what is in it, and where its sources' pages trickle."""

    home: Path
    site: socket.socket
    sources: Sequence[int]
    asker: str
    members: Sequence[str]


@dataclass
class Waits:
    """Seconds of the client's answers by phase, and how many calls were refused."""

    seconds: Mapping[str, list[float]] = field(default_factory=lambda: {p: [] for p in _PHASES})
    refused: int = 0

    def sort_in(self, calls: Sequence[tuple[float, float, bool]], bounds: Sequence[float]) -> None:
        """Add calls to the phases in which they began; each phase ends at a bound."""
        for began, took, is_answered in calls:
            phase = sum(began >= bound for bound in bounds)
            if is_answered:
                self.seconds[_PHASES[phase]].append(took)
            else:
                self.refused += 1

    def measure(self, phase: str, share: float) -> float:
        return quantile(self.seconds[phase], share)


def measured(run: Run) -> list[Figure]:
    """Return what a member waits for in each phase, for both crowds."""
    with socket.create_server(("127.0.0.1", 0), backlog=SYNCS) as site:
        world = _make_world(run, site)
        figures: list[Figure] = []
        for name, keys in (("at the open door", ()), (f"of {_MEMBERS} members", world.members)):
            waits = Waits()
            rounds = run.samples(_ROUNDS)
            with run.progress(f"a crowd {name}", rounds) as advance:
                for number in range(rounds):
                    _play_round(world, run.folder / f"{number}-{len(keys)}", keys, waits)
                    advance(1)
            figures += _describe(name, waits)
    return figures


def _make_world(run: Run, site: socket.socket) -> World:
    home, size = run.folder / "home", run.samples(_THOUGHTS)
    with serving(home, **_SETTINGS) as server, Anybody(server.port) as door:
        filled(run, server, thoughts(size), size)
        embedded(server)
        keys = [
            door.post("/api/v1/credentials", {"name": f"member-{number}", "role": "admin"})["key"]
            for number in range(_MEMBERS + 1)
        ]
        sources = []
        for number in range(SYNCS):
            url = f"http://127.0.0.1:{site.getsockname()[1]}/{number}.md"
            source = {"source_type": "url", "name": f"page {number}", "config": {"url": url}}
            sources.append(door.post("/api/knowledge/sources", source)["id"])
    return World(home, site, sources, keys[0], keys[1:])


def _play_round(world: World, home: Path, keys: Sequence[str], waits: Waits) -> None:
    shutil.copytree(world.home, home)
    with serving(home, **_SETTINGS) as server:
        asker, asking = _begin(_ask, server.port, world.asker)
        asker.recv()
        crowd, crowding = _begin(_arrive, server.port, world, keys)
        crowd.recv()
        began = time.monotonic()
        time.sleep(_QUIET_S)
        bounds = [time.monotonic()]
        crowd.send("come")
        bounds.append(crowd.recv())
        time.sleep(_THERE_S)
        asker.send("end")
        calls = asker.recv()
        crowd.send("leave")
        server.process.kill()
        asking.join()
        crowding.join()
    waits.sort_in([call for call in calls if call[0] >= began], bounds)
    shutil.rmtree(home)


def _begin(target: Any, *more: Any) -> tuple[Connection, Any]:
    here, there = _FORKING.Pipe()
    process = _FORKING.Process(target=target, args=(there, *more), daemon=True)
    process.start()
    there.close()
    return here, process


def _describe(name: str, waits: Waits) -> list[Figure]:
    figures = [
        Figure(
            f"crowd {name}, {phase}: p99",
            waits.measure(phase, 0.99) * 1e3,
            "ms",
            note=f"p50 {waits.measure(phase, 0.5) * 1e3:.1f} ms, most "
            f"{waits.measure(phase, 1) * 1e3:.0f} ms, of {len(waits.seconds[phase])} calls",
        )
        for phase in _PHASES
    ]
    for phase in _PHASES[1:]:
        ratio = waits.measure(phase, 0.99) / waits.measure("quiet", 0.99)
        middle = waits.measure(phase, 0.5) / waits.measure("quiet", 0.5)
        title = f"crowd {name}, {phase}: p99 by that of quiet"
        note = f"p50 {middle:.2f} times"
        figures.append(Figure.at_most(title, ratio, _MOST_TIMES_QUIET, "times", note))
    return [*figures, Figure.at_most(f"crowd {name}: calls refused", waits.refused, 0, "")]


def _ask(told: Connection, port: int, key: str) -> None:
    """Ask until told to end; tell when each call began, its seconds and whether it was answered."""
    calls: list[tuple[float, float, bool]] = []
    asked = questions(1_000, seed=1)
    with Bearer(port, Key(key, "ks-default")) as caller:
        while not told.poll():
            began, is_answered = time.monotonic(), True
            try:
                caller.asked(asked[len(calls) % len(asked)])
            except RuntimeError:
                is_answered = False
            calls.append((began, time.monotonic() - began, is_answered))
            if len(calls) == _WARM_UP:
                told.send("warm")
    told.send(calls)


def _arrive(told: Connection, port: int, world: World, keys: Sequence[str]) -> None:
    """Come when told to, tell when all are there, and stay until told to leave."""
    asyncio.run(_Crowd(port, world, keys).come(told))


class _Crowd:
    """Those who hold up others, with the site whose pages trickle."""

    def __init__(self, port: int, world: World, keys: Sequence[str]) -> None:
        self._port, self._world = port, world
        self._keys = keys
        self._is_fetched = asyncio.Event()
        self._connections: list[asyncio.StreamWriter] = []
        self._waiting: list[asyncio.Task[None]] = []

    async def come(self, told: Connection) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.start_server(self._trickle, sock=self._world.site)
        told.send("ready")
        await loop.run_in_executor(None, told.recv)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_ARRIVING_S):
                await asyncio.gather(
                    asyncio.sleep(_LEAST_ARRIVING_S),
                    self._is_fetched.wait(),
                    *(self._read_little(number) for number in range(READERS)),
                    *(self._sync(number) for number in range(SYNCS)),
                    *(self._begin_asking(number) for number in range(UNFINISHED)),
                )
        told.send(time.monotonic())
        await loop.run_in_executor(None, told.recv)

    async def _read_little(self, number: int) -> None:
        """Ask for an export and read its first bytes alone."""
        reader = await self._send(number, "GET /api/v1/export", limit=1)
        await reader.read(1)

    async def _sync(self, number: int) -> None:
        """Ask for a sync, as clients do: again after a second where it is refused."""
        source = self._world.sources[number]
        reader = await self._send(number, f"POST /api/knowledge/sources/{source}/sync")
        self._waiting.append(asyncio.create_task(self._come_again(number, reader)))

    async def _come_again(self, number: int, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            if (await reader.readexactly(len(_REFUSED))) == _REFUSED:
                await asyncio.sleep(_COMES_AGAIN_S)
                await self._sync(number)

    async def _begin_asking(self, number: int) -> None:
        """Send half of a body, or half of a head."""
        more = "content-type: application/json\r\ncontent-length: 900\r\n"
        end = "\r\n{" if number % 2 else "x-half: "
        await self._send(number, "POST /api/v1/memory", more + end, is_whole=False)

    async def _send(
        self, number: int, line: str, more: str = "", *, is_whole: bool = True, limit: int = 1_024
    ) -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=limit)
        self._connections.append(writer)
        key = f"x-api-key: {self._keys[number % len(self._keys)]}\r\n" if self._keys else ""
        head = f"{line} HTTP/1.1\r\nhost: 127.0.0.1\r\n{key}{more}"
        writer.write((head + "\r\n" if is_whole else head).encode())
        return reader

    async def _trickle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer with a page that takes hours."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            self._is_fetched.set()
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/markdown\r\ncontent-length: 90000\r\n\r\n"
            )
            while True:
                writer.write(b"a")
                await writer.drain()
                await asyncio.sleep(_PAUSE_S)
