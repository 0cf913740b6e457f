"""Commands about the server process: serve, ui, stop, status, mcp, settings, workload."""

from __future__ import annotations

import errno
import os
import signal
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.engines import daemon
from wellworn.errors import InvalidInput, StoreInUse
from wellworn.interfaces.cli.context import (
    FOLDER,
    SPACE,
    STREAM,
    CommandContext,
    command,
    new_group,
)
from wellworn.interfaces.cli.failures import NotServed, PortTaken
from wellworn.interfaces.cli.output import emit, fold_spaces, format_minute, note, say
from wellworn.interfaces.hook import HookRecord, read_record
from wellworn.kit.clock import to_iso
from wellworn.kit.process_memory import keep_memory_private, share_heaps

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wellworn.client import Wellworn
    from wellworn.client.models import BackgroundWork, EffectiveSetting, KnowledgeSource, Workload

commands = new_group()
_AGING = frozenset({"folder", "git_repo", "url"})
_MOST_SOURCES = 5


@command(commands, "settings --section slots")
def settings(
    context: CommandContext,
    *,
    section: Annotated[str | None, typer.Option(help="Of one section alone.")] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="Only those that the environment sets.")
    ] = False,
) -> None:
    """Print the settings as they hold on the server, where they come from, and what each is for."""
    listed = [
        each
        for each in context.memory.settings()
        if section in {None, each.section} and not (changed and each.source == "default")
    ]
    context.show(listed, _print_settings)


def _print_settings(listed: Sequence[EffectiveSetting]) -> None:
    for each in listed:
        say(f"{each.variable}={each.value}{'' if each.source == 'default' else '  (set)'}")
        say(f"  {each.description}")


@command(commands, "workload --json")
def workload(context: CommandContext) -> None:
    """Tell how long calls take and what was shed since the server's start."""
    context.show(context.memory.workload(), _print_workload)


def _print_workload(told: Workload) -> None:
    for each in told.calls:
        median, slow = (f"{1000 * time:.1f} ms" for time in (each.median_s, each.slow_s))
        say(f"{each.calls:>7}  {each.action:<22} median {median}, a twentieth over {slow}")
    say(
        f"{told.running} running, {told.waiting} waiting, {told.refused} told to come again, "
        f"{told.watching} watching"
    )
    if told.failing:
        note(f"fails in the background: {', '.join(told.failing)}")


@command(commands, "jobs --limit 5")
def jobs(
    context: CommandContext,
    *,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most jobs, the newest first.")] = 20,
) -> None:
    """Tell what runs in the background, what became of it, and which upkeep fails."""
    context.show(context.memory.jobs(limit=limit), _print_jobs)


def _print_jobs(told: BackgroundWork) -> None:
    for job in told.jobs:
        at = job.ended_at or job.started_at or job.queued_at
        say(f"{job.status:<9}  {format_minute(at) if at else ''}  {job.name}  {job.key}")
        if job.message:
            say(f"      {job.message}")
    if not told.jobs:
        say("no jobs")
    for each in told.failing:
        since = format_minute(each.first_at)
        note(f"{each.name} fails since {since}, {each.times} times: {each.error}; see the log")
    if told.unindexed:
        note(f"{told.unindexed} thoughts or passages wait to be indexed")


@command(commands, "serve --port 3200", options=FOLDER)
def serve(
    context: CommandContext,
    *,
    host: Annotated[str, typer.Option(help="Address of this machine to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")
    ] = 3200,
    idle_exit: Annotated[
        float | None, typer.Option(min=1, help="End after this many seconds without a call.")
    ] = None,
) -> None:
    """Run the server in this terminal until Ctrl-C.

    If other machines can reach the address, every call needs a key. Make the first one here, with
    wellworn credential create NAME --role admin, before you listen there.
    """
    folder = context.folder
    announcement = {"as_json": context.as_json}
    keep_memory_private()
    share_heaps()
    inheritance = daemon.take_inheritance()
    if inheritance is None:
        Thread(target=_announce, args=(folder,), kwargs=announcement, daemon=True).start()
    signal.signal(signal.SIGTERM, _exit)
    from wellworn.interfaces.server import run

    try:
        run(folder, host, port, idle_exit, inheritance)
    except KeyboardInterrupt:
        note("ended")
    except InvalidInput as failure:
        raise NotServed(failure.message) from failure
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            raise
        raise PortTaken(f"port {port} of {host} is taken by another program") from failure


@command(commands, "ui --no-browser", options=SPACE)
def ui(
    context: CommandContext,
    *,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Open the memory in a browser, and print the address.

    Starts the server of the data folder if none is running. It ends when no page was asked for in
    15 minutes; run this again then.
    """
    context.memory.health()  # Only a server that answers has pages.
    address = f"{context.memory.url}/ui/{context.space_id}".rstrip("/")
    context.show({"url": address}, address)
    if not no_browser:
        import webbrowser

        if not webbrowser.open(address):
            note("no browser could be opened here; open the address yourself")


@command(commands, "stop", options=FOLDER)
def stop(context: CommandContext) -> None:
    """End the server of the data folder."""
    pid = daemon.stop_daemon(context.folder)
    text = "no server was running" if pid is None else f"stopped process {pid}"
    context.show({"stopped": pid}, text)


@command(commands, "status --json")
def status(context: CommandContext) -> None:
    """Show whether a server is running, and its state; starts none."""
    running = None if context.url else daemon.find_daemon(context.folder)
    address = context.url or (running.url if running else None)
    health = None
    hooks = read_record(context.folder)
    sources: tuple[KnowledgeSource, ...] = ()
    if address:
        with replace(context, url=address) as server:
            health = server.memory.health()
            sources = _list_sources(server.memory)
    if context.as_json:
        seen = [{"name": each.name, "last_synced_at": each.last_synced_at} for each in sources]
        emit(
            {
                "space": context.description,
                "running": health is not None,
                "home": str(context.folder),
                "url": address,
                "process": running and running._asdict(),
                "health": health,
                "sources": seen,
                "hooks": hooks._asdict(),
            }
        )
        return
    if address is None or health is None:
        say("no server is running; every command that needs one starts it")
        say(context.description)
        _print_hooks(hooks)
        return
    say(f"{health.status} at {address}, version {health.version}")
    if health.advice:
        say(health.advice)
    if running:
        say(f"process {running.pid} since {running.started_at}, data in {context.folder}")
    say(context.description)
    for name, collection in health.collections:
        say(f"{name}: {collection.points} passages indexed")
    found = health.findable
    if not found.is_embedded:
        so_far = f"{found.by_meaning} of {found.thoughts} thoughts"
        say(f"found by meaning so far: {so_far}, the others by words")
    _print_sources(sources)
    _print_hooks(hooks)


def _print_hooks(record: HookRecord) -> None:
    if record.last_shown is not None:
        say(f"hooks: last ran at {format_minute(to_iso(record.last_shown))}")
    if record.last_failure is not None:
        say(f"hooks: {record.failures} failed in the last 7 days, the last: {record.last_failure}")


def _print_sources(sources: Sequence[KnowledgeSource]) -> None:
    for source in sources[:_MOST_SOURCES]:
        seen = format_minute(source.last_synced_at) if source.last_synced_at else "never"
        say(f"source {fold_spaces(source.name)}: seen {seen}")
    if len(sources) > _MOST_SOURCES:
        say(f"{len(sources) - _MOST_SOURCES} more were seen later")


def _list_sources(memory: Wellworn) -> tuple[KnowledgeSource, ...]:
    """Return the sources whose documents may age, the longest unseen first; none without a key."""
    from wellworn.client import WellwornClientError

    try:
        sources = memory.sources()
    except WellwornClientError:
        return ()
    aging = (source for source in sources if source.source_type in _AGING and not source.is_paused)
    return tuple(sorted(aging, key=lambda source: source.last_synced_at or ""))


@command(commands, "mcp  (as the command of an MCP client)", options=STREAM)
def mcp(
    context: CommandContext,
    *,
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools",
            envvar="WELLWORN_TOOLS",
            help="Tools to offer, with commas: memory, knowledge, browse, turns or names of tools.",
        ),
    ] = None,
) -> None:
    """Speak MCP on stdin and stdout, for agents.

    Starts the server of the data folder if none is running.
    """
    from wellworn.interfaces.mcp import run

    run(context.folder, context.url, key=context.key, space=context.space_id, tools=tools)


def _exit(*_: object) -> None:
    # As an exception, so that the memory is closed on the way out.
    raise SystemExit(0)


def _announce(home: Path, *, as_json: bool) -> None:
    try:
        running = daemon.wait_until_ready(home, alive=lambda: True)
    except (daemon.DaemonFailed, StoreInUse, OSError):
        return  # the server itself says why
    if running.pid != os.getpid():
        return
    if as_json:
        emit({**running._asdict(), "home": str(home)})
    else:
        note(f"wellworn serves {running.url}, data in {home}")
