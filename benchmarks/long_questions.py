"""What a member waits for while another sends forty questions of 9,900 characters at once.

One server; a client in this process asks short questions, alone and beside the crowd, which is in
a process of its own, in turns. What the machine does otherwise slows both.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from contextlib import suppress

from benchmarks.figures import Figure, quantile
from benchmarks.filling import embedded, filled
from benchmarks.processes import await_rest, serving
from benchmarks.run import Run
from benchmarks.spaces import Anybody, Bearer, Key
from benchmarks.texts import questions, thoughts

_CLIENTS, _LENGTH, _THOUGHTS, _ROUNDS = 40, 9_900, 1_000, 4
_ALONE_S, _BESIDE_S, _SETTLED_S, _WARM_UP = 6.0, 12.0, 1.0, 50
_MOST_TIMES = 3.0
_AGENT = {"agent_id": "mallory", "agent_name": "Mallory"}
_DOORS = {
    "memory": ("/api/v1/memory", "prompt"),
    "turns": ("/api/v1/turns", "query"),
}
_LIMITS = {
    f"WELLWORN_SPACES__{kind}_A_MINUTE": "100000000" for kind in ("READS", "WRITES", "TRANSFERS")
}
_FORKING = multiprocessing.get_context("fork")


def measured(run: Run) -> list[Figure]:
    """Return by how many times longer a member waits beside long questions at each door."""
    size = run.samples(_THOUGHTS)
    with serving(run.folder / "home", **_LIMITS) as server:
        with Anybody(server.port) as door:
            filled(run, server, thoughts(size), size)
            embedded(server)
            keys = [
                Key(
                    door.post("/api/v1/credentials", {"name": name, "role": "contributor"})["key"],
                    "ks-default",
                )
                for name in ("asker", "mallory")
            ]
        figures: list[Figure] = []
        for name, place in _DOORS.items():
            alone: list[float] = []
            beside: list[float] = []
            for _ in range(run.samples(_ROUNDS)):
                alone += _ask(server.port, keys[0], _ALONE_S)
                crowd = _FORKING.Process(
                    target=_crowd, args=(server.port, keys[1], *place), daemon=True
                )
                crowd.start()
                time.sleep(_SETTLED_S)
                beside += _ask(server.port, keys[0], _BESIDE_S)
                crowd.kill()
                crowd.join()
                await_rest(server)
            figures += _compare(name, alone, beside)
    return figures


def _ask(port: int, key: Key, seconds: float) -> list[float]:
    """Ask on a connection of its own: the server closes one that rests between two rounds."""
    asked, waits = questions(1_000, seed=2), list[float]()
    with Bearer(port, key) as asker:
        for text in asked[-_WARM_UP:]:
            asker.asked(text)
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            waits.append(asker.asked(asked[len(waits) % len(asked)])[0])
    return waits


def _crowd(port: int, key: Key, path: str, field: str) -> None:
    """Ask until the process is killed."""
    asked = questions(10 * _LENGTH // 20)

    def ask_on(number: int) -> None:
        text = " ".join(asked[number:] + asked[:number])[:_LENGTH]
        while True:
            with suppress(OSError, RuntimeError), Bearer(port, key) as caller:
                caller.post(path, {**_AGENT, field: text})

    clients = [threading.Thread(target=ask_on, args=(at,)) for at in range(_CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()


def _compare(name: str, alone: list[float], beside: list[float]) -> list[Figure]:
    figures: list[Figure] = []
    for what, share in (("p50", 0.5), ("p99", 0.99), ("worst", 1.0)):
        before, after = (quantile(waits, share) for waits in (alone, beside))
        note = f"{before * 1e3:.1f} ms alone, {after * 1e3:.1f} ms beside"
        title = f"beside long questions to {name}: {what}"
        figures.append(Figure.at_most(title, after / before, _MOST_TIMES, "times", note))
    return figures
