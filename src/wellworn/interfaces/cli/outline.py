"""Commands that browse a space: outline, read and recent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli import thought_output
from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.options import By, Since, State, Topic, Until, Words, require_order
from wellworn.interfaces.cli.output import fold_spaces, format_minute, note, say
from wellworn.kit.text import show_name

if TYPE_CHECKING:
    from wellworn.client.models import Node, Outline, Passage

commands = new_group()


@command(commands, "outline runbook.md --depth 2")
def outline(
    context: CommandContext,
    node: Annotated[
        str | None,
        typer.Argument(metavar="[NODE]", help="An id or a name; by default, the whole space."),
    ] = None,
    *,
    depth: Annotated[int, typer.Option(min=0, max=6, help="Levels below the node.")] = 1,
    offset: Annotated[int, typer.Option(min=0, help="Children to skip.")] = 0,
) -> None:
    """Print what a space, or a place in it, contains.

    Places are sources, documents, sections, sessions, tags and topics, each with its id.
    """
    context.show(context.memory.outline(node, depth=depth, offset=offset), _print_outline)


@command(commands, "read 'doc:04fe73413ba434f9#2'")
def read(
    context: CommandContext,
    node: Annotated[str, typer.Argument(metavar="NODE", help="An id from an outline, or a name.")],
    *,
    offset: Annotated[int, typer.Option(min=0, help="Characters to skip.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=20_000, help="Most characters.")] = 4_000,
) -> None:
    """Print the text of a node, each part below its source.

    Leaves no trail.
    """
    context.show(context.memory.read(node, offset=offset, limit=limit), _print_passage)


@command(commands, "recent --since 7d --by ana")
def recent(
    context: CommandContext,
    *,
    since: Since = None,
    until: Until = None,
    by: By = None,
    words: Words = None,
    tag: Annotated[str | None, typer.Option(help="Only thoughts with this tag.")] = None,
    topic: Topic = None,
    state: State = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most thoughts.")] = 20,
    cursor: Annotated[
        str | None, typer.Option(help="Continue an earlier list, which printed this cursor.")
    ] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Also print how many fit, on all pages.")
    ] = False,
) -> None:
    """List thoughts that fit all filters, newest first, true or not; leaves no trail."""
    require_order(since, until)
    page = context.memory.list_thoughts(
        since=since,
        until=until,
        by=by,
        words=words,
        tag=tag,
        topic=topic,
        state=state,
        limit=limit,
        cursor=cursor,
        count=count,
    )
    if not page.thoughts:
        context.note_project()
    context.show(page, thought_output.print_thoughts)


def _print_outline(outline: Outline) -> None:
    if outline.node is None:
        _print_candidates(outline.candidates)
        return
    for line in _format_tree(outline.node, 0):
        say(line)


def _print_candidates(candidates: Sequence[Node]) -> None:
    note("the name is ambiguous; use the id of one of these:")
    for node in candidates:
        say(_format_node(node))


def _format_tree(node: Node, depth: int) -> Iterator[str]:
    yield "  " * depth + _format_node(node)
    for child in node.children:
        yield from _format_tree(child, depth + 1)
    if node.next_offset is not None and node.count is not None:
        left = node.count - node.next_offset
        yield f"{'  ' * (depth + 1)}… {left} more from --offset {node.next_offset}"


def _format_node(node: Node) -> str:
    below = f", {node.count} below" if node.count else ""
    opening = f"  {fold_spaces(node.opening)}" if node.opening else ""
    title = fold_spaces(node.title)
    return (title if title == node.id else f"{title} [{node.id}]") + below + opening


def _print_passage(passage: Passage) -> None:
    if passage.node is None:
        _print_candidates(passage.candidates)
        return
    for part in passage.parts:
        source = f"document {part.source}" if part.citation else part.source
        author = fold_spaces(part.citation or show_name(part.contributor))
        place = f"{source}, characters {part.start} to {part.end}"
        say(f"{author}, {format_minute(part.created_at)}, {place}")
        for line in part.text.splitlines():
            say(f"  {line}")
    if passage.next_offset is not None:
        note(f"continue with --offset {passage.next_offset}, of {passage.characters} characters")
