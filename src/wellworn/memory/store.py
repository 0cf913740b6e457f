"""The only SQL of the conversation: answers kept for retried calls."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

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


def drop_answers_about(connection: Connection, access: Access, thought_id: str) -> None:
    """Drop the kept answers that quote a thought."""
    statement = delete(answers).where(
        answers.c.knowledge_space_id == access.space, answers.c.answer.contains(thought_id)
    )
    connection.execute(statement)
