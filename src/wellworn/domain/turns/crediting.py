"""What an answer does to the thoughts that it cites, and the thought that it can become itself."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import FeedbackSignal, ThoughtDraft, Thoughts, ThoughtType
from wellworn.domain.turns.models import Response, Turn, TurnStatus
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.errors import NotFound
from wellworn.kit.ids import derive_id

_LONGEST_THOUGHT: Final = 4_000


def credit_sources(thoughts: Thoughts, run: TurnRun, ended: Turn) -> None:
    """Count the thoughts that the answer cites as used; store the answer if that is set."""
    response = run.find_last(Response)
    if ended.status is not TurnStatus.DONE or response is None:
        return
    cited = {claim.evidence for claim in response.claims}
    used = [
        item.thought_id
        for item in run.evidence
        if item.number in cited and item.thought_id is not None
    ]
    for thought_id in dict.fromkeys(used):
        with suppress(NotFound):
            thoughts.add_feedback(
                run.access,
                session_id=ended.id,
                thought_id=thought_id,
                signal=FeedbackSignal.USEFUL,
            )
    is_wanted = run.settings.contribute and run.access.role.allows(Role.CONTRIBUTOR)
    if is_wanted and response.claims:
        _contribute(thoughts, run, ended, response, tuple(dict.fromkeys(used)))


def _contribute(
    thoughts: Thoughts, run: TurnRun, ended: Turn, response: Response, source_ids: tuple[str, ...]
) -> None:
    """Store what an answer says as a thought, with the turn's document as its source."""
    thought_id = derive_id("turn-thought", ended.id)
    if thoughts.searcher.has(run.access, thought_id):
        return  # Saved again after a crash; to say it again would affirm it.
    quotes = "\n".join(claim.text for claim in response.claims)
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
