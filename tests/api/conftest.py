"""The whole server in this process, over a data folder of its own and a clock that tests move.

Fixtures: `world` (what agents say and what comes of it, embedded by word hashes: fast, and a test
can say beforehand what finds what), `meaning` (the same with the shipped model),
`lasting_world` (one for a whole module), `place` (an open space, and a sealed one), `opened` (any
other way to open one), `in_postgresql` (whether their records are there, as in the second run of
tests marked `over_both`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from starlette.testclient import TestClient

from api.sealed_world import Anywhere, founded
from api.world import World
from empty_memory import OVER_POSTGRESQL, drop_databases, of_files, over_both, put_empty_database
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings, read_settings
from wellworn.engines.embedding import Embedder, EmbeddingSettings, MiniLM
from wellworn.interfaces.server import create_asgi
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

BASE_URL = "http://127.0.0.1:3200"


@dataclass(frozen=True)
class Worlds:
    """Opens worlds; all are closed in the end."""

    home: Path
    stack: ExitStack
    in_postgresql: bool = OVER_POSTGRESQL

    def __call__(
        self,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
        home: Path | None = None,
        **client: bool,
    ) -> World:
        home = home or self.home
        settings = settings or read_settings()
        storage = put_empty_database(home, in_postgresql=self.in_postgresql)
        settings = settings.model_copy(update={"storage": storage})
        clock = ManualClock()
        app = open_app(home, settings, embedder=embedder, clock=clock)
        self.stack.callback(app.close)
        client = TestClient(create_asgi(app), base_url=BASE_URL, **client)
        return World(home, clock, app, self.stack.enter_context(client))


IN_MEMORY = Path("/dev/shm")
ROOM_ENOUGH = 2 * 1024**3
"""Bytes; a container's own may be tiny, and an index that outgrows it ends the process."""


def fast_folder() -> str | None:
    """Name a file system in memory: opening a memory flushes often, and hundreds are opened."""
    if not os.access(IN_MEMORY, os.W_OK) or shutil.disk_usage(IN_MEMORY).free < ROOM_ENOUGH:
        return None
    return str(IN_MEMORY)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `over_both` over both databases, but for what is of a file alone."""
    marks = [*metafunc.definition.iter_markers()]
    is_of_file = OVER_POSTGRESQL or of_files.mark in marks or over_both.mark not in marks
    if "in_postgresql" in metafunc.fixturenames and not is_of_file:
        where = {"file": False, "postgresql": True}
        metafunc.parametrize("in_postgresql", where.values(), ids=where, indirect=True)


@pytest.fixture(scope="module")
def in_postgresql(request: pytest.FixtureRequest) -> bool:
    return getattr(request, "param", OVER_POSTGRESQL)


@pytest.fixture
def opened(*, in_postgresql: bool) -> Iterator[Worlds]:
    with TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        stack.callback(drop_databases, Path(folder))
        yield Worlds(Path(folder) / "home", stack, in_postgresql)


@pytest.fixture
def world(opened: Worlds) -> World:
    return opened(HashEmbedder())


@pytest.fixture(scope="module")
def lasting_world(*, in_postgresql: bool) -> Iterator[World]:
    """A world that all tests of a module share, for those that leave nothing behind."""
    with TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        stack.callback(drop_databases, Path(folder))
        yield Worlds(Path(folder) / "home", stack, in_postgresql)(HashEmbedder())


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM(EmbeddingSettings())


@pytest.fixture
def meaning(opened: Worlds, minilm: MiniLM) -> World:
    return opened(minilm)


@pytest.fixture(params=["open", "sealed"])
def place(request: pytest.FixtureRequest, opened: Worlds) -> World:
    """The open door, and an owner of a sealed space."""
    if request.param == "open":
        return request.getfixturevalue("world")
    return founded(Anywhere(opened)("home"))
