"""The commands about sleep: what several thoughts say alike, and bridges between topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.output import EXCERPT, fold_spaces, format_minute, note, say
from wellworn.interfaces.cli.thought_output import print_overview
from wellworn.kit.text import shorten

if TYPE_CHECKING:
    from wellworn.client.models import Bridges, Rest

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
        for change in overview.changes[:1]:
            say(
                f"      version {change.version}, {format_minute(change.made_at)}: "
                f"{change.came} sources came, {change.went} went"
            )
    if rest.is_waiting:
        say("the space sleeps in the background; look again with --last")
    elif not rest.overviews:
        say("nothing to bring together: it takes four thoughts that say nearly the same")
    counts = {"new": rest.made, "renewed": rest.renewed, "as before": rest.kept}
    counts["gone"] = rest.removed
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    if told:
        note(f"{'would be ' if rest.dry_run else ''}{told}")
    if rest.bridges:
        note(f"{rest.bridges} bridges between topics: wellworn bridges")
    if rest.slept_at is not None:
        note(f"slept at {format_minute(rest.slept_at)}")


@command(commands, "bridges --json")
def bridges(
    context: CommandContext,
    *,
    take: Annotated[
        list[str] | None,
        typer.Option("--take", metavar="ID", help="One that stays; for admins. Repeatable."),
    ] = None,
    decline: Annotated[
        list[str] | None,
        typer.Option("--decline", metavar="ID", help="One that is told no more; for admins."),
    ] = None,
) -> None:
    """Tell which topics that lie far apart were needed together, more than by chance.

    Sleep proposes them; a proposal expires a month after it was last found. No result follows.
    """
    memory = context.memory
    if take or decline:
        found = memory.decide_bridges(take=take or (), decline=decline or ())
    else:
        found = memory.bridges()
    context.show(found, _print_bridges)


def _print_bridges(found: Bridges) -> None:
    for bridge in found.bridges:
        titles = " and ".join(fold_spaces(end.title) or "(no words)" for end in bridge.ends)
        say(f"who needed one also needed the other: {titles}")
        say(
            f"      in {bridge.sessions} sessions of {bridge.users} users, "
            f"where {bridge.expected:.1f} are expected by chance"
        )
        for end in bridge.ends:
            words = "" if end.central is None else shorten(end.central.content_preview, EXCERPT)
            say(f"      topic {end.topic_id}, {end.size} thoughts: {words}")
        if bridge.expires_at is not None:
            say(f"      proposed, until {format_minute(bridge.expires_at)}")
        elif bridge.taken_at is not None:
            say(f"      taken {format_minute(bridge.taken_at)}")
        say(f"      {bridge.id}")
    if not found.bridges:
        say("no topics that lie far apart were needed together more often than by chance")
    if found.slept_at is not None:
        note(f"looked for at {format_minute(found.slept_at)}")
