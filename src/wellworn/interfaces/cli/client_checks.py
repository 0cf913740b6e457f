"""Checks of the clients that agents live in: entries, hooks, and whether a client runs them.

The doctor mends nothing and trusts nothing: that is for the user, in the client.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

import wellworn
from wellworn.application.maintenance import CheckResult
from wellworn.engines.config_files import FORMATS, get, read_config
from wellworn.errors import WellwornError
from wellworn.interfaces.cli.clients import CLIENTS
from wellworn.interfaces.cli.installing import FoundHooks, Installation, Scope, get_command
from wellworn.interfaces.hook import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE_S: Final = 10.0
_MANY_FAILURES: Final = 5
"""So many without one success are no accident; a server that had to start fails once."""

_GREETING: Final = {"clientInfo": {"name": "wellworn", "version": wellworn.__version__}}
_ASKED: Final = 2
_TRUSTED: Final = frozenset({"trusted", "managed"})


def check_clients(home: Path, project: Path | None) -> Iterator[CheckResult]:
    """Check every client that has an entry or a hook of ours, for the user and in a project."""
    is_anywhere = False
    for client in CLIENTS:
        scopes: list[tuple[Scope, Path]] = [("user", Path.cwd())]
        if project is not None and client.files.project:
            scopes.append(("project", project))
        for scope, folder in scopes:
            name = client.title if scope == "user" else f"{client.title}, in this project"
            made = Installation(client, scope, folder, home)
            try:
                problems = _list_problems(made, project)
            except WellwornError as failure:
                problems = [failure.message]
            if problems is None:
                continue
            is_anywhere = True
            message = "; ".join(problems) or "is connected"
            yield CheckResult(not problems, name, message)
    if not is_anywhere:
        yield CheckResult(ok=True, check="clients", message="none; wellworn install connects one")
    yield _check_failures(home)


def _list_problems(made: Installation, project: Path | None) -> list[str] | None:
    """Return what is wrong with a client; None where it has nothing of ours.

    Raises:
        ConfigBroken, ConfigRefused: its settings cannot be read.
    """
    server, hooks = made.find_server(), made.find_hooks()
    if server is None and hooks is None:
        return None
    words = f"wellworn install {made.client.name}"
    words += " --project" if made.scope == "project" else ""
    problems = [] if server else [f"has hooks and no server; run `{words}`"]
    programs = {
        *([get_command(server)] if server else []),
        *(hooks.programs.values() if hooks else ()),
    }
    missing = sorted(program for program in programs if shutil.which(program) is None)
    problems += [f"{program} is not there; run `{words}`" for program in missing]
    if made.scope == "user" and server and not missing:
        problems += _check_version(get_command(server))
    if hooks is not None and made.client.hooks is not None:
        lacking = [event for event in made.client.hooks.events if event not in hooks.programs]
        if lacking:
            problems.append(f"has no hook for {', '.join(lacking)}; run `{words}`")
        if hooks.is_off:
            problems.append(f"{hooks.file} switches all hooks off (disableAllHooks)")
        if made.client.name == "codex":
            problems += _check_codex(hooks, project)
    if made.client.name == "gemini" and project is not None:
        problems += _check_gemini(made.file, project)
    return problems


def _check_version(program: str) -> list[str]:
    """Run another wellworn than this one, as the client does, for its version."""
    found = shutil.which(program)
    if found is None or Path(found).parent == Path(sys.executable).parent:
        return []
    try:
        done = subprocess.run(  # noqa: S603 - what the user's own client runs
            [found, "--version"],
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return [f"{found} does not run"]
    version = done.stdout.strip()
    if version == wellworn.__version__:
        return []
    return [f"{found} is of version {version or 'unknown'}, and this is {wellworn.__version__}"]


def _check_codex(hooks: FoundHooks, project: Path | None) -> list[str]:
    """Ask Codex itself which hooks it runs: only it knows how it compares them."""
    listed = list_codex_hooks(project or Path.cwd(), _PATIENCE_S)
    if listed is None:
        return []
    own = [hook for hook in listed if hook.file == hooks.file.resolve()]
    if not own:
        return ["Codex does not read its hooks: it does not trust this project"]
    if all(hook.runs for hook in own):
        return []
    return ["Codex skips its hooks until you trust them: start it and type /hooks"]


def _check_gemini(settings: Path, project: Path) -> list[str]:
    """Tell whether Gemini CLI trusts a folder; in others it starts no server and runs no hook."""
    by_variable = os.environ.get("GEMINI_CLI_TRUST_WORKSPACE")
    value = FORMATS["json"].read(read_config(settings) or "")
    if by_variable == "true" or get(value, ("security", "folderTrust", "enabled")) is False:
        return []
    named = os.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    file = Path(named) if named else Path.home() / ".gemini" / "trustedFolders.json"
    place, length, is_trusted = project.resolve(), -1, False
    for rule, level in FORMATS["json"].read(read_config(file) or "").items():
        folder = Path(rule).parent if level == "TRUST_PARENT" else Path(rule)
        if place.is_relative_to(folder.resolve()) and len(rule) > length:
            length, is_trusted = len(rule), level != "DO_NOT_TRUST"
    if is_trusted and by_variable != "false":
        return []
    return [f"Gemini CLI does not trust {project}: start it there and say that you do"]


def _check_failures(home: Path) -> CheckResult:
    record = read_record(home)
    shown = f"{record.sessions} sessions were shown something"
    message = f"{record.failures} failed in the last 7 days; {shown}"
    if record.failures < _MANY_FAILURES or record.sessions:
        return CheckResult(ok=True, check="hooks", message=message)
    return CheckResult(
        ok=False, check="hooks", message=f"{message}; the last: {record.last_failure}"
    )


@dataclass(frozen=True, slots=True)
class CodexHook:
    """A hook that Codex found in a file, and whether it runs it."""

    file: Path
    runs: bool


def list_codex_hooks(folder: Path, patience_s: float) -> list[CodexHook] | None:
    """Return the hooks that Codex finds when it works in a folder; None if it cannot be asked.

    Codex compares a digest of each hook with the one that its user trusted, and how it makes that
    changes; so it is asked, over `codex app-server`, as its own pages of settings do.
    """
    program = shutil.which("codex")
    if program is None:
        return None
    try:
        process = subprocess.Popen(  # noqa: S603 - no word of it is anybody's input
            [program, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    timer = Timer(patience_s, process.kill)
    timer.start()
    try:
        return _ask(process, folder)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    finally:
        timer.cancel()
        with suppress(OSError):
            process.communicate()
        process.wait()


def _ask(process: subprocess.Popen[bytes], folder: Path) -> list[CodexHook] | None:
    if process.stdin is None or process.stdout is None:
        return None
    messages = (
        {"id": 1, "method": "initialize", "params": _GREETING},
        {"method": "initialized"},
        {"id": _ASKED, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    )
    process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages).encode())
    process.stdin.flush()
    for line in process.stdout:
        reply: Any = json.loads(line)
        if reply.get("id") == _ASKED:
            return [
                _read_hook(hook) for place in reply["result"]["data"] for hook in place["hooks"]
            ]
    return None


def _read_hook(hook: dict[str, Any]) -> CodexHook:
    runs = hook["enabled"] is True and hook["trustStatus"] in _TRUSTED
    return CodexHook(Path(hook["sourcePath"]).resolve(), runs)
