"""Removes secrets from prompts before they are embedded, stored or answered."""

from __future__ import annotations

from dataclasses import replace

from wellworn.domain.memory.models import Contribute, Prompt
from wellworn.engines.safety import redact, remove_quotes
from wellworn.kit.folding import fold_forms
from wellworn.kit.text import is_blank


def redact_prompt(prompt: Prompt) -> Prompt:
    """Return the prompt with placeholders for the secrets in all its texts."""
    return replace(
        prompt,
        prompt=redact(prompt.prompt).text,
        context=prompt.context and redact(prompt.context).text,
        agent_id=redact(prompt.agent_id).text,
        agent_name=redact(prompt.agent_name).text,
        tags=tuple(redact(tag).text for tag in prompt.tags),
        filter_tags=tuple(redact(tag).text for tag in prompt.filter_tags),
    )


def drop_quotes(prompt: Prompt) -> Prompt:
    """Return the prompt without what memory itself showed; of quotes alone, nothing is kept.

    A client that sends all of its context would else store each quote again, and find it again.
    Where the caller asks that a prompt be stored, it stays as it is.
    """
    if prompt.contribute is Contribute.ALWAYS or prompt.names_thoughts:
        return prompt
    own = remove_quotes(prompt.prompt)
    if own == prompt.prompt:
        return prompt
    return (
        replace(prompt, contribute=Contribute.NEVER)
        if is_blank(own)
        else replace(prompt, prompt=own)
    )


def fold_prompt(prompt: Prompt) -> Prompt:
    """Return the prompt as its words are read and searched for; stored is what was written."""
    context = prompt.context and fold_forms(prompt.context)
    return replace(prompt, prompt=fold_forms(prompt.prompt), context=context)


def build_query(prompt: Prompt, text: str | None = None) -> str:
    """Return the folded text to search for: the context, if any, and the prompt or its `text`."""
    text = fold_forms(text or prompt.prompt)
    return f"{fold_forms(prompt.context)} {text}" if prompt.context else text
