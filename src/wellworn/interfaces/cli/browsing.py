"""Commands that browse a space: outline and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url
from wellworn.interfaces.cli.output import emit, note, say
from wellworn.interfaces.cli.rendering import day, one_line

if TYPE_CHECKING:
    from wellworn.client.models import Node, Passage

_UNCLEAR = "the name is not clear; name one of these by its id:"
NodeName = Annotated[
    str, typer.Argument(metavar="NODE", help="An id from an outline, or the name of something.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: wellworn outline runbook.md --depth 2")(outline)
    app.command(epilog="Example: wellworn read 'doc:04fe73413ba434f9#2'")(read)


def outline(
    node: Annotated[
        str | None,
        typer.Argument(metavar="[NODE]", help="An id or a name; without it the whole space."),
    ] = None,
    *,
    depth: Annotated[int, typer.Option(min=0, max=6, help="Levels below the node.")] = 1,
    offset: Annotated[int, typer.Option(min=0, help="Children to pass over.")] = 0,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print what a space, a source, a document, a session or a tag holds, each with its id."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.outline(node, depth=depth, offset=offset)
    if as_json:
        emit(found)
    elif found.node is None:
        _choose(found.candidates)
    else:
        for line in _lines(found.node, 0):
            say(line)


def read(
    node: NodeName,
    *,
    offset: Annotated[int, typer.Option(min=0, help="Characters to pass over.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=20_000, help="Most characters.")] = 4_000,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print the text of a node, each stretch below its source; leaves no trail."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.read(node, offset=offset, limit=limit)
    if as_json:
        emit(found)
    elif found.node is None:
        _choose(found.candidates)
    else:
        _print(found)


def _choose(candidates: Sequence[Node]) -> None:
    note(_UNCLEAR)
    for one in candidates:
        say(_told(one))


def _lines(node: Node, depth: int) -> Iterator[str]:
    yield "  " * depth + _told(node)
    for one in node.children:
        yield from _lines(one, depth + 1)
    if node.next_offset is not None and node.count is not None:
        left = node.count - node.next_offset
        yield f"{'  ' * (depth + 1)}… {left} more from --offset {node.next_offset}"


def _told(node: Node) -> str:
    below = f", {node.count} below" if node.count else ""
    opening = f"  {one_line(node.opening)}" if node.opening else ""
    title = one_line(node.title)
    return (title if title == node.id else f"{title} [{node.id}]") + below + opening


def _print(found: Passage) -> None:
    for part in found.parts:
        of = f"document {part.source}" if part.citation else part.source
        by = one_line(part.citation or part.contributor)
        place = f"{of}, characters {part.start} to {part.end}"
        say(f"{by}, {day(part.created_at)}, {place}")
        for line in part.text.splitlines():
            say(f"  {line}")
    if found.next_offset is not None:
        note(f"goes on with --offset {found.next_offset}, of {found.characters} characters")
