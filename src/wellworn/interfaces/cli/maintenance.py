"""Commands that look after a data folder: doctor, rebuild, decay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.output import say

if TYPE_CHECKING:
    from wellworn.application.maintenance import HealthReport

commands = new_group()


@command(commands, "doctor --json", options=FOLDER)
def doctor(context: CommandContext) -> None:
    """Check the data folder.

    Says what to do about each fault; the exit code is 1 when there is one.
    """
    from wellworn.application import maintenance

    report = maintenance.doctor(context.folder)
    context.show(report, _print_report)
    if not all(finding.ok for finding in report.findings):
        raise typer.Exit(1)


@command(commands, "stop && wellworn rebuild", options=FOLDER)
def rebuild(context: CommandContext) -> None:
    """Make all derived data anew from the ledger."""
    from wellworn.application import maintenance

    with context.progress("rebuilding") as advance:
        maintenance.rebuild(context.folder, advance)
    context.show({"rebuilt": str(context.folder)}, "rebuilt")


@command(commands, "decay")
def decay(context: CommandContext) -> None:
    """Settle every stored weight; reading never needs it."""
    settled = context.memory.decay()
    context.show(settled, f"settled {settled.settled} weights")


def _print_report(report: HealthReport) -> None:
    for finding in report.findings:
        say(f"{'ok' if finding.ok else 'WRONG':>5}  {finding.check}: {finding.message}")
