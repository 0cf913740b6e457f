"""The command that lets a space sleep: what several thoughts say alike, in titled quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.output import format_minute, note, say
from wellworn.interfaces.cli.thought_output import print_overview

if TYPE_CHECKING:
    from wellworn.client.models import Rest

commands = new_group()


@command(commands, "sleep --dry-run")
def sleep(
    context: CommandContext,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be brought together; keep nothing.")
    ] = False,
    last: Annotated[
        bool, typer.Option("--last", help="Show what the last sleep left, and do nothing.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most overviews.")] = 20,
) -> None:
    """Bring together what several thoughts say alike, as quotes of what is true now.

    The server does so every night by itself. Answers to which several of these thoughts belong
    tell of it beside their results.
    """
    if dry_run and last:
        raise typer.BadParameter("choose one of --dry-run and --last")
    memory = context.memory
    rest = memory.overviews(limit=limit) if last else memory.sleep(dry_run=dry_run, limit=limit)
    context.show(rest, _print_rest)


def _print_rest(rest: Rest) -> None:
    for overview in rest.overviews:
        print_overview(overview)
    if rest.is_waiting:
        say("the space sleeps in the background; look again with --last")
    elif not rest.overviews:
        say("nothing to bring together: it takes four thoughts that say nearly the same")
    counts = {"new": rest.made, "renewed": rest.renewed, "as before": rest.kept}
    counts["gone"] = rest.removed
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    if told:
        note(f"{'would be ' if rest.dry_run else ''}{told}")
    if rest.slept_at is not None:
        note(f"slept at {format_minute(rest.slept_at)}")
