"""How well vague prompts are asked back, and precise ones answered.

A set is a file of JSON Lines: what several small memories hold, each with its tags, and the prompts
asked of each, which are either too vague to be answered or name one thing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft

LOCAL = local_access()


class Answered(NamedTuple):
    """A prompt, whether it is to be asked back, and the areas that were offered."""

    memory: str
    prompt: str
    is_vague: bool
    areas: tuple[str, ...]


def ask_prompts(records: Iterable[dict[str, Any]]) -> list[Answered]:
    """Store what each memory holds and ask its prompts, each in a session of its own."""
    records = list(records)
    answered: list[Answered] = []
    for memory in dict.fromkeys(record["memory"] for record in records):
        own = [record for record in records if record["memory"] == memory]
        with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home))) as app:
            for record in own:
                if "text" in record:
                    draft = ThoughtDraft(record["text"], "ana", "ana", tags=tuple(record["tags"]))
                    app.thoughts.think(LOCAL, draft)
            answered += [_ask(app, record) for record in own if "prompt" in record]
    return answered


def _ask(app: App, record: dict[str, Any]) -> Answered:
    prompt = Prompt(record["prompt"], "ben", "ben", contribute=Contribute.NEVER)
    asked = app.memory.converse(LOCAL, prompt).result.disambiguation
    areas = tuple(f"{cluster.tag} ({cluster.count})" for cluster in asked.clusters) if asked else ()
    return Answered(record["memory"], record["prompt"], record["ask_back"], areas)


def score(answered: Iterable[Answered]) -> dict[str, float]:
    """Return the share of each kind that was asked back."""
    answered = list(answered)
    return {
        "vague prompts asked back": fmean(bool(one.areas) for one in answered if one.is_vague),
        "precise ones": fmean(bool(one.areas) for one in answered if not one.is_vague),
    }
