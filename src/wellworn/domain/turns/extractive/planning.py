"""Goals, route and tools, by what was gathered. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wellworn.domain.turns.briefs import Brief, ToolDescription
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
from wellworn.domain.turns.profile import list_learned
from wellworn.domain.turns.wording import classify_intent, find_url, split_goals

_REASONS = {
    Sufficiency.SUFFICIENT: "What was gathered speaks of every goal; no tools are needed.",
    Sufficiency.STALE_RESEARCH: "What was gathered may have changed since; it is looked at again.",
    Sufficiency.NEEDS_RESEARCH: "Nothing that was gathered answers the query.",
    Sufficiency.NEEDS_MORE: "Part of the query is not answered by what was gathered.",
}


def make_plan(brief: Brief) -> TaskPlan:
    texts = split_goals(brief.analysis.resolved_query)
    goals = tuple(
        Goal(f"GOAL_{number}", text, GoalStatus.PENDING if number > 1 else GoalStatus.IN_PROGRESS)
        for number, text in enumerate(texts, 1)
    )
    gathered = brief.gathered
    sufficiency = gathered.sufficiency if gathered else Sufficiency.NEEDS_RESEARCH
    failed = brief.validation
    is_retried = failed is not None and failed.decision is ValidationDecision.RETRY
    is_told = bool(list_learned(brief.query))
    is_enough = is_told or (sufficiency is Sufficiency.SUFFICIENT and not is_retried)
    return TaskPlan(
        goals,
        classify_intent(brief.query),
        tuple(_list_subtasks(brief, goals, is_enough=is_enough)),
        Route.SYNTHESIS if is_enough else Route.COORDINATOR,
        "The tools look further than the first search did."
        if is_retried
        else _REASONS[sufficiency],
        previous_failure="; ".join(failed.issues) if failed and is_retried else None,
    )


def _list_subtasks(brief: Brief, goals: Sequence[Goal], *, is_enough: bool) -> Iterator[str]:
    if not is_enough:
        if url := _find_page(brief):
            yield f"Visit {url}"
        yield from (
            f"[{goal.id}] Look up names and search for: {goal.description}" for goal in goals
        )
    yield "Answer with quotes and their sources"


def _find_page(brief: Brief) -> str | None:
    """Return the page to visit: the one that is named, or the one that may have changed."""
    named = find_url(brief.analysis.resolved_query)
    return named or (brief.gathered.freshness_url if brief.gathered else None)


def choose_action(brief: Brief, tools: Sequence[ToolDescription]) -> CoordinatorAction:
    """Return the calls that the plan wants and that were not made yet."""
    names = {tool.name for tool in tools}
    made = {(call.request.tool, *sorted(call.request.arguments.items())) for call in brief.calls}
    wanted = [
        request
        for request in _list_wanted(brief)
        if request.tool in names and (request.tool, *sorted(request.arguments.items())) not in made
    ]
    if not wanted:
        return CoordinatorAction("Everything that can be looked up was looked up")
    return CoordinatorAction("What was gathered does not answer the query", tuple(wanted))


def _list_wanted(brief: Brief) -> Iterator[ToolRequest]:
    goals = brief.plan.goals if brief.plan else ()
    if url := _find_page(brief):
        yield ToolRequest("web.visit", {"url": url})
    for goal in goals:
        yield ToolRequest("knowledge.resolve", {"term": goal.description}, goal.id)
        yield ToolRequest("internet.research", {"query": goal.description}, goal.id)
    failed = brief.validation
    if failed is not None and failed.decision is ValidationDecision.RETRY:
        for goal in goals:
            yield ToolRequest("knowledge.search", {"query": goal.description}, goal.id)
            yield ToolRequest("memory", {"query": goal.description}, goal.id)
