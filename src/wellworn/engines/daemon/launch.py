"""Starts and stops the daemon from another process.

Starters take a second lock in turn, so that one of them starts the daemon and the others find it.
The child gets its own session and outlives its starter.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wellworn.engines.daemon.announcement import find_daemon
from wellworn.engines.daemon.lock import PAUSE_S, LockHolder, find_holder, lock_exclusively
from wellworn.engines.daemon.models import DaemonFailed, RunningDaemon
from wellworn.engines.daemon.private_files import make_private_folder
from wellworn.errors import StoreInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

IDLE_EXIT_S = 900
START_S = 180.0
"""Seconds that a server which lives may take to answer: of a crowd on a busy machine it is one."""
STOP_S = 20.0
_LOG_LIMIT_BYTES = 5_000_000
_LOG_LINES = 8


def ensure_daemon(
    home: Path,
    *,
    timeout_s: float = START_S,
    command: Sequence[str] | None = None,
    on_start: Callable[[], None] | None = None,
) -> RunningDaemon:
    """Return the daemon of `home`; start it in the background when there is none.

    Args:
        home: the data folder; created when absent.
        timeout_s: how long to wait until it answers.
        command: the command to run instead of `wellworn serve`.
        on_start: called once, before this process starts the daemon.

    Raises:
        DaemonFailed: it ended or did not answer in time; the message has the end of its log.
        StoreInUse: a job without the daemon (such as a rebuild) has the folder.
    """
    home = home.absolute()
    if running := find_daemon(home):
        return running
    make_private_folder(home)
    deadline = time.monotonic() + timeout_s
    with lock_exclusively(home / "daemon.starting", wait_s=timeout_s) as turn:
        if turn is None:
            raise DaemonFailed("another process has been starting the daemon for too long")
        if running := _wait_for_owner(home, deadline):
            return running
        if on_start is not None:
            on_start()
        child = _spawn(home, command or _make_command(home))
        return _await(home, deadline, alive=lambda: not _has_ended(child))


def wait_until_ready(
    home: Path, *, alive: Callable[[], bool], timeout_s: float = START_S
) -> RunningDaemon:
    """Wait until a child process that the caller started serves `home`.

    Args:
        home: the data folder.
        alive: tells whether the child still runs.
        timeout_s: how long to wait until it answers.

    Raises:
        DaemonFailed: the child ended, or did not answer in time.
    """
    return _await(home, time.monotonic() + timeout_s, alive=alive)


def stop_daemon(home: Path, *, timeout_s: float = STOP_S) -> int | None:
    """Stop the daemon of `home`; return its process id, None when there was none.

    Raises:
        StoreInUse: it did not end in time, or the folder is held by a job that is no daemon.
    """
    import signal  # noqa: PLC0415 - each hook would load it

    owner = find_holder(home)
    if owner is None:
        return None
    if owner.pid is None or owner.doing != "serve":
        raise StoreInUse(f"the data folder is held by a job ({owner.doing}), not by a daemon")
    os.kill(owner.pid, signal.SIGTERM)
    deadline = time.monotonic() + timeout_s
    # It lets go of the folder before the last of its threads has ended.
    while find_holder(home) == owner or _is_alive(owner.pid):
        if time.monotonic() >= deadline:
            raise StoreInUse(f"process {owner.pid} was asked to end and has not; see its log")
        time.sleep(PAUSE_S)
    return owner.pid


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Tell whether the process has ended but was not reaped by its parent; false off Linux."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "Z"


CALLER_VARIABLES = frozenset({"WELLWORN_KEY", "WELLWORN_SPACE", "WELLWORN_URL"})


def _make_command(home: Path) -> list[str]:
    # -P: a file in the caller's folder must not shadow one of our modules.
    words = ["-P", "-m", "wellworn", "serve", "--home", str(home)]
    return [sys.executable, *words, "--port", "0", "--idle-exit", str(IDLE_EXIT_S)]


def _spawn(home: Path, command: Sequence[str]) -> int:
    log = _get_log_path(home)
    log.parent.mkdir(exist_ok=True)
    if log.exists() and log.stat().st_size > _LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
    appending = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), appending, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    # The caller that starts the daemon is one of many; the daemon must not keep that caller's key.
    environment = {
        name: value for name, value in os.environ.items() if name not in CALLER_VARIABLES
    }
    return os.posix_spawn(command[0], list(command), environment, file_actions=actions, setsid=True)


def _wait_for_owner(home: Path, deadline: float) -> RunningDaemon | None:
    """Wait for the daemon that owns the folder; return None as soon as nobody owns it."""
    while True:
        if running := find_daemon(home):
            return running
        if _find_owner(home) is None:
            return None
        _pause(home, deadline)


def _await(home: Path, deadline: float, *, alive: Callable[[], bool]) -> RunningDaemon:
    while True:
        lives = alive()  # asked first, so that a daemon that answers and then ends is returned
        if running := find_daemon(home):
            return running
        if _find_owner(home) is None and not lives:
            raise DaemonFailed(f"the daemon ended before it answered{_read_log_tail(home)}")
        _pause(home, deadline)


def _find_owner(home: Path) -> LockHolder | None:
    owner = find_holder(home)
    if owner is not None and owner.doing != "serve":
        raise StoreInUse(f"the data folder is busy ({owner.doing}); wait until it has finished")
    return owner


def _pause(home: Path, deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise DaemonFailed(f"the daemon did not answer in time{_read_log_tail(home)}")
    time.sleep(PAUSE_S)


def _has_ended(child: int) -> bool:
    try:
        ended, _ = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return True
    return ended != 0


def _get_log_path(home: Path) -> Path:
    return home / "logs" / "daemon.log"


def _read_log_tail(home: Path) -> str:
    try:
        lines = _get_log_path(home).read_text("utf-8", errors="replace").splitlines()[-_LOG_LINES:]
    except OSError:
        return ""
    return "; its log ends with:\n" + "\n".join(f"  {line}" for line in lines) if lines else ""
