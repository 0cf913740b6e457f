"""The announced daemon, and the error for one that failed to start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from wellworn.errors import WellwornError

DEFAULT_HOME: Final = "~/.wellworn"
"""The data folder where none is named."""


class RunningDaemon(NamedTuple):
    """An announced daemon; `url` has no trailing slash, `started_at` is ISO 8601."""

    pid: int
    url: str
    version: str
    started_at: str


class DaemonFailed(WellwornError):
    """The daemon did not start, or not in time; the message carries the end of its log."""

    code = "DAEMON_FAILED"
    retryable = True


def find_home() -> Path:
    """Return the data folder that the environment names, else the usual one.

    Raises:
        RuntimeError: the home directory of the user is not known.
    """
    return Path(os.environ.get("WELLWORN_HOME") or DEFAULT_HOME).expanduser().absolute()
