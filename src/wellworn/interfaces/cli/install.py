"""Commands that put wellworn into the clients that agents live in, and take it out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wellworn.errors import WellwornError
from wellworn.interfaces.cli.clients import CLIENTS, Client
from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.installing import Installation, Scope, SettingsChange
from wellworn.interfaces.cli.output import emit, note, say

if TYPE_CHECKING:
    from pathlib import Path

commands = new_group()

_GENERIC = "generic"
_PLAIN = next(client for client in CLIENTS if client.name == "claude-desktop")
"""The client whose settings are written as most others' are."""
_NAMES = ", ".join(client.name for client in CLIENTS)
ClientName = Annotated[
    str | None,
    typer.Argument(metavar="CLIENT", help=f"One of {_NAMES}, or {_GENERIC}, which prints it."),
]
InProject = Annotated[
    bool,
    typer.Option("--project/--user", help="In this project's files, or for you everywhere."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]


@command(commands, "install claude-code", options=FOLDER)
def install(
    context: CommandContext,
    client: ClientName = None,
    *,
    project: InProject = False,
    hooks: Annotated[
        bool, typer.Option(help="Also let the client's hooks show what memory knows.")
    ] = True,
    dry_run: DryRun = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List clients, and which have it.")
    ] = False,
) -> None:
    """Put wellworn into a client's settings.

    Comments, order and all other entries stay as they are, and a backup is kept. Done twice, it
    changes nothing.
    """
    if listed:
        _list(context)
        return
    if client == _GENERIC:
        made = _find(context, _PLAIN, project=False, hooks=False)
        context.show({"snippet": made.snippet}, made.snippet)
        return
    found = _find(context, _choose(client), project=project, hooks=hooks)
    _carry_out(context, found, removes=False, dry_run=dry_run)


@command(commands, "uninstall claude-code", options=FOLDER)
def uninstall(
    context: CommandContext,
    client: ClientName = None,
    *,
    project: InProject = False,
    dry_run: DryRun = False,
) -> None:
    """Take wellworn out of a client's settings; nothing else is touched."""
    found = _find(context, _choose(client), project=project, hooks=True)
    _carry_out(context, found, removes=True, dry_run=dry_run)


def _choose(name: str | None) -> Client:
    found = next((client for client in CLIENTS if client.name == name), None)
    if found is None:
        raise typer.BadParameter(f"name a client: {_NAMES}, or {_GENERIC}")
    return found


def _find(context: CommandContext, client: Client, *, project: bool, hooks: bool) -> Installation:
    from pathlib import Path

    from wellworn.engines.projects import find_project

    scope: Scope = "project" if project else "user"
    folder = Path.cwd()
    if project and (here := find_project()) is not None:
        folder = here.directory
    return Installation(client, scope, folder, context.folder, with_hooks=hooks)


def _carry_out(
    context: CommandContext, found: Installation, *, removes: bool, dry_run: bool
) -> None:
    # All of it is planned before any of it is written.
    changes = [change for change in found.plan(removes=removes) if not change.is_none]
    backups = [None if dry_run else found.apply(change) for change in changes]
    notes = [] if removes else _list_notes(found)
    if context.as_json:
        emit(
            {
                "client": found.client.name,
                "scope": found.scope,
                "dry_run": dry_run,
                "files": [
                    _describe(change, backup, dry_run=dry_run)
                    for change, backup in zip(changes, backups, strict=True)
                ],
                "notes": notes,
            }
        )
        return
    if dry_run:
        for change in changes:
            _print_difference(change)
    for change, backup in zip(changes, backups, strict=True):
        verb = change.tell(is_dry=dry_run)
        say(f"{verb} {change.file}" + (f" (before: {backup})" if backup else ""))
    if not changes:
        say(f"{found.client.title}: nothing to change")
    for line in notes:
        note(line)


def _list_notes(found: Installation) -> list[str]:
    client = found.client
    notes = [*client.notes, *(client.project_notes if found.scope == "project" else ())]
    return [*notes, f"Start a new session of {client.title} to use it."]


def _describe(change: SettingsChange, backup: Path | None, *, dry_run: bool) -> dict[str, Any]:
    """Return what was done to a file; its lines, which may hold secrets, in a dry run alone."""
    difference = {"difference": "".join(change.compare())} if dry_run else {}
    return {
        "file": str(change.file),
        "backup": None if backup is None else str(backup),
        "removed": change.after is None,
        **difference,
    }


def _print_difference(change: SettingsChange) -> None:
    for line in change.compare():
        say(line.rstrip("\r\n"))


def _list(context: CommandContext) -> None:
    rows: list[dict[str, Any]] = []
    for client in CLIENTS:
        found = _find(context, client, project=False, hooks=True)
        state, file = "not there", None
        try:
            file = found.file
            state = "installed" if found.find_server() else "found" if file.exists() else state
        except WellwornError as failure:
            state = failure.message
        rows.append({"client": client.name, "file": file and str(file), "state": state})
    if context.as_json:
        emit({"clients": rows})
        return
    for row in rows:
        say(f"{row['client']:<15} {row['state']:<10} {row['file'] or ''}")
