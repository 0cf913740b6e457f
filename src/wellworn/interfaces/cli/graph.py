"""Commands about what the use of a memory tells: neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.options import ThoughtId
from wellworn.interfaces.cli.output import EXCERPT, format_minute, note, say
from wellworn.kit.text import shorten, show_name

if TYPE_CHECKING:
    from wellworn.client.models import Neighbours

Kind: TypeAlias = Literal[
    "co_use", "provenance", "replacement", "affirmation", "co_retrieval", "nearness"
]
_HEADS = {
    "co_use": "used together",
    "provenance": "built on one another",
    "replacement": "replace one another",
    "affirmation": "say the same",
    "co_retrieval": "shown together",
    "nearness": "lie near",
}

commands = new_group()


@command(commands, "neighbours THOUGHT_ID --kind co_use")
def neighbours(
    context: CommandContext,
    thought_id: ThoughtId,
    *,
    kind: Annotated[Kind | None, typer.Option(help="Only what is tied to it so.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most of each kind.")] = 10,
) -> None:
    """Print what is tied to a thought, each kind apart and with its evidence.

    Leaves no trail.
    """
    found = context.memory.neighbours(context.find_thought_id(thought_id), kind=kind, limit=limit)
    context.show(found, _print_neighbours)


def _print_neighbours(found: Neighbours) -> None:
    for kind, count in found.counts.model_dump().items():
        listed = [each for each in found.neighbours if each.kind == kind]
        if count:
            say(f"{_HEADS[kind]}: {count}")
        for each in listed:
            relation = f"{each.relation.replace('_', ' ')}: " if each.relation else ""
            outdated = "" if each.outdated_at is None else "  (not true any more)"
            say(f"  {relation}{shorten(each.content, EXCERPT)}{outdated}")
            say(f"      {each.evidence}")
            say(f"      {each.thought_id}  {show_name(each.contributor)}")
    if not found.neighbours:
        say("nothing is tied to it yet")
    for each in found.affirmed_by:
        last = format_minute(each.last_at)
        if each.contributor is None:
            note(f"found useful by {each.agents}, last {last}")
        else:
            note(f"said again by {show_name(each.contributor)}, last {last}")
