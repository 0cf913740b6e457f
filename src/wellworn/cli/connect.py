"""How a command reaches a memory: a given address, or the daemon of the data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn import daemon
from wellworn.cli.options import DEFAULT_AGENT, resolved
from wellworn.cli.output import note

if TYPE_CHECKING:
    from pathlib import Path

    from wellworn.client import Wellworn


def connect(
    home: Path, url: str | None, agent: str = DEFAULT_AGENT, name: str | None = None
) -> Wellworn:
    """Return a client; without `url` the daemon of `home` is started when there is none.

    Raises:
        DaemonFailed: it could not be started.
        StoreInUse: a job without the daemon has the folder.
    """
    from wellworn.client import Wellworn

    address = url or daemon.ensure(resolved(home), on_start=_say_so).url
    return Wellworn(address, agent_id=agent, agent_name=name)


def _say_so() -> None:
    note("starting the memory server (it ends by itself when nobody uses it)")
