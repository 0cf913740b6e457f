"""The thought that an answer can become.

An answer that quotes a thought is no confirmation of it: what stands first is quoted, so that a lie
which fits a question would be confirmed by whoever asks. Finding it left its trail already.
"""

from __future__ import annotations

from typing import Final

from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import ThoughtDraft, Thoughts, ThoughtType
from wellworn.domain.turns.models import Evidence, EvidenceKind, Response, Turn
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.kit.ids import derive_id

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
