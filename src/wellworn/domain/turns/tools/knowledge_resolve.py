"""`knowledge.resolve`: what a name stands for, and the value that is asked of it."""

from __future__ import annotations

from collections.abc import Mapping

from wellworn.domain.knowledge import Discovery, ResolutionOutcome
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.citing import cite_answer, report_search
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.tools.tool import LONGEST_TERM, ToolContext, ToolServices


class ResolveTool:
    description = ToolDescription(
        "knowledge.resolve",
        "Look up a name, address, version or other identifier in the user's documents.",
        {"term": "the name, or a question about it"},
    )

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        term = (arguments.get("term") or context.query)[:LONGEST_TERM]
        answer = context.resolutions.resolve(
            self._discovery,
            context.access,
            term,
            context=context.query,
            agent_id=context.agent_id,
        )
        evidence = tuple(cite_answer(answer, f"{term} {context.query}"))
        if answer.outcome is ResolutionOutcome.RESOLVED:
            return ToolResult(f"Resolved: {answer.canonical}", evidence)
        return report_search(answer.question or "It is not in the knowledge base", evidence)


def create_tool(services: ToolServices) -> ResolveTool:
    return ResolveTool(services.discovery)
