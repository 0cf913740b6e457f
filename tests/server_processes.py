"""Servers in processes of their own, forked from one that has imported wellworn already.

Importing takes longer than everything else that a start does, and the suite starts hundreds of
servers. That the command starts one from nothing is told by `journeys/test_cli.py`.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

# Elsewhere, what is loaded does not survive a fork.
_STARTING = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
_STARTING.set_forkserver_preload(["forked_from"])
_PLACES = os.pathsep.join(
    filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
)


class ServerProcess:
    """One `wellworn serve`, with the methods of a `subprocess.Popen`."""

    def __init__(self, *words: str, environment: Mapping[str, str], log: Path) -> None:
        mask = os.umask(0)
        os.umask(mask)
        arguments = (words, dict(environment), log, Path.cwd(), mask)
        self._process = _STARTING.Process(target=_serve, args=arguments)
        with pytest.MonkeyPatch.context() as patch:
            # As the command does: numpy's threads would not survive the fork.
            patch.setenv("OPENBLAS_NUM_THREADS", "1")
            patch.setenv("PYTHONPATH", _PLACES)
            self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("wellworn serve", timeout or 0.0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def terminate(self) -> None:
        self._process.terminate()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def _serve(
    words: tuple[str, ...], environment: dict[str, str], log: Path, folder: Path, mask: int
) -> None:
    # What fails to import there is passed over in silence.
    assert "forked_from" in sys.modules or sys.platform != "linux"
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    os.umask(mask)
    with log.open("ab") as out, Path(os.devnull).open("rb") as nothing:
        for stream, target in ((nothing, 0), (out, 1), (out, 2)):
            os.dup2(stream.fileno(), target)
    # A server that renews itself begins again as it was begun.
    sys.orig_argv = [sys.executable, "-m", "wellworn", "serve", *words]
    from wellworn.interfaces.cli import main

    sys.exit(main(["serve", *words]))
