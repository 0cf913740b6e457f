"""`knowledge.search`: passages of the user's documents."""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.domain.knowledge import Discovery
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.citing import cite_passage, report_search
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices

_MOST = 8


class KnowledgeSearchTool:
    description = ToolDescription(
        "knowledge.search", "Search the user's documents.", {"query": "what to look for"}
    )

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        query = arguments.get("query") or context.query
        passages = self._discovery.search(context.access, query, limit=_MOST)
        evidence = tuple(cite_passage(passage) for passage in passages)
        return report_search(f"Found {len(evidence)} passages", evidence)


def create_tool(services: ToolServices) -> KnowledgeSearchTool:
    return KnowledgeSearchTool(services.discovery)
