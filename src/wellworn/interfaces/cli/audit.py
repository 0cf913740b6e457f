"""Commands about the audit trail of a space: show, verify, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli import audit_comparison
from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.output import write_lines
from wellworn.interfaces.cli.space_output import print_audit_entries

if TYPE_CHECKING:
    from wellworn.client.models import Verdict

Trail = Annotated[
    str | None,
    typer.Option(
        "--of",
        help="Another trail, for admins of ks-default: server (which has changes to credentials), "
        "or the id of a deleted space.",
    ),
]

commands = new_group(
    "See who did what in a space, and verify the record.",
    example="audit show --space team",
)


@command(commands, "audit show --space team --after 100")
def show(
    context: CommandContext,
    *,
    after: Annotated[int, typer.Option(min=0, help="Number of the last entry that you know.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most entries.")] = 100,
    of: Trail = None,
) -> None:
    """Print who did what, in order, but never what was said."""
    context.show(context.memory.audit(after=after, limit=limit, of=of), print_audit_entries)


@command(commands, "audit verify --kept last-week.jsonl")
def verify(
    context: CommandContext,
    *,
    earlier: Annotated[
        Path | None,
        typer.Option(
            "--kept",
            exists=True,
            dir_okay=False,
            help="An earlier export, or log lines with checkpoints, kept elsewhere.",
        ),
    ] = None,
    of: Trail = None,
) -> None:
    """Check the whole trail against its chain and its checkpoints.

    The exit code is 1 when the check fails. Only what you kept elsewhere can show that entries
    at the end are missing, or that somebody with the server's key rewrote the trail.
    """
    verdict = context.memory.verify_audit(of=of)
    if earlier is not None and verdict.ok:
        lines = earlier.read_text("utf-8", errors="replace").splitlines()
        hashes = audit_comparison.read_hashes(lines)
        verdict = audit_comparison.compare(verdict, context.memory.export_audit(of=of), hashes)
    context.show(verdict, _format_verdict(verdict))
    if not verdict.ok:
        raise typer.Exit(1)


@command(commands, "audit export trail.jsonl --space team")
def export(
    context: CommandContext,
    target: Annotated[Path, typer.Argument(help="A file, or - for stdout.")],
    *,
    of: Trail = None,
) -> None:
    """Write the trail with hashes and checkpoints.

    Each line is one JSON record. A later export begins with an earlier one, byte for byte.
    """
    count = write_lines(context.memory.export_audit(of=of), target)
    if str(target) != "-":
        result = {"lines": count, "target": str(target)}
        context.show(result, f"exported {count} lines to {target}")


def _format_verdict(verdict: Verdict) -> str:
    counts = f"{verdict.entries} entries and {verdict.checkpoints} checkpoints are valid"
    if verdict.ok:
        return f"ok: {counts}"
    return f"WRONG: {verdict.reason} at entry {verdict.first_bad_seq}; {counts}"
