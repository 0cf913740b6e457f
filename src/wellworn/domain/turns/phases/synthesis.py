"""Phase 5: the answer as the user reads it, and what it claims."""

from __future__ import annotations

from wellworn.domain.turns.context_document import MOST_WORDS, format_heading
from wellworn.domain.turns.models import Phase, Response
from wellworn.domain.turns.sections import count_words, format_quote, join_blocks
from wellworn.domain.turns.turn_run import TurnRun


def run(run: TurnRun) -> Response:
    return run.engine.synthesize(run.brief())


def format_section(run: TurnRun, output: Response, attempt: int) -> str:
    has_sources = all(claim.evidence is not None for claim in output.claims)
    checks = [
        ("Claims match evidence", has_sources),
        ("Intent satisfied", not output.missing),
        ("No hallucinations", has_sources),
        ("Appropriate format", count_words(output.text) <= MOST_WORDS[Phase.SYNTHESIS]),
    ]
    return join_blocks(
        format_heading(Phase.SYNTHESIS, attempt),
        f"**Response Preview:**\n\n{format_quote(output.text)}",
        "**Validation Checklist:**\n"
        + "\n".join(f"- [{'x' if holds else ' '}] {name}" for name, holds in checks),
    )
