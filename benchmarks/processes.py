"""Real servers in processes of their own, on empty folders, and what can be seen of them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_START_S = 60.0
_END_S = 20.0
_REST_S, _LOOKED_EVERY_S, _MOST_LOOKS = 0.05, 0.2, 50
_TICKS = os.sysconf("SC_CLK_TCK")
_BLOCK = 512  # bytes, whatever the file system says of its own


@dataclass(frozen=True)
class Server:
    """A running `wellworn serve`."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def resident_mb(self) -> float:
        """Return the resident memory of the process in megabytes (10^6 bytes)."""
        return resident_mb(self.process.pid)


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process, without its children, in megabytes (10^6 bytes)."""
    words = ["ps", "-o", "rss=", "-p", str(pid)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return int(told) * 1024 / 1e6


def disk_mb(folder: Path) -> float:
    """Return what the files below a folder take on the disk, in megabytes (10^6 bytes)."""
    return sum(path.lstat().st_blocks for path in folder.rglob("*")) * _BLOCK / 1e6


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment with the sources in reach and no settings of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WELLWORN_")}
    # What users run is compiled; without, each hook and server would be compiled anew.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), str(ROOT), kept.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, **more}


def launched(home: Path, *, module: str = "wellworn", **settings: str) -> Server:
    """Start a server on a free port and return at once; it does not answer yet.

    The module is called as the command `wellworn` is.
    """
    port = _free_port()
    home.parent.mkdir(parents=True, exist_ok=True)
    log = home.with_suffix(".log")
    words = ["-m", module, "serve", "--home", str(home), "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, *words],
            env=environment(**settings),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    return Server(process, port, log)


@contextmanager
def serving(home: Path, *, module: str = "wellworn", **settings: str) -> Generator[Server]:
    """Run a server until the block ends."""
    server = launched(home, module=module, **settings)
    try:
        await_port(server)
        yield server
    finally:
        ended(server)


def await_port(server: Server) -> None:
    """Wait until the server takes connections.

    Raises:
        RuntimeError: it ended or took too long; the message has the end of its log.
    """
    deadline = time.monotonic() + _START_S
    while not _accepts(server.port):
        if server.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server did not start:\n{server.log.read_text()[-2000:]}")
        time.sleep(0.005)


def ended(server: Server) -> None:
    """End the server, by force if need be."""
    server.process.terminate()
    try:
        server.process.wait(_END_S)
    except subprocess.TimeoutExpired:
        server.process.kill()
        server.process.wait()


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_rest(server: Server) -> None:
    """Wait until a server does next to nothing, but not for ever."""
    pid = server.process.pid
    before = measure_processor_s(pid)
    for _ in range(_MOST_LOOKS):
        time.sleep(_LOOKED_EVERY_S)
        now = measure_processor_s(pid)
        if now - before <= _REST_S:
            return
        before = now


def measure_processor_s(pid: int) -> float:
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
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            yield from map(int, task.read_text().split())
