"""The tools: what each is called, what it promises, and what it does.

Their descriptions are read with every session, so all of them together stay under 1,500 tokens;
an agent that needs fewer can choose.
"""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.errors import InvalidInput
from wellworn.interfaces.mcp.tools import browse, knowledge, memory, turns
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer

GROUPS: Mapping[str, tuple[Tool, ...]] = {
    "memory": memory.TOOLS,
    "knowledge": knowledge.TOOLS,
    "browse": browse.TOOLS,
    "turns": turns.TOOLS,
}
TOOLS = tuple(tool for group in GROUPS.values() for tool in group)


def choose_tools(names: str | None) -> dict[str, Tool]:
    """Return tools by name, those of some groups or names with commas between; all without.

    Raises:
        InvalidInput: one of the names is no group and no tool.
    """
    wanted = {name.strip() for name in (names or "").split(",")} - {""}
    if wanted - GROUPS.keys() - {tool.name for tool in TOOLS}:
        raise InvalidInput(f"tools must be {', '.join(GROUPS)} or names of tools, with commas")
    return {
        tool.name: tool
        for group, tools in GROUPS.items()
        for tool in tools
        if not wanted or wanted & {group, tool.name}
    }
