"""`knowledge.search`: passages of the user's documents."""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.domain.knowledge import Discovery
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.citing import cite_passage, report_search
from wellworn.domain.turns.models import Evidence, ToolResult
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices
from wellworn.domain.turns.wording import split_goals

_MOST = 8


class KnowledgeSearchTool:
    description = ToolDescription(
        "knowledge.search", "Search the user's documents.", {"query": "what to look for"}
    )

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        query = arguments.get("query") or context.query
        evidence = search_documents(self._discovery, context, query, limit=_MOST)
        return report_search(f"Found {len(evidence)} passages", evidence)


def search_documents(
    discovery: Discovery, context: ToolContext, query: str, *, limit: int
) -> tuple[Evidence, ...]:
    """Return passages as evidence; they are only near where no document says what is asked.

    That is so in the words of the question and in those that are searched for.
    """
    passages = discovery.search(context.access, query, limit=limit)
    is_near = (
        bool(passages)
        and len(split_goals(context.query)) == 1
        and _is_unsaid(discovery, context, context.query)
    )
    return tuple(cite_passage(passage, is_near=is_near) for passage in passages)


def _is_unsaid(discovery: Discovery, context: ToolContext, asked: str) -> bool:
    """Tell whether no document says what is asked of the thing that is meant."""
    answer = context.resolutions.resolve(
        discovery, context.access, asked, context=context.query, agent_id=context.agent_id
    )
    return answer.is_silent


def create_tool(services: ToolServices) -> KnowledgeSearchTool:
    return KnowledgeSearchTool(services.discovery)
