"""What is known about a daemon, and how it says that it failed."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.errors import WellwornError


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon as it announced itself; `url` has no slash at its end, `started_at` is ISO 8601."""

    pid: int
    url: str
    version: str
    started_at: str


class DaemonFailed(WellwornError):
    """The daemon did not start, or not in time; the message carries the end of its log."""

    code = "DAEMON_FAILED"
    retryable = True
