"""The only SQL of the conversation: answers kept for retried calls."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, or_, select

from wellworn.memory.tables import answers
from wellworn.spaces import Access

KEPT_FOR_S = 24 * 3600.0


def kept_answer(connection: Connection, access: Access, key: str) -> tuple[str, str] | None:
    """Return the fingerprint of the first request with this key, and its answer."""
    statement = select(answers.c.request_fingerprint, answers.c.answer).where(
        answers.c.knowledge_space_id == access.space,
        answers.c.principal == access.principal,
        answers.c.key == key,
    )
    row = connection.execute(statement).first()
    return None if row is None else (row.request_fingerprint, row.answer)


def keep_answer(
    connection: Connection, access: Access, key: str, *, fingerprint: str, answer: str, now: float
) -> None:
    """Keep an answer for a day; older ones go."""
    connection.execute(delete(answers).where(answers.c.answered_at < now - KEPT_FOR_S))
    connection.execute(
        insert(answers),
        {
            "knowledge_space_id": access.space,
            "principal": access.principal,
            "key": key,
            "request_fingerprint": fingerprint,
            "answer": answer,
            "answered_at": now,
        },
    )


def drop_answers_with(connection: Connection, access: Access, texts: Sequence[str]) -> None:
    """Drop the kept answers that say one of the texts."""
    said = [
        answers.c.answer.contains(json.dumps(text, ensure_ascii=False)[1:-1], autoescape=True)
        for text in texts
        if text
    ]
    connection.execute(
        delete(answers).where(answers.c.knowledge_space_id == access.space, or_(*said))
    )
