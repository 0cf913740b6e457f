"""The tools of knowledge: what the user's own documents say, where, and what a name stands for.

Source: issue 5, point 5; knowledge sync v1.0, sections 3, 6 and 7.
"""

from __future__ import annotations

from wellworn.domain.sources import best_by_document
from wellworn.domain.spaces import Access
from wellworn.errors import SourceNotFound
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp import knowledge_results as returns
from wellworn.interfaces.mcp import knowledge_wording as wording
from wellworn.interfaces.mcp.backend import Backend, KnowledgeBackend
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.tools.tool import Told, Tool

_SNIPPETS = 3
"""Passages shown of a document, as specified."""
_PASSAGES_A_DOCUMENT = 4
"""Passages looked at for each document that is wanted: good documents have several good ones."""


def _search(memory: Backend, access: Access, caller: Caller, given: takes.KnowledgeSearch) -> Told:
    del caller
    among = None
    if given.source is not None:
        among = _named(memory.knowing, access, given.source)
    passages = memory.knowing.search(
        access, given.query, limit=given.limit * _PASSAGES_A_DOCUMENT, sources=among
    )
    best = best_by_document(passages, most=_SNIPPETS)[: given.limit]
    found = returns.searched(best)
    return found, wording.searched(found)


def _named(known: KnowledgeBackend, access: Access, name: str) -> tuple[int, ...]:
    """Return the sources of a name or number.

    Raises:
        SourceNotFound: there is none that the caller may see.
    """
    wanted = name.strip().casefold()
    found = [
        one.id
        for one in known.sources(access)
        if wanted in {one.name.strip().casefold(), str(one.id)}
    ]
    if not found:
        raise SourceNotFound("no source has this name or number")
    return tuple(found)


def _resolve(
    memory: Backend, access: Access, caller: Caller, given: takes.KnowledgeResolve
) -> Told:
    agent = caller.agent(takes.Spoken())
    answer = memory.knowing.resolve(
        access, given.term, context=given.context or "", agent_id=agent.agent_id
    )
    resolved = returns.resolved(answer)
    return resolved, wording.resolved(resolved)


def _provenance(
    memory: Backend, access: Access, caller: Caller, given: takes.KnowledgeProvenance
) -> Told:
    del caller
    values = memory.knowing.provenance(access, given.term, fact_type=given.fact_type)
    found = returns.provenance(given.term, values)
    return found, wording.provenance(found)


TOOLS = (
    Tool(
        "knowledge_search",
        "Search knowledge",
        "Search the user's documents. Never guess hostnames, IPs, endpoints or credentials: find "
        "them here or ask the user. `source` searches only that one.",
        takes.KnowledgeSearch,
        _search,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "knowledge_resolve",
        "Resolve a name",
        "Say what a server, project or other name stands for, with values and where they are "
        "written, or with one question to ask the user.",
        takes.KnowledgeResolve,
        _resolve,
    ),
    Tool(
        "knowledge_provenance",
        "Trace a fact",
        "List the values that documents give for a name, each with its quote and place.",
        takes.KnowledgeProvenance,
        _provenance,
        read_only=True,
        idempotent=True,
    ),
)
