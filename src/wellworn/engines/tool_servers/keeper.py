"""Runs a program, and ends with it whatever it has started: `python keeper.py PROGRAM WORD …`.

A process that forks twice leaves its session, its group and its parent. Here it comes back: on
Linux this process becomes the parent of all that lose theirs below it. It is told to end all of
them by SIGUSR1; SIGTERM is the program's, which is in the same group. Imports nothing of ours, so
that it starts in milliseconds.

Source: prctl(2), PR_SET_CHILD_SUBREAPER; proc(5).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_LONGEST_ENDING_S = 5.0
_NO_SUCH_PROGRAM = 127


class _ToldToEnd(Exception):
    pass


def main(command: list[str]) -> int:
    """Run a command to its end, or until told to end; return its exit status."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Not ignored: the program would inherit that.
    signal.signal(signal.SIGTERM, _leave_to_program)
    signal.signal(signal.SIGUSR1, _tell_to_end)
    status = 1
    try:
        program = os.posix_spawnp(command[0], command, os.environ)
        for stream in (0, 1):
            os.close(stream)  # or the other side would not see that the program closed it
        ended, state = os.wait()
        while ended != program:  # but one that lost its parent
            ended, state = os.wait()
        status = os.waitstatus_to_exitcode(state)
    except OSError:
        status = _NO_SUCH_PROGRAM
    except _ToldToEnd:
        pass
    _end_all()
    return status


def _leave_to_program(*_: object) -> None:
    """Go on: the program was told as well."""


def _tell_to_end(*_: object) -> None:
    raise _ToldToEnd


def _end_all() -> None:
    """Kill what is below this process until nothing is, as what is killed may have forked."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    until = time.monotonic() + _LONGEST_ENDING_S
    while (below := _list_below(os.getpid())) and time.monotonic() < until:
        for process_id in below:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process_id, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)


def _list_below(top: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(file.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(file.parent.name))
    below = list(children.get(top, ()))
    for process_id in below:
        below += children.get(process_id, ())
    return below


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
