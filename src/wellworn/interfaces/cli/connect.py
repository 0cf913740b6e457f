"""How a command reaches a memory: a given address, or the daemon of the data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.engines import daemon
from wellworn.interfaces.cli import naming
from wellworn.interfaces.cli.options import DEFAULT_AGENT, resolved
from wellworn.interfaces.cli.output import note

if TYPE_CHECKING:
    from pathlib import Path

    from wellworn.client import Wellworn


def connect(
    home: Path,
    url: str | None,
    agent: str = DEFAULT_AGENT,
    name: str | None = None,
    *,
    key: str | None = None,
    space: str | None = None,
) -> Wellworn:
    """Return a client; without `url` the daemon of `home` is started when there is none.

    `space` is an id or a name; names are looked up among the spaces that the key reaches.

    Raises:
        DaemonFailed: it could not be started.
        StoreInUse: a job without the daemon has the folder.
        SpaceNotFound, typer.BadParameter: no space has that name, or several have.
    """
    from wellworn.client import Wellworn

    address = url or daemon.ensure(resolved(home), on_start=_say_so).url
    if space and not naming.is_space_id(space):
        with Wellworn(address, key=key, space="") as memory:
            space = naming.space_id(memory, space)
    return Wellworn(address, agent_id=agent, agent_name=name, key=key, space=space or "")


def _say_so() -> None:
    note("starting the memory server (it ends by itself when nobody uses it)")
