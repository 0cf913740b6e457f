"""Commands that let the operating system start the server at login, and the doctor's look at it."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from wellworn.engines import daemon
from wellworn.engines.config_files import ConfigRefused, read_config, replace_config
from wellworn.engines.daemon import make_private_folder
from wellworn.errors import WellwornError
from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.installing import SettingsChange
from wellworn.interfaces.cli.output import emit, note, say
from wellworn.interfaces.cli.service_manager import (
    ServiceFailed,
    ServiceManager,
    ServiceState,
    find_manager,
    get_settings_file,
    is_own,
)

if TYPE_CHECKING:
    from pathlib import Path

    from wellworn.application.maintenance import CheckResult

commands = new_group("Start the server at login, and again when it fails.")
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]
_PAUSE_S: Final = 0.2
_AGAIN: Final = "run `wellworn service install`"


@command(commands, "service install", options=FOLDER)
def install(
    context: CommandContext,
    *,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port of this machine to listen on.")
    ] = 3200,
    dry_run: DryRun = False,
) -> None:
    """Start the server of the data folder now and at every login, and again when it fails.

    A systemd unit or a launchd agent of yours. Done twice, it changes nothing. A server that a
    command started makes way for it.
    """
    manager = find_manager()
    change = _plan(manager, manager.render(context.folder, port))
    if dry_run:
        _report(context, change, None, is_dry=True)
        return
    state = manager.find_state()
    running = None
    if not (change.is_none and state.is_enabled and state.is_running):
        if change.after is not None:
            replace_config(change.file, change.before, change.after)
        if state.pid is None:
            daemon.stop_daemon(context.folder)
        make_private_folder(context.folder)
        (context.folder / "logs").mkdir(exist_ok=True)  # launchd makes none for its log
        manager.start()
        running = _await_answer(manager, context.folder).url
    _report(context, change, running, is_dry=False)
    for line in (*manager.notes, *_list_left_out(context.folder)):
        note(line)


@command(commands, "service uninstall", options=FOLDER)
def uninstall(context: CommandContext, *, dry_run: DryRun = False) -> None:
    """End the service and remove its file; the data folder stays as it is."""
    manager = find_manager()
    change = _plan(manager, None)
    if not (dry_run or change.is_none):
        manager.end()
        replace_config(change.file, change.before, None)
        manager.forget()
    _report(context, change, None, is_dry=dry_run)


@command(commands, "service status", options=FOLDER)
def status(context: CommandContext) -> None:
    """Tell whether the service is installed and runs; starts nothing."""
    manager = find_manager()
    is_installed = is_own(manager.list_words(read_config(manager.file) or ""))
    state = manager.find_state() if is_installed else ServiceState()
    running = daemon.find_daemon(context.folder)
    if context.as_json:
        told = {"file": str(manager.file), "installed": is_installed, "enabled": state.is_enabled}
        emit(
            {
                **told,
                "running": state.is_running,
                "pid": state.pid,
                "server": running and running._asdict(),
            }
        )
        return
    if not is_installed:
        say("no service; wellworn service install makes one")
    else:
        say(f"{manager.name}: {_describe(manager, state)}")
    if running is not None:
        by = "" if running.pid == state.pid else ", which is not the service"
        say(f"process {running.pid} serves {context.folder} at {running.url}{by}")


def check_service(home: Path) -> CheckResult:
    """Check the service of the user, if there is one."""
    from wellworn.application.maintenance import CheckResult

    try:
        manager = find_manager()
        words = manager.list_words(read_config(manager.file) or "")
        if not is_own(words):
            return CheckResult(ok=True, check="service", message="none; commands start the server")
        if str(home) not in words:
            return CheckResult(ok=True, check="service", message="serves another folder")
        problems = _list_problems(manager, words)
    except WellwornError as failure:
        is_known = not isinstance(failure, ServiceFailed)
        return CheckResult(ok=not is_known, check="service", message=failure.message)
    message = "; ".join(problems) or "starts at login, and runs"
    return CheckResult(ok=not problems, check="service", message=message)


def _plan(manager: ServiceManager, after: str | None) -> SettingsChange:
    """Return what becomes of the file.

    Raises:
        ConfigRefused: it is not ours.
    """
    before = read_config(manager.file)
    if before is not None and not is_own(manager.list_words(before)):
        message = f"{manager.file} was not made by `wellworn service install`; move it away first"
        raise ConfigRefused(message)
    return SettingsChange(manager.file, before, after)


def _report(
    context: CommandContext, change: SettingsChange, url: str | None, *, is_dry: bool
) -> None:
    if context.as_json:
        emit({"dry_run": is_dry, "url": url, "files": [] if change.is_none else [str(change.file)]})
        return
    if change.is_none:
        say("nothing to change")
    elif is_dry:
        for line in change.compare():
            say(line.rstrip("\r\n"))
    if not change.is_none:
        say(f"{change.tell(is_dry=is_dry)} {change.file}")
    if url is not None:
        say(f"the service runs at {url}")


def _await_answer(manager: ServiceManager, home: Path) -> daemon.RunningDaemon:
    deadline = time.monotonic() + daemon.START_S
    while time.monotonic() < deadline:
        state, running = manager.find_state(), daemon.find_daemon(home)
        if running is not None and running.pid == state.pid:
            return running
        if state.is_failing:
            break
        time.sleep(_PAUSE_S)
    raise ServiceFailed(f"{manager.name} was started and does not answer; see {manager.log}")


def _list_left_out(home: Path) -> list[str]:
    """Tell which settings of this shell a service, which has an environment of its own, has not."""
    names = sorted(name for name in os.environ if name.startswith("WELLWORN_") and "__" in name)
    if not names:
        return []
    return [f"It does not have {', '.join(names)}: it reads settings in {get_settings_file(home)}."]


def _list_problems(manager: ServiceManager, words: list[str]) -> list[str]:
    program = words[words.index("-P") - 1]
    if shutil.which(program) is None:
        return [f"{program} is not there; {_AGAIN}"]
    state = manager.find_state()
    return [] if state.is_enabled and state.is_running else [_describe(manager, state)]


def _describe(manager: ServiceManager, state: ServiceState) -> str:
    if state.is_failing:
        return f"fails; see {manager.log}"
    if not state.is_running:
        return f"does not run; {_AGAIN}"
    at_login = "starts at login" if state.is_enabled else "does not start at login"
    return f"{at_login}, and runs as process {state.pid}"
