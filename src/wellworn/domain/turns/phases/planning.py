"""Phase 3: the goals of the query, and the way on; the only place that decides the route."""

from __future__ import annotations

from wellworn.domain.turns.context_document import format_companion, format_heading
from wellworn.domain.turns.models import Phase, TaskPlan
from wellworn.domain.turns.sections import (
    format_field,
    format_list,
    format_table,
    format_words,
    join_blocks,
)
from wellworn.domain.turns.turn_run import TurnRun

FILE = "ticket.md"


def run(run: TurnRun) -> TaskPlan:
    return run.engine.plan(run.brief())


def format_section(run: TurnRun, output: TaskPlan, attempt: int) -> str:
    section = join_blocks(format_heading(Phase.PLANNING, attempt), format_plan(output, attempt))
    head = format_companion(run.describe(), "ticket", f"Ticket of turn {run.turn.number}")
    run.vault.write(f"{run.turn.folder}/{FILE}", f"{head}{format_plan(output, attempt)}\n")
    return section


def format_plan(plan: TaskPlan, attempt: int) -> str:
    failure = plan.previous_failure
    return join_blocks(
        format_field("Previous Attempt Failed", failure) if failure else "",
        format_field("New Approach", plan.reasoning) if failure else "",
        _format_goals(plan),
        format_field("Intent", plan.intent.value),
        _format_subtasks(plan),
        "" if failure else format_field("Reasoning", plan.reasoning),
        format_field("Question", plan.question) if plan.question else "",
        f"{format_field('Route To', plan.route.value)} #decision ^decision-route-{attempt}",
    )


def _format_goals(plan: TaskPlan) -> str:
    if len(plan.goals) == 1:
        return format_field("Goal", plan.goals[0].description)
    rows = [
        (goal.id, goal.description, goal.status.value, ", ".join(goal.dependencies))
        for goal in plan.goals
    ]
    first, *others = plan.goals
    then = f" Then {', '.join(goal.id for goal in others)}."
    return join_blocks(
        "### Goals Identified",
        format_table(("ID", "Description", "Status", "Dependencies"), rows),
        "### Current Focus",
        f"Addressing {first.id} first: {format_words(first.description).rstrip('.')}.{then}",
    )


def _format_subtasks(plan: TaskPlan) -> str:
    heading = "**Subtasks:**" if len(plan.goals) == 1 else "### Execution Plan"
    return f"{heading}\n{format_list(plan.subtasks)}"
