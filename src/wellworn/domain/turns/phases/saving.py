"""Phase 7: what is known of the turn at its end, for people, for Obsidian and for later turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.memory import Limits
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import ThoughtDraft, Thoughts, ThoughtType
from wellworn.domain.turns.citing import cite_evidence, number_answer
from wellworn.domain.turns.context_document import format_companion
from wellworn.domain.turns.daily_metrics import count_turn
from wellworn.domain.turns.extractive import checking
from wellworn.domain.turns.flow import count_retries, count_revisions, is_approved
from wellworn.domain.turns.index import (
    INDEX,
    METADATA,
    MOST_LISTED,
    format_index,
    write_metadata,
)
from wellworn.domain.turns.journal import PhaseEntry
from wellworn.domain.turns.limits import add_limits, judge_limits
from wellworn.domain.turns.models import (
    Evidence,
    EvidenceKind,
    Reflection,
    Response,
    Route,
    TaskPlan,
    Turn,
    TurnStatus,
    Validation,
)
from wellworn.domain.turns.phases.analysis import FILE as ANALYSIS
from wellworn.domain.turns.phases.validation import measure_quality
from wellworn.domain.turns.research.documents import DATA
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.domain.turns.webpages import write_json
from wellworn.kit.ids import derive_id
from wellworn.kit.text import CHARACTERS_A_TOKEN, preview

METRICS: Final = "metrics.json"
_LONGEST_SUMMARY: Final = 400
_GIVEN_UP: Final = (
    "This turn was interrupted and is no longer resumed by itself: {reason}. "
    "What it has finished is kept; wellworn turn resume {number} tries again."
)
_FAILED = "The answer could not be backed by its sources, so it is not given."


def save(run: TurnRun, recent: Sequence[Turn]) -> Turn:
    """Write what is known at the end; return the turn as it is now."""
    turn = summarize(run)
    write_metadata(run.vault, turn, sorted({item.source for item in run.evidence}))
    metrics = _build_metrics(run, turn)
    write_json(run.vault, f"{turn.folder}/{METRICS}", metrics)
    run.vault.write(f"{turn.folder}/metrics.md", _format_metrics(run, turn, metrics))
    count_turn(run.vault, turn, metrics)
    run.document.finish(turn)
    run.vault.write(INDEX, format_index([turn, *recent][:MOST_LISTED]))
    return turn


def give_up(run: TurnRun, reason: str) -> Turn:
    """Write that no job resumes a turn any more; return the turn as it is now."""
    turn = replace(run.turn, summary=_GIVEN_UP.format(reason=reason, number=run.turn.number))
    write_metadata(run.vault, turn)
    run.document.finish(turn)
    return turn


def summarize(run: TurnRun) -> Turn:
    """Return the turn with what its phases decided."""
    validation = run.find_last(Validation)
    return replace(
        run.describe(),
        status=_find_status(run),
        summary=preview(find_answer(run), _LONGEST_SUMMARY),
        quality=measure_quality(validation) if validation else None,
        engine=run.turn.engine if run.turn.status is TurnStatus.OPEN else run.engine.name,
        ended_at=run.turn.ended_at or run.clock.now(),
        has_answer=is_given(run) and (run.find_last(Response) or Response("")).has_answer,
    )


def find_answer(run: TurnRun) -> str:
    """Return what the user reads: the answer, a question, or why there is none."""
    if run.turn.is_given_up:
        return run.turn.summary
    status = _find_status(run)
    reflection, plan = run.find_last(Reflection), run.find_last(TaskPlan)
    if status is TurnStatus.CLARIFY:
        asked = plan.question if plan else (reflection.question if reflection else None)
        return asked or "Please say more."
    response = run.find_last(Response)
    if response is None or not is_given(run):
        return _FAILED
    return add_limits(response.text, find_limits(run))


def is_given(run: TurnRun) -> bool:
    """Tell whether the user reads the answer: it passed, or lacks no more than it says itself."""
    status = _find_status(run)
    validation, response = run.find_last(Validation), run.find_last(Response)
    if status is not TurnStatus.FAILED or validation is None or response is None:
        return status is TurnStatus.DONE
    return checking.lacks_only(validation, response)


def find_limits(run: TurnRun) -> Limits:
    """Return the limits of the query, and what became of them in the answer."""
    response = run.find_last(Response) or Response("")
    cited = cite_evidence(number_answer(response, run.evidence), run.evidence)
    return judge_limits(run.limits, cited, run.clock.now())


def _find_status(run: TurnRun) -> TurnStatus:
    if run.turn.status.is_over:
        return run.turn.status
    if run.turn.status is TurnStatus.OPEN:
        # Its agent has answered already; what the validation thinks of it is said, and no more.
        return TurnStatus.DONE
    phases = run.journal.phases
    if is_approved(phases):
        return TurnStatus.DONE
    last = phases[-1].output if phases else None
    is_question = isinstance(last, Reflection) or (
        isinstance(last, TaskPlan) and last.route is Route.CLARIFY
    )
    return TurnStatus.CLARIFY if is_question else TurnStatus.FAILED


def _build_metrics(run: TurnRun, turn: Turn) -> dict[str, Any]:
    phases: list[PhaseEntry] = run.journal.phases
    return {
        "turn_number": turn.number,
        "total_duration_ms": round(sum(entry.duration_ms for entry in phases), 1),
        "total_tokens": sum(len(entry.section) for entry in phases) // CHARACTERS_A_TOKEN,
        "phases": [
            {
                "phase": entry.phase.value,
                "attempt": entry.attempt,
                "duration_ms": entry.duration_ms,
                "words": len(entry.section.split()),
            }
            for entry in phases
        ],
        "tool_calls": sum(len(run.journal.list_calls(each + 1)) for each in range(run.attempt)),
        "evidence": len(run.evidence),
        "revisions": count_revisions(phases),
        "retries": count_retries(phases),
        "decision": turn.status.value,
    }


def _format_metrics(run: TurnRun, turn: Turn, metrics: dict[str, Any]) -> str:
    """Return the note that stands for the turn's files of JSON, which Obsidian does not show."""
    fields = {key: metrics[key] for key in metrics if key not in {"turn_number", "phases"}}
    lines = [f"- {key}: {value}" for key, value in fields.items()]
    head = format_companion(turn, "metrics", f"metrics (turn_{turn.number:06d})").rstrip()
    names = [METADATA, ANALYSIS, DATA]
    beside = [name for name in names if run.vault.measure(f"{turn.folder}/{name}") is not None]
    links = ", ".join(f"[{name}](./{name})" for name in beside)
    source = f"- Source: [{METRICS}](./{METRICS})\n- Beside it: {links}\n- #metrics"
    return f"{head}\n{source}\n\n## Key Fields\n" + "\n".join(lines) + "\n"


_LONGEST_THOUGHT: Final = 4_000


def contribute_answer(thoughts: Thoughts, run: TurnRun, ended: Turn) -> None:
    """Store what an answer quotes as a thought if that is set, with `context.md` as its source.

    Of a member's answer only what everybody in the space may see.
    """
    response = run.find_last(Response)
    is_wanted = run.settings.contribute and run.access.role.allows(Role.CONTRIBUTOR)
    if not is_wanted or not ended.has_answer or response is None:
        return
    shared = {item.number: item for item in run.evidence if _is_for_all(run, item)}
    claims = [claim for claim in response.claims if claim.evidence in shared]
    thought_id = derive_id("turn-thought", ended.id)
    if not claims or thoughts.searcher.has(run.access, thought_id):
        return  # Saved again after a crash; to say it again would affirm it.
    cited = [shared[claim.evidence].thought_id for claim in claims if claim.evidence is not None]
    source_ids = tuple(dict.fromkeys(filter(None, cited)))
    quotes = "\n".join(claim.text for claim in claims)
    draft = ThoughtDraft(
        f"{ended.resolved_query}\n{quotes}"[:_LONGEST_THOUGHT],
        ended.user_id,
        ended.user_id,
        thought_type=ThoughtType.CONSOLIDATION if source_ids else ThoughtType.ORIGINAL,
        source_ids=source_ids,
        tags=("turn",),
        context_metadata=f"{ended.folder}/context.md",
        thought_id=thought_id,
    )
    thoughts.think(run.access, draft)


def _is_for_all(run: TurnRun, item: Evidence) -> bool:
    """Tell whether everybody in the space may see what is quoted.

    What a member's turns read, and what they know of the member, is the member's own.
    """
    if run.access.owner is None or item.kind is EvidenceKind.THOUGHT:
        return True
    return item.kind is EvidenceKind.KNOWLEDGE and not run.gatherer.is_limited(run.access, item)
