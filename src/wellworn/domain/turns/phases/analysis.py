"""Phase 0: what the query means, with its references made explicit."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Final

from wellworn.domain.turns.context_document import format_heading
from wellworn.domain.turns.models import ContentReference, Phase, QueryAnalysis
from wellworn.domain.turns.sections import count_words, format_field, format_words, join_blocks
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.domain.turns.webpages import write_json

FILE = "query_analysis.json"
_LONGEST_REPEATED: Final = 100
"""In words; twice the longest of these leave room for the rest."""


def run(run: TurnRun) -> QueryAnalysis:
    analysis = run.engine.analyze(run.turn.query, run.gatherer.recall(run))
    read_as = run.gatherer.correct_name(run, analysis.resolved_query)
    if read_as != analysis.resolved_query:
        analysis = replace(analysis, resolved_query=read_as, read_as=read_as)
    limits = run.gatherer.read_limits(run, analysis.resolved_query)
    analysis = replace(analysis, limits=limits)
    write_json(run.vault, f"{run.turn.folder}/{FILE}", asdict(analysis))
    return analysis


def format_section(run: TurnRun, output: QueryAnalysis, attempt: int) -> str:
    fields = [
        format_field("Resolved", _name_resolved(output)),
        format_field("Query Type", output.query_type.value),
        format_field("Was Resolved", str(output.was_resolved).lower()),
        _format_reference(output.content_reference),
        *(
            format_field("Limit", f"{format_words(limit.words)} ({limit.kind}, {limit.state})")
            for limit in output.limits.limits
        ),
    ]
    return join_blocks(
        format_heading(Phase.ANALYSIS, attempt),
        format_field("Original", output.original_query),
        "\n".join(fields),
        format_field("Reasoning", output.reasoning) if output.reasoning else "",
    )


def _name_resolved(output: QueryAnalysis) -> str:
    """Return the resolved query; a long one that is the original is not written twice."""
    is_same = output.resolved_query == output.original_query
    is_long = count_words(output.original_query) > _LONGEST_REPEATED
    return "as the original" if is_same and is_long else output.resolved_query


def _format_reference(reference: ContentReference | None) -> str:
    if reference is None:
        return format_field("Content Reference", "none")
    return "\n".join(
        [
            "**Content Reference:**",
            f"- Title: {format_words(reference.title)}",
            f"- Type: {format_words(reference.content_type)}",
            f"- Site: {format_words(reference.site)}",
            f"- Source Turn: {reference.source_turn}",
        ]
    )
