"""Phase 5: the answer as the user reads it, and what it claims."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import itemgetter
from typing import Final

from wellworn.domain.turns.citing import number_answer
from wellworn.domain.turns.compression import fit_start
from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.context_document import MOST_WORDS, format_heading, read_sections
from wellworn.domain.turns.extractive import checking
from wellworn.domain.turns.links import format_dual_link, unescape_links
from wellworn.domain.turns.models import GatheredContext, Phase, Response
from wellworn.domain.turns.sections import count_words, format_quote, join_blocks, strip_quote_marks
from wellworn.domain.turns.tool_results import FILE as RESULTS
from wellworn.domain.turns.turn_run import TurnRun

_PREVIEW: Final = re.compile(r"^\*\*Response Preview:\*\*\n\n((?:>.*(?:\n|\Z))+)", re.MULTILINE)
_CITED: Final = re.compile(r"(?<=\S)\s+\[\d+\]")
_HEADINGS: Final = 10
"""Words of the section's heading and the preview's."""


def run(run: TurnRun) -> Response:
    return run.engine.synthesize(run.brief())


def _format_citations(run: TurnRun, output: Response) -> str:
    """Return where in the turn's files that stands which the answer cites, by its numbers."""
    own = f"{run.turn.folder}/{CONTEXT}"
    gathered = run.find_last(GatheredContext) or GatheredContext()
    known = {item.number for item in gathered.evidence}
    numbers = number_answer(output, run.evidence)
    lines = [
        f"- [{cited}] {format_dual_link(own, place, f'E{number}', block=f'evidence-{number}')}"
        for number, cited in sorted(numbers.items(), key=itemgetter(1))
        for place in [own if number in known else f"{run.turn.folder}/{RESULTS}"]
    ]
    return "\n".join(["**Citations:**", *lines]) if lines else ""


def format_section(run: TurnRun, output: Response, attempt: int) -> str:
    by_rules = checking.validate(replace(run.brief(), response=output)).checks
    checks = [
        ("Claims match evidence", by_rules[checking.SUPPORTED]),
        ("Intent satisfied", by_rules[checking.ADDRESSED]),
        ("No hallucinations", by_rules[checking.HALLUCINATED]),
        ("Appropriate format", count_words(output.text) <= MOST_WORDS[Phase.SYNTHESIS]),
    ]
    tail = join_blocks(
        _format_citations(run, output),
        "**Validation Checklist:**\n"
        + "\n".join(f"- [{'x' if holds else ' '}] {name}" for name, holds in checks),
    )
    # Each line that is quoted has a mark, which counts as a word.
    marks = output.text.count("\n") + 1
    room = MOST_WORDS[Phase.SYNTHESIS] - count_words(tail) - marks - _HEADINGS
    preview = fit_start(output.text, most_words=room, compress=run.engine.compress)
    return join_blocks(
        format_heading(Phase.SYNTHESIS, attempt),
        f"**Response Preview:**\n\n{format_quote(preview)}",
        tail,
    )


def read_response(document: str) -> str:
    """Return what a `context.md` answers at last, without its citations; empty without any."""
    sections = [each.text for each in read_sections(document)]
    previews = [match[1] for text in sections if (match := _PREVIEW.search(text))]
    answer = unescape_links(strip_quote_marks(previews[-1])) if previews else ""
    return _CITED.sub("", answer).strip()
