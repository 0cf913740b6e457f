"""A real `wellworn serve` on a free port with a data folder of its own, for stories told whole.

Fixtures: `home` (an empty data folder), `serve` (starts a server on any folder), `server` (one
that already runs on `home`), `wellworn` (runs the command line against `home`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from empty_memory import put_empty_database
from forked_processes import ForkedProcess, run_command
from patience import LONG_S
from wellworn.engines import daemon

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Server:
    """A server process under test; `url` has no slash at its end."""

    home: Path
    url: str
    process: ForkedProcess

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        """End it as a power cut would: SIGKILL, no farewell."""
        self.process.kill()
        self.process.wait(timeout=LONG_S)


class Serve(Protocol):
    def __call__(self, home: Path, *words: str, **environment: str) -> Server: ...


class Command(Protocol):
    def __call__(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]: ...


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """Return this process's environment without its WELLWORN_ settings, with `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WELLWORN_")}
    path = os.pathsep.join(filter(None, [str(SOURCE), kept.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONPATH": path, "WELLWORN_HOME": str(home), "NO_COLOR": "1", **more}


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "wellworn", *words]


@contextmanager
def serving(home: Path, *words: str, **environment: str) -> Iterator[Server]:
    """Run `wellworn serve` on a free port until the block ends."""
    home.mkdir(parents=True, exist_ok=True)
    log = home.parent / f"{home.name}.log"
    log.touch()
    options = ["--home", str(home), "--port", "0", *words]
    variables = clean_environment(home, **environment)
    process = ForkedProcess("serve", *options, environment=variables, out=log)
    try:
        running = _first_answer(home, process, log)
        yield Server(home=home, url=running.url, process=process)
    finally:
        _end(process)


def _first_answer(home: Path, process: ForkedProcess, log: Path) -> daemon.RunningDaemon:
    try:
        return daemon.wait_until_ready(home, alive=lambda: process.poll() is None, timeout_s=LONG_S)
    except daemon.DaemonFailed as failure:
        pytest.fail(f"{failure}\n{log.read_text(errors='replace')[-4000:]}", pytrace=False)


def _end(process: ForkedProcess) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=LONG_S)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty data folder; a daemon that a test left running on it is ended."""
    folder = tmp_path / "home"
    yield folder
    daemon.stop_daemon(folder)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers; all are ended with the test."""
    with ExitStack() as stack:

        def start(home: Path, *words: str, **environment: str) -> Server:
            return stack.enter_context(serving(home, *words, **environment))

        yield start


@pytest.fixture
def server(home: Path, serve: Serve) -> Server:
    """A server with an empty memory."""
    put_empty_database(home)
    return serve(home)


@pytest.fixture
def wellworn(home: Path) -> Command:
    """Run the command line on `home` and return what it printed."""

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return run_command(*words, environment=clean_environment(home), given=stdin)

    return run
