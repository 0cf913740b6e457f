"""Removes secrets from prompts before they are embedded, stored or answered."""

from __future__ import annotations

from dataclasses import replace

from wellworn.domain.memory.models import Prompt
from wellworn.engines.safety import redact


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


def build_query(prompt: Prompt, text: str | None = None) -> str:
    """Return the text to search for: the context, if any, and the prompt or its full `text`."""
    text = text or prompt.prompt
    return f"{prompt.context} {text}" if prompt.context else text
