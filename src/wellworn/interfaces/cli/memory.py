"""Commands that talk to the memory: remember, recall, feedback, highways."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli import rendering
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import (
    DEFAULT_AGENT,
    DEFAULT_HOME,
    Agent,
    AgentName,
    Home,
    InSpace,
    Json,
    Key,
    Session,
    Tags,
    ThoughtId,
    Url,
    worded,
)
from wellworn.interfaces.cli.output import emit, say

if TYPE_CHECKING:
    from wellworn.client import Thought, Wellworn
    from wellworn.client.models import Source


class Method(StrEnum):
    """How recall looks: keywords and meaning together, or meaning alone."""

    HYBRID = "hybrid"
    VECTOR = "vector"


class Signal(StrEnum):
    """What feedback can say."""

    USEFUL = "useful"
    IRRELEVANT = "irrelevant"


class Order(StrEnum):
    """What highways are sorted by."""

    TRAFFIC = "traffic"
    PHEROMONE = "pheromone"
    RECENT = "recent"
    USE = "use"


Context = Annotated[str | None, typer.Option("--context", help="What you are working on.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: wellworn remember 'The build needs Python 3.11.' --tag build")(
        remember
    )
    app.command(epilog="Example: wellworn recall 'which Python does the build need?'")(recall)
    app.command(epilog="Example: wellworn feedback THOUGHT_ID useful --session SESSION_ID")(
        feedback
    )
    app.command(epilog="Example: wellworn highways --sort use --limit 5")(highways)


def remember(
    text: Annotated[str, typer.Argument(help="The thought; - reads it from stdin.")],
    *,
    tag: Tags = None,
    context: Context = None,
    session: Session = None,
    agent: Agent = DEFAULT_AGENT,
    agent_name: AgentName = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Store a thought for every agent to find."""
    with connect(home, url, agent, agent_name, key=key, space=space) as memory:
        reply = memory.remember(worded(text), tags=tag or (), context=context, session_id=session)
    if as_json:
        emit(reply)
        return
    stored = reply.trace.thoughts_contributed > 0
    say(f"{'remembered' if stored else 'known already, affirmed'}: {reply.thought_id}")
    if "quarantine" in reply.trace.operations:
        say("it reads like an order: held back until an admin releases it")
    rendering.closing(reply)


def recall(
    question: Annotated[str, typer.Argument(help="What you want to know; - reads it from stdin.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=50, help="At most this many.")] = 10,
    tag: Tags = None,
    all_tags: Annotated[bool, typer.Option("--all-tags", help="All given tags.")] = False,
    exclude_self: Annotated[bool, typer.Option("--exclude-self", help="Not your own.")] = False,
    min_score: Annotated[
        float | None, typer.Option(min=-1, max=1, help="Least cosine similarity.")
    ] = None,
    method: Annotated[Method | None, typer.Option(help="How to look.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why.")] = False,
    include_unverified: Annotated[
        bool, typer.Option("--include-unverified", help="Also what is held back.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print thoughts whole.")] = False,
    context: Context = None,
    session: Session = None,
    agent: Agent = DEFAULT_AGENT,
    agent_name: AgentName = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Ask the memory; what it returns is reinforced."""
    with connect(home, url, agent, agent_name, key=key, space=space) as memory:
        reply = memory.recall(
            worded(question),
            limit=limit,
            filter_tags=tag or (),
            match_all_tags=all_tags,
            exclude_self=exclude_self,
            min_score=min_score,
            retrieval_method=None if method is None else method.value,
            explain=explain,
            include_unverified=include_unverified,
            context=context,
            session_id=session,
        )
        if as_json:
            emit(reply)
            return
        records = [_record(memory, source) for source in reply.sources]
    rendering.recalled(reply, records, full=full)
    rendering.closing(reply)


def feedback(
    thought_id: ThoughtId,
    signal: Annotated[Signal, typer.Argument(help="Did it help?")],
    *,
    session: Annotated[str, typer.Option("--session", help="The session it was returned in.")],
    agent: Agent = DEFAULT_AGENT,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Say whether a recalled thought helped."""
    with connect(home, url, agent, key=key, space=space) as memory:
        taken = memory.feedback(session, thought_id, signal.value)
    if as_json:
        emit(taken)
    else:
        say(f"taken: {taken.signal}; its trail is now {taken.pheromone_weight:.2f}")


def highways(
    *,
    sort: Annotated[Order, typer.Option(help="Which come first.")] = Order.TRAFFIC,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most this many.")] = 20,
    min_access: Annotated[int, typer.Option(min=0, help="Least number of accesses.")] = 3,
    min_users: Annotated[int, typer.Option(min=0, help="Least number of agents.")] = 2,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """List the thoughts that several agents keep coming back to."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.highways(
            min_access=min_access, min_users=min_users, limit=limit, sort_by=sort.value
        )
    if as_json:
        emit(found)
    else:
        rendering.highways(found)


def _record(memory: Wellworn, source: Source) -> Thought | None:
    from wellworn.client import WellwornClientError

    try:
        return memory.thought(source.thought_id)
    except WellwornClientError:
        return None  # erased between the two calls, or too busy: the line is shorter
