"""Phase 1: whether the query is clear enough to go on, or the user is asked."""

from __future__ import annotations

from wellworn.domain.turns.context_document import format_heading
from wellworn.domain.turns.models import Phase, Reflection
from wellworn.domain.turns.sections import format_field, format_share, join_blocks
from wellworn.domain.turns.turn_run import TurnRun

_TYPES = {"transactional": "ACTION", "navigation": "NAVIGATION", "informational": "QUESTION"}


def run(run: TurnRun) -> Reflection:
    return run.engine.reflect(run.brief())


def format_section(run: TurnRun, output: Reflection, attempt: int) -> str:
    fields = [
        f"{format_field('Decision', output.decision.value)} #decision ^decision-reflection",
        "",
        format_field("Confidence", format_share(output.confidence)),
        format_field("Query Type", _TYPES[output.intent.value]),
        format_field("Is Follow-up", str(output.is_followup).lower()),
    ]
    return join_blocks(
        format_heading(Phase.REFLECTION, attempt),
        "\n".join(fields),
        format_field("Reasoning", output.reasoning),
        format_field("Question", output.question) if output.question else "",
    )
