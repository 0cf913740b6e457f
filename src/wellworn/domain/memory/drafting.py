"""Decides whether a prompt is stored as a thought, and whether it picks an offered tag.

Source: thought tracing v0.2.0, sections 3.5 and 3.8.
"""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.memory.contribution import is_contribution
from wellworn.domain.memory.disambiguation import find_telling_words
from wellworn.domain.memory.models import Contribute, Prompt
from wellworn.domain.thoughts import ThoughtDraft, pick_tag

_WORDS_BESIDE_A_TAG = 2


def create_draft(prompt: Prompt) -> ThoughtDraft | None:
    """Return the thought to store for a prompt, if any."""
    stored = prompt.contribute is Contribute.ALWAYS or (
        prompt.contribute is Contribute.AUTO and is_contribution(prompt.prompt)
    )
    if not stored:
        return None
    draft = ThoughtDraft(
        content=prompt.prompt.strip(),
        contributor_id=prompt.agent_id,
        contributor_name=prompt.agent_name,
        tags=prompt.tags,
        context_metadata=prompt.context,
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
