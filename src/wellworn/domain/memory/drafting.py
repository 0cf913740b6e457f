"""Decides whether a prompt is stored as a thought, and as which."""

from __future__ import annotations

from wellworn.domain.memory.contribution import (
    Contribution,
    ContributionReason,
    DividedPrompt,
    divide,
    is_courtesy,
    judge_contribution,
)
from wellworn.domain.memory.models import Contribute, Prompt
from wellworn.domain.memory.prior_state import PriorState
from wellworn.domain.thoughts import ThoughtDraft, ThoughtType
from wellworn.errors import InvalidInput

_TYPES = (ThoughtType.ORIGINAL, ThoughtType.REFINEMENT, ThoughtType.CONSOLIDATION)
"""By how many thoughts a new one builds on."""


def judge(prompt: Prompt, before: PriorState) -> Contribution:
    """Return whether a prompt is stored, and why.

    What replaces or builds on others always is, and what is given an end.

    So is what corrects the last answer, however little it says.

    Raises:
        InvalidInput: it says what only a thought has, and is not to be stored.
    """
    if prompt.contribute is Contribute.NEVER and prompt.is_to_be_stored:
        given = "replaces or builds on thoughts" if prompt.names_thoughts else "has an expires_at"
        raise InvalidInput(f"what {given} is stored; contribute must not be never")
    if prompt.contribute is Contribute.ALWAYS or prompt.is_to_be_stored:
        return Contribution(ContributionReason.ALWAYS)
    if prompt.contribute is Contribute.NEVER:
        return Contribution(ContributionReason.NEVER)
    if before.follow_up is not None and before.follow_up.is_choice:
        return Contribution(ContributionReason.FOLLOW_UP)
    judged = judge_contribution(prompt.prompt, is_reply=bool(before.returned_ids))
    is_too_little = judged.reason in {ContributionReason.LITTLE, ContributionReason.SMALL_TALK}
    if before.corrected_ids and is_too_little and not is_courtesy(prompt.prompt):
        return Contribution(ContributionReason.STATEMENT)
    return judged


def divide_prompt(prompt: Prompt, contribution: Contribution) -> DividedPrompt | None:
    """Return what a prompt states and what it asks beside it; None where it is stored in full.

    So is what the caller wants to be stored, and nothing is stored of a prompt that only asks.
    """
    is_judged = contribution.reason is ContributionReason.STATEMENT
    return divide(prompt.prompt) if is_judged else None


def create_draft(
    prompt: Prompt, before: PriorState, divided: DividedPrompt | None = None
) -> ThoughtDraft:
    """Return the thought to store for a prompt, without what it asks beside its statement.

    A correction like "no, it's the 19th" is stored with the question that it answers, which its
    contributor asked before: so it can be understood, and found, by one who reads it alone. What
    is to be stored always is stored as it was given.
    """
    draft = ThoughtDraft(
        content=_choose_content(prompt, before, divided),
        contributor_id=prompt.agent_id,
        contributor_name=prompt.agent_name,
        thought_type=_TYPES[min(len(prompt.source_ids), 2)],
        source_ids=prompt.source_ids,
        tags=prompt.tags,
        context_metadata=prompt.context,
        replaces=prompt.replaces,
        corrects=before.corrected_ids,
        expires_at=prompt.expires_at,
    )
    return draft.validate_new()


def _choose_content(prompt: Prompt, before: PriorState, divided: DividedPrompt | None) -> str:
    if prompt.contribute is Contribute.ALWAYS:
        return prompt.prompt
    content = divided.statement if divided else prompt.prompt.strip()
    return f"{content} ({before.answered})" if before.answered else content
