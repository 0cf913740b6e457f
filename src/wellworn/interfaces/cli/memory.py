"""Commands that talk to the memory: remember, recall, feedback, highways."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from wellworn.interfaces.cli import thought_output
from wellworn.interfaces.cli.context import (
    AGENT,
    TALKING,
    CommandContext,
    command,
    new_group,
)
from wellworn.interfaces.cli.options import (
    By,
    Session,
    Since,
    Tags,
    ThoughtId,
    Until,
    parse_end,
    parse_time,
    read_text,
    require_order,
)
from wellworn.interfaces.cli.output import fold_spaces, format_minute, say

if TYPE_CHECKING:
    from wellworn.client import Reply

_MOST_RELATED = 3


Method: TypeAlias = Literal["hybrid", "vector"]
Signal: TypeAlias = Literal["useful", "irrelevant", "outdated", "wrong", "none"]
Order: TypeAlias = Literal["traffic", "pheromone", "recent", "use"]
Task = Annotated[str | None, typer.Option("--context", help="What you are working on.")]

commands = new_group()


@command(commands, "remember 'The build needs Python 3.11.' --tag build", options=TALKING)
def remember(
    context: CommandContext,
    text: Annotated[str, typer.Argument(help="The thought; - reads it from stdin.")],
    *,
    tag: Tags = None,
    replaces: Annotated[
        list[str] | None,
        typer.Option(
            metavar="THOUGHT_ID",
            help="A thought that this one makes untrue; can be repeated.",
        ),
    ] = None,
    refines: Annotated[
        list[str] | None,
        typer.Option(
            metavar="THOUGHT_ID",
            help="A thought that this one improves; repeat it to merge several.",
        ),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(
            "--expires-at",
            parser=parse_end,
            metavar="TIME",
            help="From when on it is history: 2026-12-24 (to the end of that day), "
            "2026-12-24T15:00Z (UTC), or 7d (in 7 days).",
        ),
    ] = None,
    task: Task = None,
    session: Session = None,
) -> None:
    """Store a thought for every agent to find."""
    reply = context.memory.remember(
        read_text(text),
        tags=tag or (),
        replaces=tuple(map(context.find_thought_id, replaces or ())),
        source_ids=tuple(map(context.find_thought_id, refines or ())),
        expires_at=expires,
        context=task,
        session_id=session,
        explain=False,
    )
    if "create_project" in reply.trace.operations:
        context.note_project()
    names_thoughts = bool(replaces or refines)
    context.show(reply, partial(_print_stored, names_thoughts=names_thoughts, until=expires))


@command(commands, "recall 'which Python does the build need?'", options=TALKING)
def recall(
    context: CommandContext,
    question: Annotated[str, typer.Argument(help="What you want to know; - reads it from stdin.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most results.")] = 10,
    tag: Tags = None,
    all_tags: Annotated[bool, typer.Option("--all-tags", help="Require all given tags.")] = False,
    exclude_self: Annotated[
        bool, typer.Option("--exclude-self", help="Leave out your own thoughts.")
    ] = False,
    min_score: Annotated[
        float | None, typer.Option(min=-1, max=1, help="Least cosine similarity.")
    ] = None,
    min_relevance: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Least probability that a result is relevant."),
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Also show irrelevant results.")] = False,
    since: Since = None,
    until: Until = None,
    by: By = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            parser=parse_time,
            metavar="TIME",
            help="Answer as of this time; a day counts to its end. Nothing said later counts.",
        ),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also show what was true before, newest first.")
    ] = False,
    method: Annotated[Method | None, typer.Option(help="How to order results.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why each result ranks where it does.")
    ] = False,
    include_unverified: Annotated[
        bool, typer.Option("--include-unverified", help="Also show held thoughts.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print whole thoughts.")] = False,
    task: Task = None,
    session: Session = None,
) -> None:
    """Ask the memory.

    This strengthens the trails of the thoughts that it returns.
    """
    if show_all and min_relevance is not None:
        raise typer.BadParameter("use either --all or --min-relevance")
    require_order(since, until)
    asked = read_text(question)
    reply = context.memory.recall(
        asked,
        limit=limit,
        filter_tags=tag or (),
        match_all_tags=all_tags,
        exclude_self=exclude_self,
        min_score=min_score,
        min_relevance=0.0 if show_all else min_relevance,
        since=since,
        until=until,
        by=by,
        as_of=as_of,
        history=history,
        retrieval_method=method,
        include_unverified=include_unverified,
        context=task,
        session_id=session,
    )

    def print_recalled(reply: Reply) -> None:
        thought_output.print_sources(reply, asked, full=full, explain=explain)
        thought_output.print_closing(reply)

    context.show(reply, print_recalled)


@command(commands, "context 'why does staging refuse connections?'", options=AGENT)
def context(
    context: CommandContext,
    prompt: Annotated[
        str | None, typer.Argument(help="What an agent was told; - reads it from stdin.")
    ] = None,
    *,
    budget: Annotated[int, typer.Option(min=100, max=20_000, help="Most tokens.")] = 600,
) -> None:
    """Print what an agent should have before it goes on, as its hooks do.

    For a prompt what is close to it, or nothing. Without one what matters of the memory now.
    """
    asked = None if prompt is None else read_text(prompt)
    packed = context.memory.context(asked, budget_tokens=budget)
    context.show(packed, packed.text or "nothing close")


@command(commands, "feedback THOUGHT_ID useful --session SESSION_ID", options=AGENT)
def feedback(
    context: CommandContext,
    thought_id: ThoughtId,
    signal: Annotated[Signal, typer.Argument(help="Whether it helped, and whether it is true.")],
    *,
    session: Annotated[
        str, typer.Option("--session", help="The session in which recall returned it.")
    ],
) -> None:
    """Say if a recalled thought helped, is outdated or wrong.

    The signal none withdraws an earlier one.
    """
    taken = context.memory.feedback(session, context.find_thought_id(thought_id), signal)
    outcome = "withdrawn" if signal == "none" else f"recorded: {taken.signal}"
    context.show(taken, f"{outcome}; its trail is now {taken.pheromone_weight:.2f}")


@command(commands, "highways --sort use --limit 5")
def highways(
    context: CommandContext,
    *,
    sort: Annotated[Order, typer.Option(help="The order.")] = "use",
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most results.")] = 20,
    min_access: Annotated[int, typer.Option(min=0, help="Least number of accesses.")] = 3,
    min_users: Annotated[int, typer.Option(min=0, help="Least number of agents.")] = 2,
) -> None:
    """List the thoughts that several agents keep coming back to."""
    highways = context.memory.highways(
        min_access=min_access, min_users=min_users, limit=limit, sort_by=sort
    )
    context.show(highways, thought_output.print_highways)


def _print_related(reply: Reply) -> None:
    related = reply.result.sources
    linked = [
        (link.describe("replaces", "contradicts"), source)
        for source in related
        for link in source.replaced_by or ()
        if link.is_inferred_by(reply.thought_id)
    ]
    for verb, source in linked:
        say(f"{verb}: {fold_spaces(source.content_preview)}  {source.thought_id}")
    if linked:
        say(f"if that is wrong: wellworn thought unreplace {reply.thought_id} ID")
        return
    for source in related[:_MOST_RELATED]:
        say(f"related: {fold_spaces(source.content_preview)}  {source.thought_id}")
    if related:
        say("if it replaces one of them, remember it again with --replaces ID")


def _print_stored(reply: Reply, *, names_thoughts: bool, until: str | None) -> None:
    is_new = reply.trace.thoughts_contributed > 0
    say(f"{'remembered' if is_new else 'already known, affirmed'}: {reply.thought_id}")
    if until is not None:
        say(f"true until {format_minute(until)}")
    if "quarantine" in reply.trace.operations:
        say("it reads like an instruction, so it is held until an admin releases it")
    elif is_new and not names_thoughts:
        _print_related(reply)
    thought_output.print_closing(reply)
