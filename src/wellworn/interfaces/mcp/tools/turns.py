"""The tool of turns: a question that is worked on in phases, or an agent's own work, stored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wellworn.domain.spaces import Access
from wellworn.domain.turns import RecordedEntry, TurnQuery
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.resources import name_turn_file
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer
from wellworn.interfaces.mcp.turn_results import (
    OwnTurnResult,
    describe_closed_turn,
    describe_open_turn,
    describe_turn,
    format_turn,
)
from wellworn.interfaces.turn_requests import EntryBody

if TYPE_CHECKING:
    from wellworn.application.calls import App


def _ask(app: App, access: Access, caller: Caller, arguments: takes.AskArguments) -> ToolAnswer:
    if arguments.is_own:
        return _keep_own(app, access, caller, arguments), None
    answer = app.turns.ask(access, _build_query(caller, arguments), caller.notify)
    result = describe_turn(answer, name_turn_file(answer.turn.id))
    places = (source.source for source in result.sources)
    return result, format_turn(result, app.guard.thought_ids.shorten_places(access, places))


def _keep_own(
    app: App, access: Access, caller: Caller, arguments: takes.AskArguments
) -> OwnTurnResult:
    """Open a turn of the agent's own unless it is open, append to it and close it, as asked."""
    turn_id = arguments.turn_id
    if turn_id is None:
        query = _build_query(caller, arguments)
        key = arguments.key or query.key
        turn_id = app.turns.open(access, replace(query, engine=query.agent_id, key=key)).id
    entries = [_build_entry(app, access, entry) for entry in arguments.entries or ()]
    key = caller.key()
    sources = app.turns.append(access, turn_id, entries, key) if entries else []
    context = name_turn_file(turn_id)
    if arguments.answer is None:
        return describe_open_turn(turn_id, context, sources)
    claims = [claim.to_claim() for claim in arguments.claims]
    answer = app.turns.close(access, turn_id, arguments.answer, claims)
    return describe_closed_turn(answer, context, sources)


def _build_entry(app: App, access: Access, body: EntryBody) -> RecordedEntry:
    entry = body.to_entry()
    complete = app.guard.thought_ids.complete_place
    sources = (replace(each, source=complete(access, each.source)) for each in entry.sources)
    return replace(entry, sources=tuple(sources))


def _build_query(caller: Caller, arguments: takes.AskArguments) -> TurnQuery:
    agent = caller.agent(takes.Spoken())
    return TurnQuery(
        arguments.query or "",
        agent.agent_id,
        agent.agent_name,
        follows=arguments.follows,
        key=caller.key(),
    )


TOOLS = (
    Tool(
        "ask",
        "Ask",
        "Answer from memory and documents, with checked sources; slow. `follows`: a turn to go on "
        "from. Or keep your own work: `query` and `entries` [{result, tool, arguments, sources: "
        "[{text, source}]}] open a turn, `turn_id` adds, `answer` and `claims` [{text, evidence: "
        "number}] end it.",
        takes.AskArguments,
        _ask,
        is_slow=lambda arguments: not arguments.is_own,
    ),
)
