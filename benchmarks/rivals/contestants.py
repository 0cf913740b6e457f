"""wellworn and its rivals behind one shape, for what they cost: index, ask, count, kill.

Each is a process over a folder of its own. wellworn is asked over HTTP, as an agent asks it; rivals
are asked through pipes, within the process that has their store open, which costs them less.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from benchmarks.processes import Server, ended, serving
from benchmarks.retrieval.models import Doc
from benchmarks.retrieval.records import records
from benchmarks.rivals.environments import Recipe, install
from benchmarks.rivals.process import Lines, running
from benchmarks.rivals.texts import told
from benchmarks.wire import Caller

RESULTS: Final = 10
_BATCH: Final = 64


class Contestant(Protocol):
    """One running memory."""

    version: str

    @property
    def pid(self) -> int: ...

    def index(self, docs: Sequence[Doc]) -> None:
        """Return once all is acknowledged."""
        ...

    def settle(self, docs: Sequence[Doc]) -> None:
        """Return once what was indexed is found by meaning as well."""
        ...

    def ask(self, question: str) -> float:
        """Return the seconds that ten results took."""
        ...

    def count(self) -> int:
        """Return how many units are kept."""
        ...


@dataclass(frozen=True)
class Entry:
    """One line of the comparison; `recipe` is None for wellworn."""

    name: str
    recipe: Recipe | None = None
    strategy: str = ""

    def prepare(self, environments: Path) -> str:
        """Return the Python that runs it; raise RivalNotInstalled."""
        return install(self.recipe, environments) if self.recipe else ""

    def open(
        self, python: str, folder: Path, encoder_url: str
    ) -> AbstractContextManager[Contestant]:
        """Run it over a folder that exists; it is killed with SIGKILL when the block ends."""
        if self.recipe is None:
            return _open_wellworn(folder / "home")
        settings = {"RIVAL_ENCODER_URL": encoder_url, "RIVAL_STRATEGY": self.strategy}
        return _open_rival([python, "-m", self.recipe.module], settings, folder)


class _Served:
    def __init__(self, server: Server, caller: Caller) -> None:
        self.version = str(caller.get("/api/v1/health")["version"])
        self._server = server
        self._caller = caller

    @property
    def pid(self) -> int:
        return self._server.process.pid

    def index(self, docs: Sequence[Doc]) -> None:
        self._bring(docs, "words")

    def settle(self, docs: Sequence[Doc]) -> None:
        # Asking how far it is would count as a call, for which embedding makes way.
        self._bring(docs, "embedded")

    def ask(self, question: str) -> float:
        self._caller.reconnect()  # other systems had their turn, or took long to be filled
        return self._caller.asked(question, limit=RESULTS)[0]

    def count(self) -> int:
        return self._caller.get("/api/v1/health")["findable"]["thoughts"]

    def _bring(self, docs: Sequence[Doc], wait: str) -> None:
        batch = [*records(docs)]
        for start in range(0, len(batch), _BATCH):
            self._caller.bring(batch[start : start + _BATCH], wait=wait)


class _Piped:
    def __init__(self, lines: Lines) -> None:
        self.version = str(lines.read()["version"])
        self._lines = lines

    @property
    def pid(self) -> int:
        return self._lines.pid

    def index(self, docs: Sequence[Doc]) -> None:
        self._lines.ask({"index": [told(doc) for doc in docs]})

    def settle(self, docs: Sequence[Doc]) -> None:
        """Return at once: rivals embed before they acknowledge."""

    def ask(self, question: str) -> float:
        began = time.perf_counter()
        self._lines.ask({"search": question, "k": RESULTS})
        return time.perf_counter() - began

    def count(self) -> int:
        return self._lines.ask({"count": True})["count"]


@contextmanager
def _open_wellworn(home: Path) -> Generator[Contestant]:
    with serving(home) as server, Caller(server.port) as caller:
        try:
            yield _Served(server, caller)
        finally:
            server.process.kill()
            ended(server)


@contextmanager
def _open_rival(
    command: list[str], settings: dict[str, str], folder: Path
) -> Generator[Contestant]:
    with running(command, settings, folder) as lines:
        yield _Piped(lines)
