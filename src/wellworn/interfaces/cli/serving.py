"""Commands about the server process: serve, stop, status, mcp."""

from __future__ import annotations

import errno
import os
import signal
from dataclasses import asdict
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wellworn.engines import daemon
from wellworn.errors import InvalidInput, StoreInUse
from wellworn.interfaces.cli import naming
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.failures import NotServed, PortTaken
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url, resolved
from wellworn.interfaces.cli.output import emit, note, say

if TYPE_CHECKING:
    from pathlib import Path

    from wellworn.client import Health

PORT = 3200


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: wellworn serve --port 3200")(serve)
    app.command(epilog="Example: wellworn stop")(stop)
    app.command(epilog="Example: wellworn status --json")(status)
    app.command(epilog="Example: wellworn mcp  (as the command of an MCP client)")(mcp)


def serve(
    *,
    host: Annotated[str, typer.Option(help="Address of this machine to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free port.")] = PORT,
    idle_exit: Annotated[
        float | None, typer.Option(min=1, help="End after this many seconds without a call.")
    ] = None,
    home: Home = DEFAULT_HOME,
    as_json: Json = False,
) -> None:
    """Run the server in this terminal until Ctrl-C.

    On an address that other machines reach, every call needs a key: make the first one here,
    with wellworn credential create NAME --role admin, before you listen there.
    """
    folder = resolved(home)
    Thread(target=_greet, args=(folder,), kwargs={"as_json": as_json}, daemon=True).start()
    signal.signal(signal.SIGTERM, _leave)
    from wellworn.interfaces.server import run

    try:
        run(folder, host, port, idle_exit)
    except KeyboardInterrupt:
        note("ended")
    except InvalidInput as failure:
        raise NotServed(failure.message) from failure
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            raise
        raise PortTaken(f"port {port} of {host} is taken by another program") from failure


def stop(home: Home = DEFAULT_HOME, as_json: Json = False) -> None:
    """End the server of the data folder."""
    pid = daemon.stop(resolved(home))
    if as_json:
        emit({"stopped": pid})
    else:
        say("no server was running" if pid is None else f"stopped process {pid}")


def status(
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Say whether a server runs and how it is; starts none."""
    running = None if url else daemon.find(resolved(home))
    address = url or (running.url if running else None)
    health = None
    if address:
        with connect(home, address, key=key, space=space) as memory:
            health = memory.health()
    if as_json:
        emit(_facts(resolved(home), running, health, address))
        return
    if address is None or health is None:
        say("no server is running; every command that needs one starts it")
        return
    say(f"{health.status} at {address}, version {health.version}")
    if running:
        say(f"process {running.pid} since {running.started_at}, data in {resolved(home)}")
    for name, collection in health.collections.items():
        say(f"{name}: {collection.get('points', 0)} passages indexed")


def mcp(
    *,
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools",
            envvar="WELLWORN_TOOLS",
            help="Offer only these: memory, knowledge, browse or names of tools, with commas.",
        ),
    ] = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
) -> None:
    """Speak MCP on stdin and stdout, for agents.

    The server of the data folder is started when there is none.
    """
    from wellworn.interfaces.mcp import run

    if space and not naming.is_space_id(space):
        with connect(home, url, key=key) as memory:
            space = naming.space_id(memory, space)
    run(resolved(home), url, key=key, space=space, tools=tools)


def _leave(*_: object) -> None:
    # As an exception, so that the memory is closed on the way out.
    raise SystemExit(0)


def _greet(home: Path, *, as_json: bool) -> None:
    try:
        running = daemon.ready(home, alive=lambda: True)
    except (daemon.DaemonFailed, StoreInUse, OSError):
        return  # the server itself says why
    if running.pid != os.getpid():
        return
    if as_json:
        emit({**asdict(running), "home": str(home)})
    else:
        note(f"wellworn serves {running.url}, data in {home}")


def _facts(
    home: Path, running: daemon.Running | None, health: Health | None, address: str | None
) -> dict[str, Any]:
    return {
        "running": health is not None,
        "home": str(home),
        "url": address,
        "process": asdict(running) if running else None,
        "health": asdict(health) if health else None,
    }
