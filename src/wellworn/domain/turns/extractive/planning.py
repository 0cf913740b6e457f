"""Goals, route and tools, by what was gathered. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wellworn.domain.turns.briefs import Brief, ToolDescription
from wellworn.domain.turns.extractive.matching import PassageMatcher, select_evidence
from wellworn.domain.turns.models import (
    CoordinatorAction,
    Goal,
    GoalStatus,
    Route,
    Sufficiency,
    TaskPlan,
    ToolRequest,
    ValidationDecision,
)
from wellworn.domain.turns.page_evidence import drop_superseded
from wellworn.domain.turns.profile import reply_without_sources
from wellworn.domain.turns.wording import (
    classify_intent,
    complete_goals,
    list_urls,
    split_goals,
)

_RESEARCH = "internet.research"

_REASONS = {
    Sufficiency.SUFFICIENT: "What was gathered speaks of every goal; no tools are needed.",
    Sufficiency.STALE_RESEARCH: "What was gathered may have changed; it is looked at again.",
    Sufficiency.NEEDS_RESEARCH: "Nothing that was gathered answers the query.",
    Sufficiency.NEEDS_MORE: "Part of the query is not answered by what was gathered.",
}


def make_plan(brief: Brief, matcher: PassageMatcher) -> TaskPlan:
    texts = split_goals(brief.analysis.resolved_query)
    goals = tuple(
        Goal(
            f"GOAL_{number}",
            text,
            GoalStatus.PENDING if number > 1 else GoalStatus.IN_PROGRESS,
            (f"GOAL_{number - 1}",) if whole != text else (),
        )
        for number, (text, whole) in enumerate(zip(texts, complete_goals(texts), strict=True), 1)
    )
    gathered = brief.gathered
    sufficiency = gathered.sufficiency if gathered else Sufficiency.NEEDS_RESEARCH
    failed, is_retried = brief.validation, _is_retried(brief)
    is_told = bool(reply_without_sources(brief.query))
    is_enough = is_told or (sufficiency is Sufficiency.SUFFICIENT and not is_retried)
    return TaskPlan(
        goals,
        classify_intent(brief.query),
        tuple(_list_subtasks(brief, goals, matcher, is_enough=is_enough)),
        Route.SYNTHESIS if is_enough else Route.COORDINATOR,
        "Tools that were not asked yet are asked." if is_retried else _REASONS[sufficiency],
        previous_failure="; ".join(failed.issues) if failed and is_retried else None,
    )


def _list_subtasks(
    brief: Brief, goals: Sequence[Goal], matcher: PassageMatcher, *, is_enough: bool
) -> Iterator[str]:
    if not is_enough:
        yield from (f"Visit {visit.arguments['url']}" for visit in _list_visits(brief))
        yield from (
            f"[{goal.id}] Look up names and search for: {goal.description}"
            for goal in goals
            if not _is_answered(brief, goal, matcher)
        )
    yield "Answer with quotes and their sources"


def _list_pages(brief: Brief) -> list[str]:
    """Return the pages to visit: those that are named, or the one that may have changed."""
    fresh = brief.gathered.freshness_url if brief.gathered else None
    return list_urls(brief.analysis.resolved_query) or ([fresh] if fresh else [])


def choose_action(
    brief: Brief, tools: Sequence[ToolDescription], matcher: PassageMatcher
) -> CoordinatorAction:
    """Return the calls that the plan wants and that were not made yet.

    Pages are visited first: what they say decides what is still to be searched for.
    """
    names = {tool.name for tool in tools}
    made = {_identify(call.request) for call in brief.all_calls}
    for requests in (_list_visits(brief), _list_searches(brief, matcher)):
        wanted = [
            request
            for request in requests
            if request.tool in names and _identify(request) not in made
        ]
        if wanted:
            return CoordinatorAction("What was gathered does not answer the query", tuple(wanted))
    end = "; there is nothing else to ask" if _is_retried(brief) else ""
    return CoordinatorAction(f"Everything that can be looked up was looked up{end}")


def _is_retried(brief: Brief) -> bool:
    return brief.validation is not None and brief.validation.decision is ValidationDecision.RETRY


def _identify(request: ToolRequest) -> tuple[object, ...]:
    return request.tool, *sorted(request.arguments.items())


def _list_visits(brief: Brief) -> Iterator[ToolRequest]:
    """Yield the pages that this turn did not read yet, in this attempt or the one before."""
    gathered = len(brief.gathered.evidence) if brief.gathered else 0
    read = {item.source for item in brief.evidence[gathered:]}
    for url in _list_pages(brief):
        if url not in read:
            yield ToolRequest("web.visit", {"url": url})


def _list_searches(brief: Brief, matcher: PassageMatcher) -> Iterator[ToolRequest]:
    """Yield what looks for the goals that nothing answers yet; of a second attempt, for all."""
    for goal in brief.plan.goals if brief.plan else ():
        if _is_retried(brief) or not _is_answered(brief, goal, matcher):
            yield ToolRequest("knowledge.resolve", {"term": goal.description}, goal.id)
            yield ToolRequest(_RESEARCH, {"query": goal.description}, goal.id)
        if _is_retried(brief):
            yield from _list_further_searches(goal)


def _list_further_searches(goal: Goal) -> Iterator[ToolRequest]:
    """Yield what the first attempt does not ask: all documents, and what agents said before."""
    yield ToolRequest("knowledge.search", {"query": goal.description}, goal.id)
    yield ToolRequest("memory", {"query": goal.description}, goal.id)


def _is_answered(brief: Brief, goal: Goal, matcher: PassageMatcher) -> bool:
    """Tell whether something that was not superseded since answers a goal."""
    current = select_evidence(
        [brief.aim(goal.description)], drop_superseded(brief.evidence), matcher
    )
    return any(item.answers and not item.is_stale for item in current)
