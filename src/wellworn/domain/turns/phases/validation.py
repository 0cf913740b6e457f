"""Phase 6: whether every claim stands on a source and every goal is served."""

from __future__ import annotations

import re
from typing import Final

from wellworn.domain.turns.context_document import format_heading, read_sections
from wellworn.domain.turns.models import Phase, Validation, ValidationDecision
from wellworn.domain.turns.sections import (
    format_field,
    format_list,
    format_share,
    format_table,
    format_words,
    join_blocks,
)
from wellworn.domain.turns.turn_run import TurnRun

_DECISION: Final = re.compile(r"## 6\. .*\n\n(?:\*\*Outcome.*\n)?\*\*Decision:\*\* (\w+)")


def run(run: TurnRun) -> Validation:
    return run.engine.validate(run.brief())


def format_section(run: TurnRun, output: Validation, attempt: int) -> str:
    is_counted = output.decision in {ValidationDecision.REVISE, ValidationDecision.RETRY}
    decision = format_field("Decision", output.decision.value)
    checks = [(name, "PASS" if holds else "FAIL") for name, holds in output.checks.items()]
    has_goals = len(output.goals) > 1
    fields = [
        *([format_field("Outcome", output.decision.value)] if has_goals else []),
        f"{decision} #decision ^decision-validation-{attempt}",
        "",
        format_field("Confidence", format_share(output.confidence)),
        *([] if has_goals else [format_field("Quality", format_share(measure_quality(output)))]),
    ]
    return join_blocks(
        format_heading(Phase.VALIDATION, attempt, is_counted=is_counted),
        "\n".join(fields),
        f"### Checks\n{format_table(('Check', 'Result'), checks)}",
        _format_goals(output),
        f"### Issues\n{format_list(output.issues)}",
        _format_hints(output),
        _format_notes(output),
    )


def _format_hints(output: Validation) -> str:
    """Return what to do better: the next answer's hints, or the next plan's fixes."""
    if not output.hints:
        return ""
    is_retry = output.decision is ValidationDecision.RETRY
    heading = "**Suggested Fixes:**" if is_retry else "### Revision Hints"
    return f"{heading}\n{format_list(output.hints)}"


def _format_notes(output: Validation) -> str:
    """Return what is known of the only goal; of several the table tells it."""
    if len(output.goals) != 1:
        return ""
    return f"### Notes\n{format_words(output.goals[0].notes)}"


def _format_goals(output: Validation) -> str:
    if len(output.goals) < 2:  # noqa: PLR2004 - one goal is the query itself
        return ""
    rows = [
        (goal.goal, "✓" if goal.is_addressed else "✗", format_share(goal.quality), goal.notes)
        for goal in output.goals
    ]
    return join_blocks(
        "### Per-Goal Validation",
        format_table(("Goal", "Addressed", "Quality", "Notes"), rows),
        format_field("Overall Quality", f"{measure_quality(output):.3f}"),
    )


def measure_quality(output: Validation) -> float:
    """Return how well the answer stands in its sources, 0 to 1: the mean of its goals."""
    each = [goal.quality for goal in output.goals]
    return round(sum(each) / len(each), 4) if each else 0.0


def is_approved(document: str) -> bool:
    """Tell whether the last validation of a `context.md` lets its answer pass."""
    sections = [each.text for each in read_sections(document)]
    decisions = [match[1] for text in sections if (match := _DECISION.match(text))]
    return decisions[-1:] == [ValidationDecision.APPROVE.value]
