"""Where a daemon can be reached: written by the one that answers, read by everybody else.

An announcement alone proves nothing, its writer may have been killed. It counts when the
process that wrote it still holds the lock of the folder and its address answers.

Source: issue 2, point 6.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

import wellworn
from wellworn.engines.daemon.lock import holder
from wellworn.engines.daemon.models import Running
from wellworn.kit.clock import SystemClock, iso

if TYPE_CHECKING:
    from pathlib import Path

_ANSWER_S = 2.0


def announce(home: Path, url: str) -> Running:
    """Tell every process where this one serves `home`; call it once the address answers.

    The caller must hold the folder (`hold`). Readers see the old file or the whole new one.
    """
    running = Running(
        pid=os.getpid(),
        url=url.rstrip("/"),
        version=wellworn.__version__,
        started_at=iso(SystemClock().now()),
    )
    draft = home / "daemon.json.new"
    draft.write_text(json.dumps(asdict(running)) + "\n", encoding="utf-8")
    draft.replace(home / "daemon.json")
    return running


def find(home: Path) -> Running | None:
    """Return the daemon that owns `home` and answers now, or None."""
    owner = holder(home)
    if owner is None or owner.pid is None:
        return None
    announced = _announced(home)
    if announced is None or announced.pid != owner.pid:
        return None
    return announced if _answers(announced.url) else None


def _announced(home: Path) -> Running | None:
    try:
        found = cast("dict[str, Any]", json.loads((home / "daemon.json").read_text("utf-8")))
        return Running(
            pid=int(found["pid"]),
            url=str(found["url"]),
            version=str(found["version"]),
            started_at=str(found["started_at"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _answers(url: str) -> bool:
    # By hand and not with the client's library, and imported here: what only looks at the lock, or
    # prints help, starts faster without.
    import http.client  # noqa: PLC0415

    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=_ANSWER_S)
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
