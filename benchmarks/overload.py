"""200 clients at once: what those who are answered wait for, and how many are refused."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.figures import Figure, quantile
from benchmarks.filling import embedded, filled
from benchmarks.processes import serving
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from benchmarks.wire import memory_body

_CLIENTS = 200
_THOUGHTS = 1_000
_SECONDS = 8.0
_BOUNDS = {"AT_ONCE": "32", "MOST_WAITING": "1000000", "MOST_OF_A_CALLER": "1000000"}
_UNBOUNDED = {f"WELLWORN_SLOTS__{name}": bound for name, bound in _BOUNDS.items()}


@dataclass
class Crowd:
    """What came of the calls: seconds of those answered, and how often each status came."""

    waits_s: list[float] = field(default_factory=list[float])
    statuses: Counter[str] = field(default_factory=Counter[str])


def measured(run: Run) -> list[Figure]:
    """Return what clients wait for with a queue without bounds and with the defaults."""
    unbounded = _crowd(run, "unbounded", _UNBOUNDED)
    bounded = _crowd(run, "bounded", {})
    before, after = (
        [quantile(crowd.waits_s, share) for share in (0.5, 0.99)] for crowd in (unbounded, bounded)
    )
    note = (
        f"p99 {after[1]:.2f} s against p50 {before[0]:.2f} s and p99 {before[1]:.2f} s "
        f"in a queue without bounds; {dict(bounded.statuses)}"
    )
    return [Figure.at_most("wait of 200 clients, p50", after[0], 2.5, "s", note)]


def _crowd(run: Run, name: str, settings: dict[str, str]) -> Crowd:
    size = run.samples(_THOUGHTS)
    with serving(run.folder / name, **settings) as server:
        filled(run, server, thoughts(size), size)
        embedded(server)
        return asyncio.run(_flood(server.port))


async def _flood(port: int) -> Crowd:
    crowd, until = Crowd(), time.perf_counter() + _SECONDS
    asked = questions(_CLIENTS, seed=1)
    await asyncio.gather(*(_client(port, text, until, crowd) for text in asked))
    return crowd


async def _client(port: int, text: str, until: float, crowd: Crowd) -> None:
    body = memory_body(text, agent_id="crowd")
    head = (
        "POST /api/v1/memory HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (began := time.perf_counter()) < until:
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(answer.partition(b"content-length:")[2].split(b"\r\n")[0]))
        status = answer[9:12].decode()
        crowd.statuses[status] += 1
        if status == "200":
            crowd.waits_s.append(time.perf_counter() - began)
        else:
            await asyncio.sleep(1)
    writer.close()
