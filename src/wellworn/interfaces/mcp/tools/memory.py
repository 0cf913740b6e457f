"""The six tools of memory, under the names that agents know from other memories."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from wellworn.client.models import Cluster, Erased, NeededNext, Replacement
from wellworn.domain.memory import (
    CAVEATS,
    MORE_SAID,
    OUTLINE,
    TIMELINE,
    Contribute,
    Prompt,
    Reply,
    tell_limits,
)
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import FeedbackSignal
from wellworn.domain.thoughts.truth import LinkedThought, parse_scope
from wellworn.engines.safety import neutralise
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp import results as returns
from wellworn.interfaces.mcp import wording
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.introductions import WHAT_AGENTS_SAID, WHAT_BOTH_SAY
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer
from wellworn.kit.clock import to_iso, to_iso_if_any
from wellworn.kit.text import preview, show_name

if TYPE_CHECKING:
    from wellworn.application.calls import App


def _remember(app: App, access: Access, caller: Caller, arguments: takes.Remember) -> ToolAnswer:
    agent = caller.agent(arguments)
    shared = access.shared if arguments.shared else None
    complete = partial(app.guard.thought_ids.complete, shared or access)
    prompt = Prompt(
        prompt=arguments.content,
        agent_id=agent.agent_id,
        agent_name=agent.agent_name,
        context=arguments.context,
        # The session is one of the project's.
        session_id=None if shared else arguments.session_id,
        tags=tuple(arguments.tags),
        explain=True,
        contribute=Contribute.ALWAYS,
        replaces=tuple(map(complete, arguments.replaces)),
        source_ids=tuple(map(complete, arguments.source_ids)),
        idempotency_key=caller.key(),
    )
    return _describe_reply(app, shared or access, prompt, explain=False)


def _recall(app: App, access: Access, caller: Caller, arguments: takes.Recall) -> ToolAnswer:
    agent = caller.agent(arguments)
    prompt = Prompt(
        prompt=arguments.query,
        agent_id=agent.agent_id,
        agent_name=agent.agent_name,
        context=arguments.context,
        session_id=arguments.session_id,
        filter_tags=tuple(arguments.filter_tags),
        limit=arguments.limit,
        explain=True,
        contribute=Contribute.NEVER,
        idempotency_key=caller.key(),
        scope=parse_scope(
            as_of=arguments.as_of,
            since=arguments.since,
            until=arguments.until,
            by=arguments.by,
            history=arguments.history,
        ),
        min_relevance=arguments.min_relevance,
    )
    return _describe_reply(app, access, prompt, explain=arguments.explain)


def _forget(app: App, access: Access, caller: Caller, arguments: takes.Forget) -> ToolAnswer:
    agent = caller.agent(arguments)
    thought_id = app.guard.thought_ids.complete(access, arguments.thought_id)
    moment = app.forget(access, thought_id, agent_id=agent.agent_id, reason=arguments.reason)
    erased = Erased.model_validate({"thought_id": thought_id, "erased_at": moment})
    name = app.guard.thought_ids.shorten(access, [thought_id])[thought_id]
    return erased, wording.format_erasure(name, erased.erased_at)


def _feedback(app: App, access: Access, caller: Caller, arguments: takes.Feedback) -> ToolAnswer:
    del caller  # the session knows whose it is
    thought_id = app.guard.thought_ids.complete(access, arguments.thought_id)
    weight = app.judge(
        access,
        session_id=arguments.session_id,
        thought_id=thought_id,
        signal=FeedbackSignal(arguments.signal),
        agent_id=arguments.agent_id,
    )
    weighed = returns.Weighed(thought_id=thought_id, pheromone_weight=weight)
    name = app.guard.thought_ids.shorten(access, [thought_id])[thought_id]
    return weighed, wording.format_feedback(name, weight)


def _search(app: App, access: Access, caller: Caller, arguments: takes.Search) -> ToolAnswer:
    hits = [
        returns.Hit(
            id=hit.thought_id,
            title=_title(hit.content, hit.contributor_name),
            url=_url(caller, hit.thought_id),
        )
        for hit in app.look_up(access, arguments.query)
    ]
    return returns.Hits(results=hits), None


def _fetch(app: App, access: Access, caller: Caller, arguments: takes.Fetch) -> ToolAnswer:
    record = app.read_thought(access, arguments.id)
    document = returns.FetchedThought(
        id=record.thought_id,
        title=_title(record.content, record.contributor_name),
        text=record.content,
        url=_url(caller, record.thought_id),
        metadata={
            "note": WHAT_AGENTS_SAID,
            "contributor_id": neutralise(record.contributor_id),
            "contributor": neutralise(record.contributor_name),
            "created_at": to_iso(record.created_at),
            "thought_type": record.thought_type.value,
            "source_ids": list(record.source_ids),
            "tags": [neutralise(tag) for tag in record.tags],
            "access_count": record.access_count,
            "pheromone_weight": record.pheromone_weight,
            "erased_at": to_iso_if_any(record.erased_at),
            "replaces": _dump_links(record.replaces),
            "replaced_by": _dump_links(record.replaced_by),
            "outdated_at": to_iso_if_any(record.outdated_at),
            "expires_at": to_iso_if_any(record.expires_at),
            "contested": record.contested,
            "unconfirmed_until": to_iso_if_any(record.unconfirmed_until),
            "rediscovered": record.rediscovered,
        },
    )
    return document, None


def _dump_links(links: Iterable[LinkedThought]) -> list[dict[str, object]]:
    return [Replacement.of(link).model_dump() for link in links]


def _describe_reply(app: App, access: Access, prompt: Prompt, *, explain: bool) -> ToolAnswer:
    reply = app.converse(access, prompt)
    result, trace = reply.result, reply.trace
    asked = result.disambiguation
    is_outline = trace.retrieval_method == OUTLINE
    answer = returns.Related(
        session_id=trace.session_id,
        thought_id=trace.thought_id,
        note=_introduce(reply),
        stored=trace.thoughts_contributed > 0 if trace.thought_id else None,
        thoughts=_thoughts(reply, explain=explain),
        highways_nearby=list(result.highways_nearby),
        areas=list(map(Cluster.of, asked.clusters)) if asked else [],
        guidance=result.guidance,
        outline=result.response if is_outline else None,
        often_needed_next=list(map(NeededNext.of, result.often_needed_next)),
        overview=_tell_overview(reply),
    )
    names = app.guard.thought_ids.shorten(access, wording.list_thought_ids(answer))
    text = wording.format_recall(answer, names, names_thoughts=prompt.names_thoughts)
    return answer, text


def _tell_overview(reply: Reply) -> returns.Told | None:
    """Return what several results say with others, without the quotes that are results."""
    overview = reply.result.overview
    if overview is None:
        return None
    shown = {source.thought_id for source in reply.result.sources}
    quotes = [
        returns.OverviewQuote.of(quote, contributor=quote.contributor, content=quote.text)
        for quote in overview.quotes
        if quote.thought_id not in shown
    ]
    return returns.Told(
        title=neutralise(overview.title),
        size=overview.size,
        source_ids=list(overview.source_ids),
        quotes=quotes,
        claims=[
            returns.Retold(text=neutralise(claim.text), source_ids=list(claim.source_ids))
            for claim in overview.claims
        ],
    )


def _introduce(reply: Reply) -> str:
    """Say whose words follow, or that there are none."""
    if reply.trace.retrieval_method == OUTLINE:
        return WHAT_BOTH_SAY
    is_empty = not (reply.result.sources or reply.result.disambiguation)
    if is_empty:
        return reply.result.response
    limits = tell_limits(reply.result.limits)
    response = reply.result.response.removeprefix(limits).lstrip()
    caveats = [caveat for caveat in CAVEATS if response.startswith(caveat)]
    is_list = reply.trace.retrieval_method == TIMELINE
    more = [MORE_SAID] if is_list and response.endswith(f"\n{MORE_SAID}") else []
    return " ".join(filter(None, [limits, *caveats, WHAT_AGENTS_SAID, *more]))


def _thoughts(reply: Reply, *, explain: bool) -> list[returns.Thought]:
    wholes = [
        source.content_preview if source.content is None else source.content
        for source in reply.result.sources
    ]
    return [
        returns.Thought.of(
            source,
            created_at=source.created_at or "an unknown time",
            content=whole[: wording.LONGEST_QUOTE],
            characters=len(whole) if len(whole) > wording.LONGEST_QUOTE else None,
            tags=source.tags or (),
            replaces=source.replaces or (),
            replaced_by=source.replaced_by or (),
            why=dict(source.why) if explain and source.why else None,
        )
        for source, whole in zip(reply.result.sources, wholes, strict=True)
    ]


def _title(content: str, contributor: str) -> str:
    opening = preview(" ".join(neutralise(content).split()))
    return f"{opening or '(erased)'} ({show_name(neutralise(contributor))})"


def _url(caller: Caller, thought_id: str) -> str:
    return f"{caller.site}/api/v1/thoughts/{thought_id}"


TOOLS = (
    Tool(
        "remember",
        "Remember",
        "Store a fact, decision or lesson for all agents, in words that stand alone; no secrets. "
        "`replaces`: thoughts it ends; `source_ids`: it refines; `shared`: for all projects.",
        takes.Remember,
        _remember,
    ),
    Tool(
        "recall",
        "Recall",
        "Ask the shared memory before each task. `context`: your work; `session_id` continues "
        "an answer; `since`, `until`, `as_of`: dates.",
        takes.Recall,
        _recall,
    ),
    Tool(
        "forget",
        "Forget",
        "Erase a thought for good: secrets, personal data. What is outdated, replace.",
        takes.Forget,
        _forget,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "feedback",
        "Give feedback",
        "Judge a recalled thought, so that others find true and useful ones.",
        takes.Feedback,
        _feedback,
        idempotent=True,
    ),
    Tool(
        "search",
        "Search",
        "List ids and titles of thoughts, leaving no trace.",
        takes.Search,
        _search,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "fetch",
        "Fetch",
        "Read a thought in full.",
        takes.Fetch,
        _fetch,
        read_only=True,
        idempotent=True,
    ),
)
