"""The file in which the daemon announces its address.

The file alone proves nothing, as its writer may have been killed. It counts when the process that
wrote it still holds the folder's lock and its address answers.
"""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import wellworn
from wellworn.engines.daemon.lock import find_holder
from wellworn.engines.daemon.models import RunningDaemon

if TYPE_CHECKING:
    from pathlib import Path

_ANSWER_S = 2.0


def announce(home: Path, url: str) -> RunningDaemon:
    """Announce the address at which this process serves `home`; call it once the address answers.

    The caller must hold the folder (`hold_folder`). The file is replaced atomically.
    """
    from wellworn.kit.clock import SystemClock, to_iso  # noqa: PLC0415 - hooks only look

    running = RunningDaemon(
        pid=os.getpid(),
        url=url.rstrip("/"),
        version=wellworn.__version__,
        started_at=to_iso(SystemClock().now()),
    )
    draft = home / "daemon.json.new"
    draft.write_text(json.dumps(running._asdict()) + "\n", encoding="utf-8")
    draft.replace(home / "daemon.json")
    return running


def find_daemon(home: Path) -> RunningDaemon | None:
    """Return the daemon that owns `home` and answers now, or None."""
    announced = find_announced(home)
    return announced if announced and _is_answering(announced.url) else None


def is_announced(home: Path, url: str) -> bool:
    """Tell whether the process that owns `home` says that it is at an address; asks nobody there.

    A port is free again when its daemon has ended, and any other user may take it.
    """
    announced = find_announced(home)
    return announced is not None and announced.url == url


def find_announced(home: Path) -> RunningDaemon | None:
    """Return the daemon that owns `home`, as it says; asks nobody whether it answers."""
    owner = find_holder(home)
    announced = _read_announcement(home) if owner and owner.pid is not None else None
    return announced if owner and announced and announced.pid == owner.pid else None


def _read_announcement(home: Path) -> RunningDaemon | None:
    try:
        fields = cast("dict[str, Any]", json.loads((home / "daemon.json").read_text("utf-8")))
        return RunningDaemon(
            pid=int(fields["pid"]),
            url=str(fields["url"]),
            version=str(fields["version"]),
            started_at=str(fields["started_at"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_ready(running: RunningDaemon) -> bool:
    """Tell whether a daemon can serve a call, as far as it does not say that it cannot."""
    return _probe(running.url, "/health/ready") != HTTPStatus.SERVICE_UNAVAILABLE


def _is_answering(url: str) -> bool:
    return _probe(url, "/health/live") == HTTPStatus.OK


def _probe(url: str, path: str) -> int | None:
    """Return the status of an answer, None if there is none."""
    # Imported here, and not the client's library, so that commands that need neither start faster.
    import http.client  # noqa: PLC0415

    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=_ANSWER_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
