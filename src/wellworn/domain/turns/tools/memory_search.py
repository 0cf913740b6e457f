"""`memory`: thoughts of the space."""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.domain.memory import Memory
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.citing import cite_thoughts, report_search
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices
from wellworn.kit.clock import Clock

_MOST = 8


class MemorySearchTool:
    description = ToolDescription(
        "memory", "Search what agents said before.", {"query": "what to look for"}
    )

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self._memory, self._clock = memory, clock

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        query = arguments.get("query") or context.query
        thoughts = self._memory.look_up(
            context.access,
            query,
            limit=_MOST,
            scope=context.limits.within,
            agent_id=context.agent_id,
        )
        asker = (context.agent_id, context.access.owner)
        now, limits = self._clock.now(), context.limits
        evidence = tuple(cite_thoughts(thoughts, context.query, now, asker=asker, limits=limits))
        return report_search(f"Found {len(evidence)} thoughts", evidence)


def create_tool(services: ToolServices) -> MemorySearchTool:
    return MemorySearchTool(services.memory, services.clock)
