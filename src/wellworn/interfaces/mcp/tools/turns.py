"""The tool of turns: a question that is worked on in phases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.domain.spaces import Access
from wellworn.domain.turns import TurnQuery
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.resources import name_turn_file
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer
from wellworn.interfaces.mcp.turn_results import describe_turn, format_turn

if TYPE_CHECKING:
    from wellworn.application.calls import App


def _ask(app: App, access: Access, caller: Caller, arguments: takes.AskArguments) -> ToolAnswer:
    agent = caller.agent(takes.Spoken())
    query = TurnQuery(
        arguments.query,
        agent.agent_id,
        agent.agent_name,
        follows=arguments.follows,
        key=caller.key(),
    )
    answer = app.turns.ask(access, query)
    result = describe_turn(answer, name_turn_file(answer.turn.id))
    return result, format_turn(result)


TOOLS = (
    Tool(
        "ask",
        "Ask",
        "Answer a question from memory and documents, with checked sources; slow. `follows`: id "
        "of a turn to go on from.",
        takes.AskArguments,
        _ask,
        is_slow=True,
    ),
)
