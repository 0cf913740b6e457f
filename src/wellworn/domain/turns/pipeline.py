"""A turn from one phase to the next, from wherever its journal ends.

Each phase's decision is in the journal before its section is in `context.md`, and both before the
next phase begins; so a killed turn repeats at most the phase that it was in.

Source: the specification of document IO, section 3.11.
"""

from __future__ import annotations

import time

from wellworn.domain.turns.context_document import read_sections
from wellworn.domain.turns.flow import find_next
from wellworn.domain.turns.journal import PhaseEntry
from wellworn.domain.turns.models import Phase
from wellworn.domain.turns.phases import PHASES
from wellworn.domain.turns.turn_run import TurnRun


def run_phases(run: TurnRun) -> None:
    """Run every phase that is left but the saving."""
    _complete_document(run)
    while (step := find_next(run.journal.phases)).phase is not Phase.SAVING:
        module = PHASES[step.phase]
        run.notify(step.phase, step.attempt, None)
        begun = time.perf_counter()
        output = module.run(run)
        duration_ms = round((time.perf_counter() - begun) * 1000, 1)
        section = module.format_section(run, output, step.attempt)
        run.journal.add(PhaseEntry(step.phase, step.attempt, output, section, duration_ms))
        run.document.append(section)
        run.notify(step.phase, step.attempt, section)


def _complete_document(run: TurnRun) -> None:
    """Append the section that was decided and not written when the process ended."""
    phases = run.journal.phases
    text = run.document.text
    headings = {(section.title, section.attempt) for section in read_sections(text)}
    for entry in phases if not text else phases[-1:]:
        [section] = read_sections(entry.section)
        if (section.title, section.attempt) not in headings:
            run.document.append(entry.section)
