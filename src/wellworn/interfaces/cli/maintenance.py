"""Commands that look after a data folder: doctor, rebuild, reembed, salvage, move, decay."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.options import Yes
from wellworn.interfaces.cli.output import ask_to_confirm, note, say

if TYPE_CHECKING:
    from wellworn.application.maintenance import (
        HealthReport,
        MovePlan,
        MoveReport,
        ReembeddingSummary,
    )

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


@command(commands, "move --to postgresql://wellworn@db.example.org/wellworn", options=FOLDER)
def move(
    context: CommandContext,
    *,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            envvar="WELLWORN_MOVE_TO",
            metavar="URL",
            help="postgresql://user@host/name, or sqlite for a file in the data folder. Prefer the"
            " variable for a URL with a password: others on the machine can see arguments.",
        ),
    ] = None,
    undo: Annotated[
        bool,
        typer.Option("--undo", help="Go on with what the records were moved from, as it was then."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check both sides and count what would move.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Move the records to PostgreSQL, or back to a file.

    Every table is copied and compared on both sides; nothing is embedded anew. What the records
    were in stays as it was, marked. Stopped at any point, run it again. Stop the server first.
    """
    from wellworn.application import maintenance

    if undo:
        ask_to_confirm(maintenance.plan_undo(context.folder), yes=yes)
        setting = maintenance.undo_move(context.folder)
        context.show(
            {"undone": True, "setting": setting}, f"done; before the next start: {setting}"
        )
        return
    if to is None:
        raise typer.BadParameter("name where to, with --to, or go back with --undo")
    plan = maintenance.plan_move(context.folder, to, is_dry=dry_run)
    if dry_run:
        context.show(plan, _print_plan)
        return
    if not context.as_json:
        _print_plan(plan)
    ask_to_confirm(f"Move {plan.total} rows to {plan.target}?", yes=yes)
    with context.progress("moving") as advance:
        report = maintenance.move(context.folder, to, advance)
    context.show(report, _print_move)


@command(commands, "decay")
def decay(context: CommandContext) -> None:
    """Write the present weight of every trail.

    Reading never needs this.
    """
    settled = context.memory.decay()
    context.show(settled, f"settled {settled.settled} weights")


def _print_plan(plan: MovePlan) -> None:
    say(f"from {plan.source}: {plan.total} rows, {plan.size_bytes / 1e6:.1f} MB")
    going_on = ": it has part of this move, which goes on" if plan.resumes else ", which is empty"
    say(f"to {plan.target}{'' if plan.set_aside else going_on}")
    for name, rows in plan.rows.items():
        say(f"{rows:>12}  {name}")
    if plan.not_moved:
        say(f"not wellworn's, and left out: {', '.join(plan.not_moved)}")
    if plan.set_aside:
        say(f"the file that lies there, of before, is renamed to {plan.set_aside}")
    say("stays in the data folder:")
    for each in plan.stays:
        say(f"{each.files:>12}  {each.name} ({each.size_bytes / 1e6:.1f} MB)")


def _print_move(report: MoveReport) -> None:
    width = max(len(table.name) for table in report.tables)
    say(f"{'table':<{width}}  {'rows':>9}  {'there':>9}  {'digest':<12}  {'there':<12}")
    for table in report.tables:
        if table.rows:
            counts = f"{table.rows:>9}  {table.target_rows:>9}"
            digests = f"{table.digest[:12]}  {table.target_digest[:12]}  same"
            say(f"{table.name:<{width}}  {counts}  {digests}")
    empty = sum(not table.rows for table in report.tables)
    say(f"{empty} tables are empty on both sides")
    for trail in report.trails:
        verdict = f"WRONG as before: {trail.fault}" if trail.fault else "holds"
        counts = f"{trail.entries} entries, {trail.checkpoints} checkpoints"
        say(f"audit trail of {trail.space}: {counts}, {verdict}")
    if report.vectors is None:
        say("vectors: the folder has no whole index; the next start makes them")
    else:
        kinds = ", ".join(f"{count} of {kind}" for kind, count in report.vectors.items())
        say(f"vectors: {kinds}; none made anew")
    say(f"moved to {report.target}; before the next start: {report.setting}")
    note(f"as it was, and not served any more: {report.left}. It keeps what is erased from now on:")
    note("remove it when you need no way back; until then `wellworn move --undo` goes on with it")


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
        state = "WRONG" if not finding.ok else "warns" if finding.warns else "ok"
        say(f"{state:>5}  {finding.check}: {finding.message}")
