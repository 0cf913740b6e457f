"""Stored answers for retried calls."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select

from wellworn.domain.memory.tables import answers
from wellworn.domain.memory.wording import format_label
from wellworn.domain.spaces import DEFAULT_SPACE, Access
from wellworn.domain.thoughts import tag_key
from wellworn.engines.retrieval.topics import split_keywords

KEPT_FOR_S = 24 * 3600.0
MOST_OF_A_CALLER = 1_000
_AT_ONCE = 100
"""Too many are counted with every call, and dropped a hundred at a time."""


def find_answer(connection: Connection, access: Access, key: str) -> tuple[str, str] | None:
    """Return the fingerprint of the first request with this key, and its answer."""
    statement = select(answers.c.request_fingerprint, answers.c.answer).where(
        answers.c.knowledge_space_id == access.space,
        answers.c.principal == access.principal,
        answers.c.key == key,
    )
    row = connection.execute(statement).first()
    return None if row is None else (row.request_fingerprint, row.answer)


def store_answer(
    connection: Connection, access: Access, key: str, *, fingerprint: str, answer: str, now: float
) -> None:
    """Keep an answer for a day, and until its caller has a thousand later ones."""
    connection.execute(delete(answers).where(answers.c.answered_at < now - KEPT_FOR_S))
    _drop_surplus(connection, access)
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


def _drop_surplus(connection: Connection, access: Access) -> None:
    own = (answers.c.knowledge_space_id == access.space) & (answers.c.principal == access.principal)
    count = connection.execute(select(func.count()).select_from(answers).where(own)).scalar_one()
    if count < MOST_OF_A_CALLER + _AT_ONCE:
        return
    newest = select(answers.c.key).where(own).order_by(answers.c.answered_at.desc())
    later = newest.limit(MOST_OF_A_CALLER).scalar_subquery()
    connection.execute(delete(answers).where(own, answers.c.key.not_in(later)))


def drop_answers_to(connection: Connection, access: Access, principal: str) -> None:
    """Drop what was answered to one caller."""
    connection.execute(
        delete(answers).where(
            answers.c.knowledge_space_id == access.space, answers.c.principal == principal
        )
    )


def drop_answers(connection: Connection, access: Access) -> None:
    """Drop every stored answer of the space."""
    connection.execute(delete(answers).where(answers.c.knowledge_space_id == access.space))


def drop_answers_about(
    connection: Connection, access: Access, thought_id: str, content: str, tags: Sequence[str]
) -> None:
    """Drop stored answers that quote a thought by its id, a highway by its label, or offer it."""
    mentions = (thought_id, format_label(content, tags))
    words = [written for _, written in split_keywords(content)]
    drop_answers_with(connection, access, mentions, [*tags, *words])


def drop_answers_with(
    connection: Connection, access: Access, texts: Sequence[str], tags: Sequence[str] = ()
) -> None:
    """Drop stored answers that say one of the texts or offer one of the tags or words."""
    _drop_offers_of(connection, access, {tag_key(tag) for tag in tags})
    matches = [
        answers.c.answer.contains(json.dumps(text, ensure_ascii=False)[1:-1], autoescape=True)
        for text in texts
        if text
    ]
    connection.execute(delete(answers).where(_may_quote(access), or_(*matches)))


def _may_quote(access: Access) -> ColumnElement[bool]:
    """Match the answers given in the space, and of the shared one also those given in projects."""
    own = answers.c.knowledge_space_id == access.space
    is_shared = access.space == DEFAULT_SPACE
    return own | answers.c.knowledge_space_id.startswith("ksp-") if is_shared else own


def _drop_offers_of(connection: Connection, access: Access, keys: Set[str]) -> None:
    """Drop the counter-questions that counted a thought with one of these tags."""
    statement = select(answers.c.principal, answers.c.key, answers.c.answer).where(
        answers.c.knowledge_space_id == access.space,
        answers.c.answer.contains('"disambiguation":{'),
    )
    for row in connection.execute(statement).all() if keys else ():
        clusters = json.loads(row.answer)["result"]["disambiguation"]["clusters"]
        if keys.isdisjoint(tag_key(cluster["tag"]) for cluster in clusters):
            continue
        connection.execute(
            delete(answers).where(
                answers.c.knowledge_space_id == access.space,
                answers.c.principal == row.principal,
                answers.c.key == row.key,
            )
        )
