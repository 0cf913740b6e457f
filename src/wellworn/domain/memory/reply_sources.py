"""Describes each thought and passage of a reply, beside what it quotes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from wellworn.domain.memory.models import ReplySource
from wellworn.domain.sources import Snippet
from wellworn.domain.thoughts import FoundThought
from wellworn.kit.clock import to_iso, to_iso_if_any
from wellworn.kit.text import preview


def build_sources(
    shown: Sequence[FoundThought], passages: Sequence[Snippet] | None, *, explain: bool
) -> tuple[ReplySource, ...]:
    """Return the sources of a reply; without passages, which of both a source is, is not told."""
    thoughts = tuple(build_source(thought, explain=explain) for thought in shown)
    if passages is None:
        return thoughts
    marked = tuple(replace(thought, kind="thought") for thought in thoughts)
    return marked + tuple(_build_passage_source(passage, explain=explain) for passage in passages)


def cite_passage(passage: Snippet) -> str:
    over = ", which holds no longer" if passage.is_past else ""
    return (
        f"{passage.citation}{over}{f', {passage.encoding_note}' if passage.encoding_note else ''}"
    )


def _build_passage_source(passage: Snippet, *, explain: bool) -> ReplySource:
    plain = ReplySource(
        thought_id=f"document:{passage.document_id}",
        contributor=passage.source,
        score=passage.score,
        content_preview=preview(passage.text),
        kind="document",
        citation=passage.citation,
        outdated_at=to_iso(_find_date(passage)) if passage.is_past else None,
    )
    if not explain:
        return plain
    return replace(
        plain,
        content=passage.text,
        tags=(),
        created_at=to_iso_if_any(passage.dated_at),
        rank_score=math.fsum(passage.why.values()),
        why=passage.why,
    )


def _find_date(passage: Snippet) -> float:
    """Return the date of a passage's document, or else when its source was looked at last."""
    return passage.fetched_at if passage.dated_at is None else passage.dated_at


def build_source(thought: FoundThought, *, explain: bool) -> ReplySource:
    plain = ReplySource(
        thought_id=thought.thought_id,
        contributor=thought.contributor_name,
        score=thought.score,
        content_preview=preview(thought.content),
        replaces=thought.replaces or None,
        replaced_by=thought.replaced_by or None,
        outdated_at=to_iso_if_any(thought.outdated_at),
        expires_at=to_iso_if_any(thought.expires_at),
        contested=thought.contested or None,
        unconfirmed_until=to_iso_if_any(thought.unconfirmed_until),
        rediscovered=thought.rediscovered or None,
        space=thought.space,
        alike=thought.alike,
        answers=thought.answers,
        span=thought.span,
    )
    if not explain:
        return plain
    return replace(
        plain,
        content=thought.content,
        tags=thought.tags,
        created_at=to_iso(thought.created_at),
        rank_score=thought.rank_score,
        why=thought.parts,
    )
