"""Commands about one thought: show, provenance, erase; and about those held back."""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import rendering
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import (
    DEFAULT_AGENT,
    DEFAULT_HOME,
    Agent,
    Home,
    InSpace,
    Json,
    Key,
    ThoughtId,
    Url,
    Yes,
)
from wellworn.interfaces.cli.output import emit, say


def register(app: typer.Typer) -> None:
    """Add the commands of this module, as `wellworn thought …`."""
    group = typer.Typer(
        help="Read, trace back, erase or release one thought.",
        epilog="Example: wellworn thought show THOUGHT_ID",
        rich_markup_mode=None,
        no_args_is_help=False,
    )
    group.command(epilog="Example: wellworn thought show THOUGHT_ID --json")(show)
    group.command(epilog="Example: wellworn thought provenance THOUGHT_ID --depth 3")(provenance)
    group.command(epilog="Example: wellworn thought erase THOUGHT_ID --reason 'a secret'")(erase)
    group.command(epilog="Example: wellworn thought held --space team")(held)
    group.command(epilog="Example: wellworn thought release THOUGHT_ID --space team")(release)
    app.add_typer(group, name="thought")


def show(
    thought_id: ThoughtId,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print the whole record of a thought; leaves no trail."""
    with connect(home, url, key=key, space=space) as memory:
        record = memory.thought(thought_id)
    emit(record) if as_json else rendering.thought(record)


def provenance(
    thought_id: ThoughtId,
    *,
    depth: Annotated[int, typer.Option(min=1, max=20, help="How many steps to walk.")] = 20,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print what a thought came from and what was built on it."""
    with connect(home, url, key=key, space=space) as memory:
        chains = memory.provenance(thought_id, depth=depth)
    emit(chains) if as_json else rendering.provenance(chains)


def erase(
    thought_id: ThoughtId,
    *,
    reason: Annotated[str | None, typer.Option(help="Kept with the trace of the erasure.")] = None,
    yes: Yes = False,
    agent: Agent = DEFAULT_AGENT,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Remove the content of a thought for good; that it was there stays known."""
    if not yes:
        typer.confirm(f"Erase {thought_id}? Its content cannot be had back.", abort=True, err=True)
    with connect(home, url, agent, key=key, space=space) as memory:
        erased = memory.erase(thought_id, reason=reason)
    emit(erased) if as_json else say(f"erased: {erased.thought_id}")


def held(
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """List what reads like an order and is held back, for admins to look at."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.held()
    emit(found) if as_json else rendering.held(found)


def release(
    thought_id: ThoughtId,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Let a held thought be found like any other."""
    with connect(home, url, key=key, space=space) as memory:
        memory.release(thought_id)
    emit({"released": thought_id}) if as_json else say(f"released: {thought_id}")
