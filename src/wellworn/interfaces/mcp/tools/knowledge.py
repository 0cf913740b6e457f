"""The tools of knowledge: what the user's own documents say, where, and what a name stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.domain.audit import Action
from wellworn.domain.sources import group_by_document
from wellworn.domain.spaces import Access
from wellworn.errors import SourceNotFound
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp import knowledge_results as returns
from wellworn.interfaces.mcp import knowledge_wording as wording
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.settling import settle_question
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer

if TYPE_CHECKING:
    from wellworn.application.calls import App

_SNIPPETS = 3
"""Passages shown of a document, as specified."""
_PASSAGES_A_DOCUMENT = 4
"""Passages looked at for each document that is wanted: good documents have several good ones."""


def _search(
    app: App, access: Access, caller: Caller, arguments: takes.KnowledgeSearch
) -> ToolAnswer:
    del caller
    among = None
    if arguments.source is not None:
        among = _find_sources(app, access, arguments.source)
    passages = app.search_documents(
        access, arguments.query, limit=arguments.limit * _PASSAGES_A_DOCUMENT, sources=among
    )
    best = group_by_document(passages, most=_SNIPPETS)[: arguments.limit]
    result = returns.describe_search(best)
    return result, wording.format_search(result)


def _find_sources(app: App, access: Access, name: str) -> tuple[int, ...]:
    """Return the sources of a name or number.

    Raises:
        SourceNotFound: there is none that the caller may see.
    """
    wanted = name.strip().casefold()
    with app.call(access, Action.SOURCE_READ) as call:
        sources = call.services.sources.list_sources(call.access)
    numbers = [
        source.id
        for source in sources
        if wanted in {source.name.strip().casefold(), str(source.id)}
    ]
    if not numbers:
        raise SourceNotFound("no source has this name or number")
    return tuple(numbers)


def _resolve(
    app: App, access: Access, caller: Caller, arguments: takes.KnowledgeResolve
) -> ToolAnswer:
    agent = caller.agent(takes.Spoken())
    if arguments.answer is not None:
        settle_question(app, access, arguments.term, arguments.answer)
    answer = app.resolve(
        access, arguments.term, context=arguments.context or "", agent_id=agent.agent_id
    )
    resolved = returns.describe_answer(answer)
    return resolved, wording.format_answer(resolved)


def _provenance(
    app: App, access: Access, caller: Caller, arguments: takes.KnowledgeProvenance
) -> ToolAnswer:
    del caller
    values = app.trace_facts(access, arguments.term, fact_type=arguments.fact_type)
    result = returns.describe_provenance(arguments.term, values)
    return result, wording.format_provenance(result)


TOOLS = (
    Tool(
        "knowledge_search",
        "Search knowledge",
        "Search the user's documents, or one `source`. Never guess hosts, IPs, endpoints or "
        "credentials: look or ask.",
        takes.KnowledgeSearch,
        _search,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "knowledge_resolve",
        "Resolve",
        "Say what a name stands for, with values, places, or one question to ask; `answer`: the "
        "user's.",
        takes.KnowledgeResolve,
        _resolve,
    ),
    Tool(
        "knowledge_provenance",
        "Trace a fact",
        "List a name's values with quotes.",
        takes.KnowledgeProvenance,
        _provenance,
        read_only=True,
        idempotent=True,
    ),
)
