"""The announced daemon, and the error for one that failed to start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wellworn.errors import WellwornError

DEFAULT_HOME: Final = "~/.wellworn"
"""The data folder where none is named."""


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """An announced daemon; `url` has no trailing slash, `started_at` is ISO 8601."""

    pid: int
    url: str
    version: str
    started_at: str


class DaemonFailed(WellwornError):
    """The daemon did not start, or not in time; the message carries the end of its log."""

    code = "DAEMON_FAILED"
    retryable = True
