"""Commands that look after a data folder: doctor, rebuild, reembed, salvage, decay."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.output import say

if TYPE_CHECKING:
    from wellworn.application.maintenance import HealthReport, ReembeddingSummary

commands = new_group()
_NICENESS = 10


@command(commands, "doctor --json", options=FOLDER)
def doctor(context: CommandContext) -> None:
    """Check the data folder, the service, and the clients that agents live in.

    Says how to fix each problem. The exit code is 1 when there is one.
    """
    from wellworn.application import maintenance
    from wellworn.engines.projects import find_project
    from wellworn.interfaces.cli.client_checks import check_clients
    from wellworn.interfaces.cli.service import check_service

    report = maintenance.doctor(context.folder)
    project = find_project()
    clients = check_clients(context.folder, project and project.directory)
    report = replace(report, findings=(*report.findings, check_service(context.folder), *clients))
    context.show(report, _print_report)
    if not report.is_well:
        raise typer.Exit(1)


@command(commands, "stop && wellworn rebuild", options=FOLDER)
def rebuild(context: CommandContext) -> None:
    """Rebuild all derived data from the database."""
    from wellworn.application import maintenance

    with context.progress("rebuilding") as advance:
        maintenance.rebuild(context.folder, advance)
    context.show({"rebuilt": str(context.folder)}, "rebuilt")


@command(commands, "reembed --dry-run", options=FOLDER)
def reembed(
    context: CommandContext,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check the encoder and count what it would do.")
    ] = False,
) -> None:
    """Change to the encoder that the settings name.

    Works beside a running server, which answers by the old encoder until the new vectors are whole
    and then changes over. Run it again to go on where it was stopped.
    """
    from wellworn.application import maintenance

    # Calls to the server come first.
    os.nice(_NICENESS)
    with context.progress("embedding") as advance:
        summary = maintenance.reembed(context.folder, advance, is_dry=dry_run)
    context.show(asdict(summary), _describe_reembedding(summary))


@command(commands, "salvage ./salvaged", options=FOLDER)
def salvage(
    context: CommandContext,
    target: Annotated[Path, typer.Argument(help="A folder that does not exist yet.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what can be recovered.")
    ] = False,
) -> None:
    """Recover what can be read of a damaged data folder.

    Makes a new data folder, with the server's key, and names what is lost. The exit code is 1 if
    anything is. The damaged folder is only read. Stop the server first.
    """
    from wellworn.application import maintenance

    with context.progress("salvaging") as advance:
        report = maintenance.salvage(context.folder, target.absolute(), advance, is_dry=dry_run)
    where = "can be recovered" if dry_run else f"recovered into {target}"
    lines = (f"  {row.table} {row.name}: {row.reason}" for row in report.lost)
    heading = [f"{report.rows} rows {where}", f"{len(report.lost)} losses" if report.lost else ""]
    result = {"target": None if dry_run else str(target), **asdict(report)}
    context.show(result, "\n".join(filter(None, [*heading, *lines])))
    if report.lost:
        raise typer.Exit(1)


@command(commands, "decay")
def decay(context: CommandContext) -> None:
    """Write the present weight of every trail.

    Reading never needs this.
    """
    settled = context.memory.decay()
    context.show(settled, f"settled {settled.settled} weights")


def _describe_reembedding(summary: ReembeddingSummary) -> str:
    counts = f"{summary.thoughts} thoughts, {summary.chunks} chunks, {summary.turns} turns"
    vectors = f"{summary.encoder} (vectors of {summary.dimensions} numbers)"
    outcomes = {
        "unchanged": f"nothing to do: {vectors} serves already",
        "planned": f"{vectors} works, and would embed {counts}",
        "changed": f"embedded {counts}; {vectors} serves now",
        "waiting": (
            f"embedded {counts}; {vectors} is whole, and serves after the server's next start."
            " The server's log says why it has not changed over by itself."
        ),
    }
    return outcomes[summary.state]


def _print_report(report: HealthReport) -> None:
    for finding in report.findings:
        say(f"{'ok' if finding.ok else 'WRONG':>5}  {finding.check}: {finding.message}")
