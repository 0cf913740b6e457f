"""What hostile texts of a megabyte cost, door by door: processor seconds, and who waits meanwhile.

A server takes each text as a file of several kinds and as an import; as a prompt, a search and a
name as much of it as the door takes. Counted is the processor time of the server and its children
from the call until it answers. What goes on in the background is waited for before the next text:
embedding, some 20 milliseconds a passage, is counted as far as it goes on beside the call.
"""

from __future__ import annotations

import os
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.hostile_texts import HOSTILE
from benchmarks.processes import Server, serving
from benchmarks.run import Run
from benchmarks.spaces import Anybody

_LENGTH, _QUICK_LENGTH, _PROMPT = 1_000_000, 20_000, 10_000
_FILES = ("md", "txt", "html", "csv", "json", "yaml", "toml", "ini", "py")
_MOST_S, _MOST_LIVE_S, _PAUSE_S = 5.0, 0.2, 0.02
_REST_S, _LOOKED_EVERY_S = 0.1, 0.5
_TICKS = os.sysconf("SC_CLK_TCK")
Door = Callable[[Anybody, str], object]


def measured(run: Run) -> list[Figure]:
    """Return of each door what the worst text costs there."""
    doors = {**{f"file .{ending}": _upload(ending) for ending in _FILES}, **_DOORS}
    length = _QUICK_LENGTH if run.quick else _LENGTH
    texts = [*HOSTILE][:: 40 if run.quick else 1]
    figures: list[Figure] = []
    with serving(run.folder / "home") as server, Anybody(server.port) as door:
        for name, send in doors.items():
            costs: dict[str, float] = {}
            with _Watch(server) as watch, run.progress(name, len(texts)) as advance:
                for text in texts:
                    before = _measure_processor_s(server.process.pid)
                    send(door, HOSTILE[text](length))
                    costs[text] = _measure_processor_s(server.process.pid) - before
                    _await_rest(server.process.pid)
                    advance(1)
            worst = max(costs, key=costs.__getitem__)
            figures += [
                Figure.at_most(f"{name}: processor time", costs[worst], _MOST_S, "s", worst),
                Figure.at_most(f"{name}: /health/live", watch.longest_s, _MOST_LIVE_S, "s"),
            ]
    return figures


def _upload(ending: str) -> Door:
    def send(door: Anybody, text: str) -> None:
        made = door.post(
            "/api/knowledge/sources", {"source_type": "upload", "name": f"bomb {time.time()}"}
        )
        source = f"/api/knowledge/sources/{made['id']}"
        door.send("PUT", f"{source}/files/a.{ending}", text.encode("utf-8", "replace"))
        door.send("DELETE", source)  # the next text stands alone

    return send


def _import(door: Anybody, text: str) -> None:
    said = {"record": "thought", "contributor_id": "ada", "contributor_name": "Ada"}
    parts = (text[at : at + _PROMPT] for at in range(0, len(text), _PROMPT))
    door.bring({**said, "content": part} for part in parts if part.strip())


def _remember(door: Anybody, text: str) -> None:
    said = {"agent_id": "ada", "agent_name": "Ada", "context": text[:2_000]}
    door.post("/api/v1/memory", {**said, "prompt": text[:_PROMPT]})


def _look_up(door: Anybody, text: str) -> None:
    door.get(f"/api/v1/search?{urllib.parse.urlencode({'q': text[:2_000]})}")
    door.post("/api/knowledge/resolve", {"term": text[:200], "context": text[:2_000]})


_DOORS: dict[str, Door] = {"import": _import, "memory": _remember, "search and resolve": _look_up}


class _Watch:
    """Asks whether the server lives, again and again, and keeps the longest wait."""

    def __init__(self, server: Server) -> None:
        self._port = server.port
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.longest_s = 0.0

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(_PAUSE_S):
            with Anybody(self._port) as door:
                began = time.perf_counter()
                door.get("/health/live")
                self.longest_s = max(self.longest_s, time.perf_counter() - began)


def _await_rest(pid: int) -> None:
    """Wait until a server does next to nothing."""
    before = -1.0
    while (now := _measure_processor_s(pid)) - before > _REST_S:
        before = now
        time.sleep(_LOOKED_EVERY_S)


def _measure_processor_s(pid: int) -> float:
    """Return the processor time of a process and its children, living and dead; Linux only."""
    total, pids = 0.0, [pid]
    while pids:
        number = pids.pop()
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / _TICKS
        pids += _list_children(number)
    return total


def _list_children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())
