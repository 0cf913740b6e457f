"""Turns what a model filled in into a phase's decision; None where it cannot be trusted. Pure.

A decision stands only if what it speaks of exists, and if it brings in no name, number or address
that nobody mentioned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.reading import list_identifiers
from wellworn.domain.turns.briefs import Brief, CachedPage, Recollection, ToolDescription
from wellworn.domain.turns.grounding import format_source, list_unknown, measure_backing
from wellworn.domain.turns.models import (
    ContentReference,
    CoordinatorAction,
    Evidence,
    EvidenceKind,
    Goal,
    GoalStatus,
    QueryAnalysis,
    QueryType,
    Reflection,
    ReflectionDecision,
    Route,
    Sufficiency,
    TaskPlan,
    ToolRequest,
)
from wellworn.domain.turns.prompted.outputs import (
    ActionOutput,
    AnalysisOutput,
    CallOutput,
    PlanOutput,
    ReflectionOutput,
    SelectionOutput,
)
from wellworn.domain.turns.prompted.prompts import format_recollection
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import find_url, list_urls, split_goals
from wellworn.engines.retrieval.text import split_words

_LOCAL_TOOLS: Final = frozenset(("memory", "knowledge.search", "knowledge.resolve"))
"""Tools that send nothing away, so that they may be asked with what evidence says."""
_LEAST_RETAINED: Final = 0.5
_LEAST_KNOWN: Final = 0.75
_LEAST_PLANNED: Final = 0.6
_PERCENT: Final = 100


def read_analysis(query: str, known: Recollection, output: AnalysisOutput) -> QueryAnalysis | None:
    """Return the query as it was resolved, if it says what the query and recent turns say."""
    resolved = format_line(output.resolved_query)
    pages = [(turn, page) for turn in known.turns for page in turn.pages]
    context = f"{query}\n{format_recollection(known)}"
    if not resolved or output.page > len(pages):
        return None
    if list_unknown(resolved, context) or list_unknown(query, resolved):
        return None
    if measure_backing(resolved, context) < _LEAST_KNOWN:
        return None
    if measure_backing(query, resolved) < _LEAST_RETAINED:
        return None
    was_resolved = resolved != format_line(query)
    reference = None
    query_type = output.query_type
    if output.page:
        turn, page = pages[output.page - 1]
        reference = _refer_to(page, turn.number, turn.summary)
        query_type = QueryType.SPECIFIC_CONTENT
    elif query_type is QueryType.SPECIFIC_CONTENT:
        return None
    return QueryAnalysis(
        query,
        resolved if was_resolved else query,
        was_resolved=was_resolved,
        query_type=query_type,
        content_reference=reference,
        reasoning=output.reasoning,
    )


def _refer_to(page: CachedPage, turn_number: int, summary: str) -> ContentReference:
    return ContentReference(
        title=page.title,
        content_type=page.content_type,
        site=page.site,
        source_turn=turn_number,
        prior_findings=summary,
        source_url=page.url,
        has_webpage_cache=True,
        webpage_cache_path=page.path,
    )


def read_reflection(brief: Brief, output: ReflectionOutput) -> Reflection | None:
    """Return the decision; a question asked back may name only what the query names."""
    question = format_line(output.question)
    is_question = output.decision is ReflectionDecision.CLARIFY
    if is_question and (not question or list_unknown(question, _list_asked(brief))):
        return None
    return Reflection(
        output.decision,
        output.confidence / _PERCENT,
        output.intent,
        output.is_followup,
        output.reasoning,
        question if is_question else None,
    )


def _list_asked(brief: Brief) -> str:
    """Return what the user asks for, and nothing that any source says."""
    goals = brief.plan.goals if brief.plan else ()
    descriptions = [goal.description for goal in goals]
    return "\n".join([brief.query, brief.analysis.resolved_query, *descriptions])


def read_selection(
    brief: Brief, shown: Sequence[Evidence], output: SelectionOutput
) -> list[Evidence] | None:
    """Return the evidence that was chosen, as it was found; None if any of it does not exist."""
    by_number = {item.number: item for item in shown}
    numbers = dict.fromkeys([*output.answering, *output.near])
    if not numbers or not by_number.keys() >= numbers.keys():
        return None
    goals = split_goals(brief.analysis.resolved_query)
    names = [list_identifiers(goal) for goal in goals]
    answering = set(output.answering)
    chosen = [by_number[number] for number in numbers]
    judged = [
        replace(item, number=0, answers=item.number in answering and _may_answer(item, names))
        for item in chosen
    ]
    return sorted(judged, key=lambda item: not item.answers)


def _may_answer(item: Evidence, names: Sequence[frozenset[str]]) -> bool:
    """Tell whether evidence holds the names of a goal; what is about another name answers none."""
    words = set(split_words(f"{item.title} {item.text} {item.source}"))
    return item.answers and any(each <= words for each in names)


def read_plan(brief: Brief, by_rules: TaskPlan, output: PlanOutput) -> TaskPlan | None:
    """Return the plan, if its goals are those of the query.

    The rules have the last word where evidence is missing or may have changed, and after a RETRY:
    then tools are used.
    """
    goals = _number_goals(output)
    descriptions = "\n".join(goal.description for goal in goals)
    asked = _list_asked(replace(brief, plan=None))
    known = "\n".join([asked, *map(format_source, brief.evidence)])
    if not goals or list_unknown(descriptions, known) or list_unknown(asked, descriptions):
        return None
    if measure_backing(brief.analysis.resolved_query, descriptions) < _LEAST_PLANNED:
        return None
    if any(not _is_earlier(goal, goals) for goal in goals):
        return None
    question = format_line(output.question)
    is_question = output.route is Route.CLARIFY
    if is_question and (not question or list_unknown(question, asked)):
        return None
    return replace(
        by_rules,
        goals=goals,
        intent=output.intent,
        subtasks=tuple(format_line(task) for task in output.subtasks if task.strip()),
        route=_choose_route(brief, by_rules, output.route),
        reasoning=output.reasoning,
        question=question if is_question else None,
    )


def _number_goals(output: PlanOutput) -> tuple[Goal, ...]:
    return tuple(
        Goal(
            f"GOAL_{number}",
            format_line(goal.description),
            GoalStatus.PENDING if number > 1 else GoalStatus.IN_PROGRESS,
            tuple(f"GOAL_{other}" for other in dict.fromkeys(goal.depends_on)),
        )
        for number, goal in enumerate(output.goals, 1)
    )


def _is_earlier(goal: Goal, goals: Sequence[Goal]) -> bool:
    """Tell whether a goal is told, and depends only on goals before it."""
    before = {each.id for each in goals[: goals.index(goal)]}
    return bool(goal.description) and before.issuperset(goal.dependencies)


def _choose_route(brief: Brief, by_rules: TaskPlan, route: Route) -> Route:
    if route is not Route.SYNTHESIS or by_rules.route is Route.SYNTHESIS:
        return route
    sufficiency = brief.gathered.sufficiency if brief.gathered else Sufficiency.NEEDS_RESEARCH
    is_answered = any(item.answers and not item.is_stale for item in brief.evidence)
    is_old = sufficiency is Sufficiency.STALE_RESEARCH or find_url(brief.analysis.resolved_query)
    if by_rules.previous_failure or is_old or not is_answered:
        return Route.COORDINATOR
    return route


def read_action(
    brief: Brief, tools: Sequence[ToolDescription], output: ActionOutput
) -> CoordinatorAction | None:
    """Return the next calls, those that were made left out; None if one cannot be made.

    The first look is never left out: the plan asked for it.
    """
    by_name = {tool.name: tool for tool in tools}
    goals = brief.plan.goals if brief.plan else ()
    requests = [_read_call(call, by_name, goals) for call in output.calls]
    if any(
        request is None or not _is_safe(brief, by_name[request.tool], request)
        for request in requests
    ):
        return None
    made = {_key(call.request) for call in brief.all_calls}
    new = {_key(request): request for request in requests if request and _key(request) not in made}
    if not new and (requests or not brief.calls):
        return None
    return CoordinatorAction(output.reasoning, tuple(new.values()))


def _key(request: ToolRequest) -> tuple[str, tuple[tuple[str, str], ...]]:
    return request.tool, tuple(sorted(request.arguments.items()))


def _read_call(
    call: CallOutput, tools: Mapping[str, ToolDescription], goals: Sequence[Goal]
) -> ToolRequest | None:
    """Return a call, if there is such a tool, with such arguments, and such a goal."""
    tool = tools.get(call.tool)
    arguments = {argument.name: argument.value.strip() for argument in call.arguments}
    if tool is None or call.goal > len(goals) or not (arguments or tool.server):
        return None
    if not tool.arguments.keys() >= arguments.keys() or not all(arguments.values()):
        return None
    return ToolRequest(call.tool, arguments, goals[call.goal - 1].id)


def _is_safe(brief: Brief, tool: ToolDescription, request: ToolRequest) -> bool:
    """Tell whether a call tells nobody outside what only the user's own sources say.

    An address is called only as it stands in the query or in evidence, so that nothing can be
    added to it. A server of tools may be told again what it has said itself.
    """
    if tool.server:
        return all(_may_tell(brief, tool, argument) for argument in request.arguments.values())
    evidence = "\n".join(map(format_source, brief.evidence))
    asked = _list_asked(brief)
    source = f"{asked}\n{evidence}" if request.tool in _LOCAL_TOOLS else asked
    return all(
        argument in list(_list_addresses(brief))
        if find_url(argument)
        else not list_unknown(argument, source)
        and (request.tool in _LOCAL_TOOLS or measure_backing(argument, source) >= _LEAST_KNOWN)
        for argument in request.arguments.values()
    )


def _may_tell(brief: Brief, tool: ToolDescription, argument: str) -> bool:
    """Tell whether a server may be told an argument: the user's words, or the server's own."""
    if argument in tool.values:
        return True
    own = [item for item in brief.evidence if _is_said_by(tool, item)]
    source = "\n".join([_list_asked(brief), *map(format_source, own)])
    if not set(list_urls(argument)) <= set(list_urls(source)):
        return False
    return not list_unknown(argument, source) and measure_backing(argument, source) >= _LEAST_KNOWN


def _is_said_by(tool: ToolDescription, item: Evidence) -> bool:
    return item.kind is EvidenceKind.TOOL and item.source.startswith(tool.server)


def _list_addresses(brief: Brief) -> Iterator[str]:
    texts = [brief.query, brief.analysis.resolved_query]
    for item in brief.evidence:
        texts += [*item.text.split(), item.source]
    for text in texts:
        yield from list_urls(text)
    if brief.gathered and brief.gathered.freshness_url:
        yield brief.gathered.freshness_url
