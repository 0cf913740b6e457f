"""Rows of the query log as sessions and their paths: what was asked, when, and as which vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import COURTESY
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import accesses, query_log
from wellworn.engines.storage.sql import select_in
from wellworn.kit.clock import from_iso, to_iso

_LOOKED_THROUGH: Final = 5_000
"""The newest questions of a space whose sessions are listed."""
MOST_OPENINGS: Final = 3_000
"""The newest sessions that are looked at together."""
_FIRST_SHOWN: Final = 3

_ASKED = (query_log.c.query_vector.is_not(None), query_log.c.retrieval_method != COURTESY)


class SessionSummary(NamedTuple):
    """A session by what was asked in it; times in epoch seconds."""

    session_id: str
    agent_id: str
    questions: int
    first_at: float
    last_at: float


class AskedQuestion(NamedTuple):
    """A question of a session; empty where its words were erased."""

    query_id: str
    agent_id: str
    text: str
    asked_at: float
    vector: NDArray[np.float32]


class Opening(NamedTuple):
    """The first question of a session; `user` is who counts as one."""

    query_seq: int
    user: str
    asked_at: float
    vector: NDArray[np.float32]


def list_sessions(
    connection: Connection, access: Access, *, owner: str | None, limit: int
) -> list[SessionSummary]:
    """Return the sessions that something was asked in last, those of an owner if one is given."""
    newest = (
        _select_asked(access, owner).order_by(query_log.c.seq.desc()).limit(_LOOKED_THROUGH)
    ).subquery()
    last = func.max(newest.c.seq)
    statement = (
        select(
            newest.c.session_id,
            func.max(newest.c.agent_id),
            func.count(),
            func.min(newest.c.timestamp),
            func.max(newest.c.timestamp),
        )
        .group_by(newest.c.session_id)
        .order_by(last.desc())
        .limit(limit)
    )
    return [
        SessionSummary(name, agent, count, from_iso(first), from_iso(latest))
        for name, agent, count, first, latest in connection.execute(statement)
    ]


def has_asked(
    connection: Connection, access: Access, session_id: str, *, owner: str | None
) -> bool:
    """Tell whether the query log has a session, of an owner if one is given."""
    statement = select(query_log.c.seq).where(
        query_log.c.session_id == session_id, query_log.c.knowledge_space_id == access.space
    )
    if owner is not None:
        statement = statement.where(query_log.c.owner == owner)
    return connection.execute(statement.limit(1)).first() is not None


def list_questions(
    connection: Connection, access: Access, session_id: str, *, owner: str | None, most: int
) -> list[AskedQuestion]:
    """Return the newest questions of a session that can be compared with one another, in order."""
    statement = (
        _select_asked(access, owner)
        .where(query_log.c.session_id == session_id)
        .order_by(query_log.c.seq.desc())
        .limit(most)
    )
    rows = _keep_comparable(connection.execute(statement).all())[::-1]
    return [
        AskedQuestion(
            row.id,
            row.agent_id,
            row.query_text,
            from_iso(row.timestamp),
            np.frombuffer(row.query_vector, np.float32),
        )
        for row in rows
    ]


def list_openings(connection: Connection, access: Access, *, since: float) -> list[Opening]:
    """Return the first questions of the newest 3,000 sessions since a moment, the newest first."""
    firsts = (
        select(func.min(query_log.c.seq).label("seq"))
        .where(
            query_log.c.knowledge_space_id == access.space,
            query_log.c.timestamp >= to_iso(since),
            *_ASKED,
        )
        .group_by(query_log.c.session_id)
        .order_by(func.min(query_log.c.seq).desc())
        .limit(MOST_OPENINGS)
        .subquery()
    )
    statement = (
        select(
            query_log.c.seq,
            owner_or_label(query_log, "agent_id").label("user"),
            query_log.c.timestamp,
            query_log.c.query_vector,
        )
        .join(firsts, firsts.c.seq == query_log.c.seq)
        .order_by(query_log.c.seq.desc())
    )
    return [
        Opening(
            row.seq,
            row.user,
            from_iso(row.timestamp),
            np.frombuffer(row.query_vector, np.float32),
        )
        for row in _keep_comparable(connection.execute(statement).all())
    ]


def list_shown(connection: Connection, query_seqs: Sequence[int]) -> list[int]:
    """Return the thoughts that questions were shown among their first three, as often."""
    statement = select(accesses.c.thought_seq, accesses.c.rank)
    found = select_in(connection, statement, accesses.c.query_seq, query_seqs)
    return [row.thought_seq for row in found if row.rank < _FIRST_SHOWN]


def list_texts(
    connection: Connection, query_seqs: Sequence[int], *, owner: str | None, most: int
) -> list[str]:
    """Return the words of questions, those of an owner if one is given, without erased ones."""
    statement = select(query_log.c.query_text).where(query_log.c.query_text != "")
    if owner is not None:
        statement = statement.where(query_log.c.owner == owner)
    texts = [
        row.query_text for row in select_in(connection, statement, query_log.c.seq, query_seqs)
    ]
    return [*dict.fromkeys(texts)][:most]


def _select_asked(access: Access, owner: str | None) -> Select[*tuple[Any, ...]]:
    log = query_log.c
    statement = select(
        *(log.seq, log.id, log.session_id, log.agent_id),
        *(log.timestamp, log.query_text, log.query_vector),
    ).where(log.knowledge_space_id == access.space, *_ASKED)
    return statement if owner is None else statement.where(log.owner == owner)


def _keep_comparable(rows: Sequence[Any]) -> list[Any]:
    """Return those of rows, the newest first, whose vectors are of the newest's size."""
    # Vectors of another embedding model cannot be compared.
    size = len(rows[0].query_vector) if rows else 0
    return [row for row in rows if len(row.query_vector) == size]
