"""Decides whether a prompt is stored as a thought, and whether it picks an offered tag."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.memory.contribution import Contribution, ContributionReason, judge_contribution
from wellworn.domain.memory.disambiguation import find_telling_words
from wellworn.domain.memory.models import Contribute, Prompt
from wellworn.domain.thoughts import ThoughtDraft, ThoughtType, pick_tag
from wellworn.errors import InvalidInput

_WORDS_BESIDE_A_TAG = 2
_TYPES = (ThoughtType.ORIGINAL, ThoughtType.REFINEMENT, ThoughtType.CONSOLIDATION)
"""By how many thoughts a new one builds on."""


def judge(prompt: Prompt, *, is_reply: bool) -> Contribution:
    """Return whether a prompt is stored, and why; what replaces or builds on others always is.

    Raises:
        InvalidInput: it replaces or builds on others, and is not to be stored.
    """
    if prompt.contribute is Contribute.NEVER and prompt.names_thoughts:
        message = "what replaces or builds on thoughts is stored; contribute must not be never"
        raise InvalidInput(message)
    if prompt.contribute is Contribute.ALWAYS or prompt.names_thoughts:
        return Contribution(ContributionReason.ALWAYS)
    if prompt.contribute is Contribute.NEVER:
        return Contribution(ContributionReason.NEVER)
    return judge_contribution(prompt.prompt, is_reply=is_reply)


def create_draft(prompt: Prompt) -> ThoughtDraft:
    """Return the thought to store for a prompt."""
    draft = ThoughtDraft(
        content=prompt.prompt.strip(),
        contributor_id=prompt.agent_id,
        contributor_name=prompt.agent_name,
        thought_type=_TYPES[min(len(prompt.source_ids), 2)],
        source_ids=prompt.source_ids,
        tags=prompt.tags,
        context_metadata=prompt.context,
        replaces=prompt.replaces,
    )
    return draft.validate()


def find_chosen_tag(prompt: str, offered: Sequence[str]) -> str | None:
    """Return the offered tag that the prompt picks, unless the prompt asks something of its own."""
    tag = pick_tag(prompt, offered) if offered else None
    if (
        tag is None
        or len(find_telling_words(prompt)) > len(find_telling_words(tag)) + _WORDS_BESIDE_A_TAG
    ):
        return None
    return tag
