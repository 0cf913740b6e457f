"""Rows of sessions and of the query log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import COURTESY, Exposure
from wellworn.domain.thoughts.tables import accesses, query_log, sessions, thoughts
from wellworn.engines.storage.sql import Asked, ask_number, write_rows
from wellworn.kit.clock import to_iso

# Statements that every call needs are built once: building takes longer than running.
_HAS_QUERIED = (
    select(query_log.c.seq)
    .where(
        query_log.c.agent_id == bindparam("agent"),
        query_log.c.knowledge_space_id == bindparam("space"),
        query_log.c.owner.is_not_distinct_from(bindparam("owner")),
    )
    .limit(1)
)
_OPEN_SESSION = insert(sessions)
_LOG_QUERY = insert(query_log).returning(query_log.c.seq)
_LOG_NUMBERED = insert(query_log)


@dataclass(frozen=True, slots=True)
class LastCall:
    """One of the newest calls of a session; `contributed_id` is of what it stored, if anything."""

    query_seq: int
    returned_ids: tuple[str, ...]
    offered_tags: tuple[str, ...]
    question: str
    contributed_id: str | None = None


def is_own(connection: Connection, access: Access, session_id: str, agent_id: str) -> bool:
    statement = select(sessions.c.id).where(
        sessions.c.id == session_id,
        sessions.c.knowledge_space_id == access.space,
        sessions.c.agent_id == agent_id,
        sessions.c.owner.is_not_distinct_from(access.owner),
    )
    return connection.execute(statement).first() is not None


def find_agent(connection: Connection, access: Access, session_id: str) -> str | None:
    """Return the agent of a session of the caller's owner."""
    statement = select(sessions.c.agent_id).where(
        sessions.c.id == session_id,
        sessions.c.knowledge_space_id == access.space,
        sessions.c.owner.is_not_distinct_from(access.owner),
    )
    return connection.execute(statement).scalar()


def open_session(
    connection: Connection, access: Access, session_id: str, agent_id: str, now: float
) -> None:
    row = {
        "id": session_id,
        "knowledge_space_id": access.space,
        "agent_id": agent_id,
        "created_at": now,
        "owner": access.owner,
    }
    write_rows(connection, _OPEN_SESSION, [row])


def ask_queried(access: Access, agent_id: str) -> Asked:
    """Ask for a query of the agent that is in the log."""
    return _HAS_QUERIED, {"agent": agent_id, "space": access.space, "owner": access.owner}


def has_session(connection: Connection, access: Access, agent_id: str) -> bool:
    """Tell whether the agent has a session; walks all of the space's where it has none."""
    statement = select(sessions.c.id).where(
        sessions.c.knowledge_space_id == access.space,
        sessions.c.agent_id == agent_id,
        sessions.c.owner.is_not_distinct_from(access.owner),
    )
    return connection.execute(statement.limit(1)).first() is not None


def load_last_calls(
    connection: Connection, access: Access, session_id: str, *, most: int
) -> list[LastCall]:
    """Return the newest calls of a session, newest first.

    Thanks are none of them, as they leave the last answer as it is.
    """
    statement = (
        select(
            query_log.c.seq,
            query_log.c.returned_ids,
            query_log.c.offered_tags,
            query_log.c.query_text,
            thoughts.c.id.label("contributed_id"),
        )
        .join_from(query_log, thoughts, query_log.c.contributed_seq == thoughts.c.seq, isouter=True)
        .where(
            query_log.c.session_id == session_id,
            query_log.c.knowledge_space_id == access.space,
            query_log.c.retrieval_method != COURTESY,
        )
        .order_by(query_log.c.seq.desc())
        .limit(most)
    )
    return [
        LastCall(
            query_seq=row.seq,
            returned_ids=tuple(json.loads(row.returned_ids)),
            offered_tags=tuple(json.loads(row.offered_tags or "[]")),
            question=row.query_text,
            contributed_id=row.contributed_id,
        )
        for row in connection.execute(statement)
    ]


def find_last_session(
    connection: Connection, access: Access, agent_id: str, *, since: float
) -> str | None:
    """Return the session that an agent asked in last, if that was since a moment."""
    statement = (
        select(query_log.c.session_id)
        .where(
            query_log.c.agent_id == agent_id,
            query_log.c.knowledge_space_id == access.space,
            query_log.c.owner.is_not_distinct_from(access.owner),
            query_log.c.timestamp >= to_iso(since),
        )
        .order_by(query_log.c.seq.desc())
        .limit(1)
    )
    return connection.execute(statement).scalar()


def build_query_row(
    access: Access,
    exposure: Exposure,
    *,
    returned_ids: Sequence[str],
    offered_tags: Sequence[str],
    contributed_seq: int | None,
    now: float,
) -> dict[str, Any]:
    """Return the row of the query log, but for its seq."""
    return {
        "id": exposure.query_id,
        "agent_id": exposure.agent_id,
        "query_text": exposure.query_text,
        "context_text": exposure.context_text,
        "query_vector": None if exposure.vector is None else exposure.vector.tobytes(),
        "returned_ids": json.dumps(list(returned_ids)),
        "session_id": exposure.session_id,
        "timestamp": to_iso(now),
        "result_count": len(returned_ids),
        "knowledge_space_id": access.space,
        "retrieval_method": exposure.method,
        "policy_version": exposure.policy_version,
        "offered_tags": json.dumps(list(offered_tags)) if offered_tags else None,
        "contributed_seq": contributed_seq,
        "owner": access.owner,
        "encourages": exposure.encourages,
    }


def ask_to_log(row: dict[str, Any]) -> Asked:
    """Insert a row into the query log, and ask for its seq."""
    return _LOG_QUERY, row


def log_query(connection: Connection, row: dict[str, Any], seq: int) -> None:
    """Insert a row into the query log, whose seq was asked for before."""
    write_rows(connection, _LOG_NUMBERED, [{"seq": seq, **row}])


def ask_query_seq(connection: Connection) -> list[Asked]:
    """Ask for the seq of the next query, where that with its row would be a round trip."""
    return ask_number(connection, query_log.c.seq)


def is_logged(connection: Connection, access: Access, query_id: str) -> bool:
    """Tell whether a query was logged under an id."""
    statement = select(query_log.c.seq).where(
        query_log.c.id == query_id, query_log.c.knowledge_space_id == access.space
    )
    return connection.execute(statement).first() is not None


def find_query(
    connection: Connection, access: Access, session_id: str, thought_seq: int
) -> int | None:
    """Return the session's newest query whose result held the thought."""
    statement = (
        select(query_log.c.seq)
        .join(accesses, accesses.c.query_seq == query_log.c.seq)
        .where(
            query_log.c.session_id == session_id,
            query_log.c.knowledge_space_id == access.space,
            accesses.c.thought_seq == thought_seq,
        )
        .order_by(query_log.c.seq.desc())
        .limit(1)
    )
    return connection.execute(statement).scalar()


def is_taken(connection: Connection, access: Access, session_id: str) -> bool:
    """Tell whether the space has the session, no matter whose."""
    statement = select(sessions.c.id).where(
        sessions.c.knowledge_space_id == access.space, sessions.c.id == session_id
    )
    return connection.execute(statement).first() is not None
