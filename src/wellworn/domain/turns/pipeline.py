"""A turn from one phase to the next, from wherever its journal ends.

Each phase's decision is in the journal before its section is in `context.md`, and both before the
next phase begins; so a killed turn repeats at most the phase that it was in.

Source: the specification of document IO, section 3.11.
"""

from __future__ import annotations

import time

from wellworn.domain.turns.compression import fit_lines, keep_words
from wellworn.domain.turns.context_document import MOST_WORDS, read_sections
from wellworn.domain.turns.flow import PhaseStep, find_next
from wellworn.domain.turns.journal import PhaseEntry
from wellworn.domain.turns.models import Output, Phase
from wellworn.domain.turns.phases import PHASES
from wellworn.domain.turns.turn_run import TurnRun


def run_phases(run: TurnRun) -> None:
    """Run every phase that is left but the saving."""
    complete_document(run)
    while (step := find_next(run.journal.phases)).phase is not Phase.SAVING:
        run.notify(step.phase, step.attempt, None)
        begun = time.perf_counter()
        output = PHASES[step.phase].run(run)
        section = record_phase(run, step, output, (time.perf_counter() - begun) * 1000)
        run.notify(step.phase, step.attempt, section)


def record_phase(run: TurnRun, step: PhaseStep, output: Output, duration_ms: float = 0.0) -> str:
    """Keep what a phase decided, and append its section; return the section.

    Raises:
        StorageUnavailable: it could not be stored.
    """
    whole: str = PHASES[step.phase].format_section(run, output, step.attempt)
    # What the user asked is cut where it is too long, and never said in other words.
    compress = keep_words if step.phase is Phase.ANALYSIS else run.engine.compress
    section = fit_lines(whole, most_words=MOST_WORDS[step.phase], compress=compress)
    entry = PhaseEntry(step.phase, step.attempt, output, section, round(duration_ms, 1))
    run.journal.add(entry)
    run.document.append(section)
    return section


def complete_document(run: TurnRun) -> None:
    """Append the section that was decided and not written when the process ended."""
    phases = run.journal.phases
    text = run.document.text
    headings = {(section.title, section.attempt) for section in read_sections(text)}
    for entry in phases if not text else phases[-1:]:
        section, *_ = read_sections(entry.section)
        if (section.title, section.attempt) not in headings:
            run.document.append(entry.section)
