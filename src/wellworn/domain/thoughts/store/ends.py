"""Rows of the ends that thoughts were given."""

from __future__ import annotations

from sqlalchemy import Connection, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import thought_ends


def give_end(
    connection: Connection,
    access: Access,
    seq: int,
    *,
    agent_id: str,
    expires_at: float | None,
    now: float,
) -> None:
    """Write down until when a thought is to be true; None takes back what was said before.

    A clock that ran back makes it no earlier than the last.
    """
    last = select(func.max(thought_ends.c.given_at)).where(thought_ends.c.thought_seq == seq)
    connection.execute(
        insert(thought_ends),
        {
            "thought_seq": seq,
            "contributor_id": agent_id,
            "owner": access.owner,
            "by_admin": access.is_admin_member,
            "expires_at": expires_at,
            "given_at": max(now, connection.execute(last).scalar() or now),
        },
    )
