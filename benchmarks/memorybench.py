"""wellworn for the memorybench harness, which judges memory systems side by side.

    python -m memorybench.run --system benchmarks.memorybench:make --tasks locomo --split dev

A system there is the two methods of one here. Each corpus gets a fresh server, and questions wait
until its index is built.
"""

from __future__ import annotations

import atexit
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from benchmarks.filling import embedded
from benchmarks.processes import Server, serving
from benchmarks.retrieval.served import ServedMemory


class Host:
    """Runs one server at a time and knows it, so that its index can be waited for."""

    def __init__(self) -> None:
        self._server: Server | None = None

    @contextmanager
    def run(self, home: Path) -> Generator[str]:
        """Run a server until the block ends; gives its address."""
        with serving(home) as server:
            self._server = server
            yield server.url

    def settle(self, _points: int) -> None:
        """Wait until all is found by meaning."""
        if self._server is not None:
            embedded(self._server)


def make(method: Literal["hybrid", "vector"] | None = None) -> ServedMemory:
    """Return wellworn as shipped."""
    host = Host()
    memory = ServedMemory(host.run, method=method, settle=host.settle)
    atexit.register(memory.close)
    return memory


def make_vector() -> ServedMemory:
    """Return wellworn by vectors alone."""
    return make("vector")
