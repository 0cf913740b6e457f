"""`memory`: thoughts of the space."""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.domain.memory import Memory
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.citing import cite_thought
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices

_MOST = 8


class MemorySearchTool:
    description = ToolDescription(
        "memory", "Search what agents said before.", {"query": "what to look for"}
    )

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        query = arguments.get("query") or context.query
        item = self._memory.look_up(context.access, query, limit=_MOST)
        evidence = tuple(cite_thought(thought) for thought in item)
        return ToolResult(f"Found {len(evidence)} thoughts", evidence)


def create_tool(services: ToolServices) -> MemorySearchTool:
    return MemorySearchTool(services.memory)
