"""Commands about one thought: show, trace, unreplace, end, erase; and about those held back."""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import thought_output
from wellworn.interfaces.cli.context import AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.options import ThoughtId, Yes, parse_end, strip_kind
from wellworn.interfaces.cli.output import ask_to_confirm

commands = new_group(
    "Show, trace, erase or release one thought.", example="thought show THOUGHT_ID"
)


@command(commands, "thought show THOUGHT_ID --json")
def show(context: CommandContext, thought_id: ThoughtId) -> None:
    """Print the full record of a thought; leaves no trail."""
    context.show(context.memory.thought(thought_id), thought_output.print_thought)


@command(commands, "thought provenance THOUGHT_ID --depth 3")
def provenance(
    context: CommandContext,
    thought_id: ThoughtId,
    *,
    depth: Annotated[int, typer.Option(min=1, max=20, help="Most steps in each direction.")] = 20,
) -> None:
    """Print what a thought was built on, and what was built on it."""
    chains = context.memory.provenance(context.find_thought_id(thought_id), depth=depth)
    context.show(chains, thought_output.print_provenance)


@command(commands, "thought unreplace THOUGHT_ID REPLACED_ID", options=AGENT)
def unreplace(
    context: CommandContext,
    thought_id: ThoughtId,
    replaced_id: Annotated[
        str,
        typer.Argument(
            metavar="REPLACED_ID", help="Id of the thought that it replaces.", callback=strip_kind
        ),
    ],
) -> None:
    """Withdraw a replacement: both thoughts are true again."""
    withdrawn = context.memory.withdraw_replacement(
        context.find_thought_id(thought_id), context.find_thought_id(replaced_id)
    )
    context.show(withdrawn, f"withdrawn: {thought_id} does not replace {replaced_id}")


@command(commands, "thought end THOUGHT_ID --at 2026-12-24", options=AGENT)
def end(
    context: CommandContext,
    thought_id: ThoughtId,
    *,
    at: Annotated[
        str | None,
        typer.Option(
            parser=parse_end,
            metavar="TIME",
            help="2026-12-24 (to the end of that day), 2026-12-24T15:00Z (UTC), 7d (in 7 days), "
            "or a time that is over.",
        ),
    ] = None,
    never: Annotated[
        bool, typer.Option("--never", help="It has no end, whatever was said before.")
    ] = False,
) -> None:
    """Say until when a thought is true.

    From then on it is history: still there to look back at, and never shown first.
    """
    if (at is None) is not never:
        raise typer.BadParameter("use either --at TIME or --never")
    ended = context.memory.end(context.find_thought_id(thought_id), at)
    told = "has no end" if ended.expires_at is None else f"is true until {ended.expires_at}"
    context.show(ended, f"{ended.thought_id} {told}")


@command(commands, "thought erase THOUGHT_ID --reason 'a secret'", options=AGENT)
def erase(
    context: CommandContext,
    thought_id: ThoughtId,
    *,
    reason: Annotated[str | None, typer.Option(help="Kept with the record of the erasure.")] = None,
    yes: Yes = False,
) -> None:
    """Remove the content of a thought for good.

    The record that it existed stays. Before you confirm, you see what it says, who said it and
    when.
    """
    thought_id = context.find_thought_id(thought_id)
    if not yes:
        thought_output.note_thought(context.memory.thought(thought_id))
    ask_to_confirm(f"Erase {thought_id}? Its content cannot be recovered.", yes=yes)
    erased = context.memory.erase(thought_id, reason=reason)
    context.show(erased, f"erased: {erased.thought_id}")


@command(commands, "thought held --space team")
def held(context: CommandContext) -> None:
    """List held thoughts, which read like an instruction.

    For admins of the space.
    """
    context.show(context.memory.held(), thought_output.print_held)


@command(commands, "thought release THOUGHT_ID --space team")
def release(context: CommandContext, thought_id: ThoughtId) -> None:
    """Release a held thought, so that it is found like any other."""
    thought_id = context.find_thought_id(thought_id)
    context.memory.release(thought_id)
    context.show({"released": thought_id}, f"released: {thought_id}")
