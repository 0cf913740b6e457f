"""wellworn in processes of its own, forked from one that has imported it already.

Importing takes longer than everything else that a start does, and the suite starts servers and
commands by the hundreds. That the program starts from nothing is told by the servers that commands
start themselves, and by `journeys/test_service.py`.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from patience import LONG_S

# Elsewhere, what is loaded does not survive a fork.
_STARTING = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
_STARTING.set_forkserver_preload(["forked_from"])
_PLACES = os.pathsep.join(
    filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
)


class ForkedProcess:
    """One `wellworn` with the words of a command line, and the methods of a `subprocess.Popen`."""

    def __init__(
        self,
        *words: str,
        environment: Mapping[str, str],
        out: Path,
        err: Path | None = None,
        given: Path = Path(os.devnull),
        folder: Path | None = None,
        mask: int | None = None,
    ) -> None:
        self._words = words
        if mask is None:
            mask = os.umask(0)
            os.umask(mask)
        streams = (given, out, err or out)
        arguments = (words, dict(environment), streams, folder or Path.cwd(), mask)
        self._process = _STARTING.Process(target=_run, args=arguments)
        with pytest.MonkeyPatch.context() as patch:
            # As the command does: numpy's threads would not survive the fork.
            patch.setenv("OPENBLAS_NUM_THREADS", "1")
            patch.setenv("PYTHONPATH", _PLACES)
            self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def sentinel(self) -> int:
        """What is ready to be waited for once it has ended."""
        return self._process.sentinel

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._words, timeout or 0.0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def terminate(self) -> None:
        self._process.terminate()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def run_command(
    *words: str, environment: Mapping[str, str], given: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with what it is given on its standard input."""
    with TemporaryDirectory() as beside:
        out, err, written = (Path(beside, name) for name in ("out", "err", "given"))
        written.write_text(given)
        files = {"out": out, "err": err, "given": written}
        process = ForkedProcess(*words, environment=environment, folder=folder, **files)
        try:
            code = process.wait(LONG_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())


@contextmanager
def forking(address: Path) -> Generator[None]:
    """Fork what `docs/command.py` asks for at the address, with its streams."""
    with socket.socket(socket.AF_UNIX) as door, ThreadPoolExecutor() as answering:
        door.bind(str(address))
        door.listen()
        accepting = answering.submit(_accept, door, answering)
        try:
            yield
        finally:
            door.shutdown(socket.SHUT_RDWR)
            accepting.result()


def _accept(door: socket.socket, answering: ThreadPoolExecutor) -> None:
    with suppress(OSError):
        while True:
            answering.submit(_answer, door.accept()[0])


def _answer(asking: socket.socket) -> None:
    with asking, asking.makefile() as read:
        asked = json.loads(read.readline())
        given, out, err = (Path(f"/proc/{asked['pid']}/fd/{number}") for number in range(3))
        process = ForkedProcess(
            *asked["words"],
            environment=asked["environment"],
            given=given,
            out=out,
            err=err,
            folder=Path(asked["folder"]),
            mask=asked["mask"],
        )
        # Who asked is gone before the fork has ended: it was killed.
        if asking in wait([asking, process.sentinel]):
            process.terminate()
        code = process.wait(LONG_S)
        with suppress(BrokenPipeError):
            asking.sendall(b"%d\n" % code)


def _run(
    words: Sequence[str],
    environment: dict[str, str],
    streams: tuple[Path, Path, Path],
    folder: Path,
    mask: int,
) -> None:
    # What fails to import there is passed over in silence.
    assert "forked_from" in sys.modules or sys.platform != "linux"
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    os.umask(mask)
    given, *written = streams
    with given.open("rb") as stream:
        os.dup2(stream.fileno(), 0)
    for number, path in enumerate(written, start=1):
        with path.open("ab") as stream:
            os.dup2(stream.fileno(), number)
    # Those of the process that was forked know of other files.
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1)
    # A server that renews itself begins again as it was begun.
    sys.orig_argv = [sys.executable, "-m", "wellworn", *words]
    from wellworn.interfaces.cli import main

    sys.exit(main(words))
