"""The tools of knowledge: what the user's own documents say, where, and what a name stands for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wellworn.domain.audit import Action
from wellworn.domain.knowledge import NameVerdict, ResolutionOutcome, StoredConflict
from wellworn.domain.sources import group_by_document
from wellworn.domain.spaces import Access, Role
from wellworn.errors import InvalidInput, SourceNotFound
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp import knowledge_results as returns
from wellworn.interfaces.mcp import knowledge_wording as wording
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer

if TYPE_CHECKING:
    from wellworn.application.calls import App

_SNIPPETS = 3
"""Passages shown of a document, as specified."""
_PASSAGES_A_DOCUMENT = 4
"""Passages looked at for each document that is wanted: good documents have several good ones."""

_BOTH = "both"
_REASON = "the user's answer"


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


def settle_question(app: App, access: Access, term: str, answer: str) -> None:
    """Keep a user's answer to the question that a term was resolved to.

    It is a value in dispute or `both`, the citation of what is meant, or another name of it.

    Raises:
        Forbidden: the caller may not decide that; settling a dispute and joining names are for
            admins, as over HTTP.
        InvalidInput: it is none of these.
    """
    with app.call(access, Action.KNOWLEDGE_READ) as call:
        discovery = call.services.discovery
        dispute = _find_dispute(discovery.conflicts(call.access, with_closed=False), term, answer)
        is_name = (
            dispute is None
            and "/" not in answer
            and discovery.resolve(call.access, answer, context="", agent_id="", learn=False).outcome
            is ResolutionOutcome.RESOLVED
        )
    if dispute is not None:
        number = str(dispute.id)
        with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN, targets=[number]) as call:
            call.services.discovery.decide(call.access, dispute.id, answer, reason=_REASON)
    elif is_name:
        with app.call(access, Action.KNOWLEDGE_DECIDED, Role.ADMIN) as call:
            names = call.services.discovery.names
            ruling = names.rule(call.access, term, answer, NameVerdict.ONE, reason=_REASON)
            call.touch([str(ruling.id)])
    elif "/" in answer:
        with app.call(access, Action.KNOWLEDGE_DECIDED, Role.CONTRIBUTOR) as call:
            call.services.discovery.learn(call.access, term, answer)
    else:
        message = "answer must be a value in dispute, both, a candidate's citation or a known name"
        raise InvalidInput(message)


def _find_dispute(
    conflicts: Iterable[StoredConflict], term: str, answer: str
) -> StoredConflict | None:
    """Return the open conflict about a thing that a term names, and that an answer settles."""
    asked = f" {term.casefold()} "
    return next(
        (
            conflict
            for conflict in conflicts
            if conflict.state == "open" and f" {conflict.term.casefold()} " in asked
            if answer == _BOTH or answer in {claim.value for claim in conflict.claims}
        ),
        None,
    )
