"""A server of a command's own, for as long as the command needs it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wellworn.engines import daemon

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_IDLE_EXIT_S = 900  # should the command be killed, its server ends by itself
_END_S = 20.0
_OF_THE_CALLER = frozenset({"WELLWORN_HOME", "WELLWORN_KEY", "WELLWORN_SPACE", "WELLWORN_URL"})


@contextmanager
def hosted(home: Path) -> Generator[str]:
    """Run a server on a data folder until the block ends; gives its address.

    Settings in the environment hold for it as for any server.

    Raises:
        DaemonFailed: it ended or did not answer in time; the message has the end of its log.
    """
    log = home / "logs" / "daemon.log"
    log.parent.mkdir(parents=True)
    # -P: a file in the caller's folder must not stand in for one of our modules.
    words = ["-P", "-m", "wellworn", "serve", "--home", str(home)]
    words += ["--port", "0", "--idle-exit", str(_IDLE_EXIT_S)]
    kept = {name: value for name, value in os.environ.items() if name not in _OF_THE_CALLER}
    with log.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603 - this program itself
            [sys.executable, *words], env=kept, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    try:
        yield daemon.ready(home, alive=lambda: process.poll() is None).url
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
