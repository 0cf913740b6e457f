"""Rows that tell whose thoughts were used by others."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import IS_READABLE, thoughts, uses

MOST: Final = 100_000
"""Thoughts and their users that are read, those used last first."""


class Use(NamedTuple):
    """Uses of a thought by somebody who did not say it, and when the last was."""

    seq: int
    giver: str
    name: str
    user: str
    times: int
    last_at: float


def list_uses(connection: Connection, access: Access, *, since: float) -> list[Use]:
    """Return who used whose thoughts since a moment; nothing that was erased or is held."""
    giver = owner_or_label(thoughts, "contributor_id")
    last = func.max(uses.c.used_at)
    statement = (
        select(
            thoughts.c.seq,
            giver,
            thoughts.c.contributor_name,
            uses.c.agent_id,
            func.count(),
            last,
        )
        .join_from(uses, thoughts, thoughts.c.seq == uses.c.thought_seq)
        .where(
            thoughts.c.knowledge_space_id == access.space,
            *IS_READABLE,
            uses.c.agent_id != giver,
            uses.c.used_at >= since,
        )
        .group_by(thoughts.c.seq, uses.c.agent_id)
        .order_by(last.desc(), thoughts.c.seq)
        .limit(MOST)
    )
    return [Use(*row) for row in connection.execute(statement)]
